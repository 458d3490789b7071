import type { Implementation, Revision } from "../../generated/support.ts";
import type { Around } from "../lifecycle/lifecycle-middleware.ts";
import type { CacheHint } from "../protocol/cache-hint.ts";
import type { Connection } from "../protocol/peer.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { Capabilities, ImplementationInfo } from "../protocol/session.ts";
import type { Rate } from "../jsonrpc/token-bucket.ts";
import type { ServerExtensions, ServerRounds, ServerSkills, ServerTasks } from "./definition.ts";
import { assembleServer, type ServerKit } from "./build-server.ts";
import type { FixedList } from "./list/catalogue.ts";
import { completeKit } from "./all-features.ts";
import type { Middleware } from "./middleware/middleware.ts";
import type { ToolLists } from "./list/changing-lists.ts";
import type { PromptLists } from "./prompts/registry.ts";
import type { ResourceLists } from "./resources/catalogue.ts";
import type { AnyServerDefinition, AnyTool } from "./any-definition.ts";

/** A server as it can be served: over any transport, to any number of clients, at each of its revisions. */
export interface Server extends CoreServer, ToolLists, ResourceLists, PromptLists {
  readonly tools: ToolLists["tools"];
}

/** A server, as far as it is the same whatever it offers besides tools. */
export interface CoreServer {
  readonly info: ImplementationInfo;
  readonly instructions: string | undefined;
  // @part caching
  /** How long clients may keep what the server says about itself. */
  readonly discovery: CacheHint | undefined;
  /** Newest first. */
  readonly revisions: readonly Revision[];
  readonly onError: OnError;
  /** How often a call may report progress, where the definition says so. */
  readonly progressRate: Rate | undefined;
  /** The tools that it offers. */
  readonly tools: FixedList<AnyTool>;
  /** Puts middleware around every request, `initialize` and `ping` too, inside of what is there. Only until the server is served. */
  use(middleware: Middleware): void;
  /** Prepares connections, for the lifecycles of its revisions. */
  readonly createAcceptor: ServerKit["createAcceptor"];
  /** Handlers and capabilities for one of the revisions; built at the first use and then shared. */
  implement(revision: Revision): ServerImplementation;
  // @part http
  /** Which scopes a request needs, by what it is about. */
  readonly readScopes: (method: string, params: unknown) => readonly string[];
  /** What runs around the requests that no handler answers: `initialize`, `ping`, `server/discover`. */
  readonly around: Around | undefined;
  // @part sessions, changes
  /** Counts a session among those that are told of changes, until its connection closes. */
  join(connection: Connection): void;
  // @part sessions, changes
  /** How many sessions there are. */
  readonly sessionCount: number;
  /** Closes every session in order: running calls may finish for a moment. */
  close(): Promise<void>;
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
export function createServer(
  source: AnyServerDefinition & ServerSkills & ServerTasks & ServerRounds & ServerExtensions,
  revisions: readonly Revision[],
): Server {
  return assembleServer(source, revisions, completeKit);
}
