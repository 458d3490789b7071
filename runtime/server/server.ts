import type { Implementation, Revision } from "../../generated/support.ts";
import type { OnError } from "../rpc/report.ts";
import type { Capabilities, ProgramInfo } from "../rpc/session.ts";
import { toCapabilities } from "./capabilities.ts";
import { checkServer } from "./check-server.ts";
import { createHandlers } from "./handlers.ts";
import type { ServerSource } from "./source.ts";

/** A server as it can be served: over any transport, to any number of clients, at each of its revisions. */
export interface Server {
  readonly info: ProgramInfo;
  readonly instructions: string | undefined;
  /** Newest first. */
  readonly revisions: readonly Revision[];
  readonly onError: OnError;
  /** Handlers and capabilities for one of the revisions; built at the first use and then shared. */
  implement(revision: Revision): ServerImplementation;
}

/** A server at one revision. */
export interface ServerImplementation extends Implementation<object> {
  readonly role: "server";
  readonly capabilities: Capabilities;
}

/**
 * Makes a server of its definition. Throws at once when something in it cannot be served: a bad name, a name that is there
 * twice, a schema that cannot be shown to clients.
 */
export function createServer(source: ServerSource, revisions: readonly Revision[]): Server {
  const { instructions, tools, resources, resourceTemplates, prompts, pageSize, logLevel, onError, ...info } = source;
  const [newest] = revisions;
  if (!newest) throw new Error(`Server "${info.name}" needs at least one protocol revision.`);
  checkServer(source);
  const implementations = new Map<Revision, ServerImplementation>();
  const settings = { onError: onError ?? writeToStandardError };
  const server: Server = {
    info,
    instructions,
    revisions,
    onError: settings.onError,
    implement(revision) {
      const known = implementations.get(revision);
      if (known) return known;
      const handlers = createHandlers(source, revision, settings.onError);
      const made: ServerImplementation = {
        role: "server",
        revision,
        handlers,
        capabilities: toCapabilities(handlers, revision),
      };
      implementations.set(revision, made);
      return made;
    },
  };
  server.implement(newest);
  return server;
}

const writeToStandardError: OnError = ({ kind, method, error }) => {
  // `ignored` is what peers may do: unknown notifications, late answers.
  if (kind !== "ignored") console.error(`[mcp] ${kind}${method === undefined ? "" : ` in ${method}`}:`, error);
};
