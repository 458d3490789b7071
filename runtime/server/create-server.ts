import type { Implementation, Revision } from "../../generated/support.ts";
import type { LifecycleMiddleware } from "../lifecycle/lifecycle-middleware.ts";
import type { CacheHint } from "../protocol/methods/cache-hint.ts";
import type { Connection } from "../protocol/peer/peer.ts";
import type { CloseOptions } from "../protocol/session/connection.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { Capabilities, ImplementationInfo } from "../protocol/session/session.ts";
import type { TaskNode } from "../stores/task-node.ts";
import type { Rate } from "../jsonrpc/token-bucket.ts";
import type { ClusterAccess } from "../stores/shared-parts.ts";
import type { ServerExtensions, ServerRequestState, ServerSkills, ServerTasks } from "./definition.ts";
import { buildServer, type BuildOptions } from "./build-server.ts";
import type { ServedClients } from "../transport/http-server/cluster.ts";
import type { Catalogue } from "./list/catalogue.ts";
import { allFeatures } from "./all-features.ts";
import type { Middleware } from "./middleware/middleware.ts";
import type { ToolLists } from "./list/changing-lists.ts";
import type { PromptLists } from "./prompts/registry.ts";
import type { ResourceLists } from "./resources/catalogue.ts";
import type { AnyServerDefinition, AnyTool } from "./any-definition.ts";
import type { SettingsReader } from "./settings/settings.ts";

/** Server that can be served over any transport, to any number of clients, at each of its revisions. */
export interface Server extends CoreServer, ToolLists, ResourceLists, PromptLists {
  readonly tools: ToolLists["tools"];
}

/** Part of a server that does not depend on the features that it offers in addition to tools. */
export interface CoreServer {
  readonly info: ImplementationInfo;
  readonly instructions: string | undefined;
  /** Cache hint for the information that the server gives about itself. */
  readonly discovery: CacheHint | undefined;
  /** Revisions of the server, newest first. */
  readonly revisions: readonly Revision[];
  readonly onError: OnError;
  /** Rate limit of the progress reports of one call, if the definition sets one. */
  readonly progressRate: Rate | undefined;
  /** Settings of the server, if its definition has any. */
  readonly settings: SettingsReader | undefined;
  /** Tools that the server offers. Whether they may change depends on its features. */
  readonly tools: Pick<Catalogue<AnyTool>, "get" | "size" | "changedAt">;
  /**
   * Adds middleware around every request, including `initialize` and `ping`. It runs inside the middleware that was added before.
   *
   * @throws {Error} when the server is already being served
   */
  use(middleware: Middleware): void;
  /** Creates the acceptor of connections, for the lifecycles of its revisions. */
  readonly createAcceptor: BuildOptions["createAcceptor"];
  /** Returns the handlers and capabilities for one of the revisions. They are built at the first use and then shared. */
  implement(revision: Revision): ServerImplementation;
  /** Stores and keys of a cluster, for what the definition has none of. HTTP handlers with a cluster set them. */
  readonly cluster: ClusterAccess;
  /** Returns the scopes that a request needs, by the definition that it addresses. */
  readonly readScopes: (method: string, params: unknown) => readonly string[];
  /** Middleware around the requests that the lifecycle handles itself: `initialize`, `ping`, `server/discover`. */
  readonly around: LifecycleMiddleware | undefined;
  /** Shares the tasks of the server with other nodes of a cluster. */
  startTasks(node: TaskNode): void;
  /** Registers a session for notifications of changes, until its connection closes. */
  join(connection: Connection): void;
  /** Sessions and listeners of the server, for the cluster that it is served in. */
  readonly clients: ServedClients;
  /** Number of sessions whose connection is open. */
  readonly sessionCount: number;
  /** Closes every connection gracefully: running calls and tasks get a short time to finish, by default 1 s. Then running tasks fail. */
  close(options?: CloseOptions): Promise<void>;
}

/** Handlers and capabilities of a server at one revision. */
export interface ServerImplementation extends Implementation<object> {
  readonly role: "server";
  readonly capabilities: Capabilities;
}

/**
 * Creates a server from its definition.
 *
 * @throws {SetupError} when the definition cannot be served: an invalid name, a duplicate name, a schema that cannot be shown to clients
 * @throws {Error} when there is no revision, or when an extension is invalid
 * @example
 * ```ts
 * import { createServer } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const tools = [{ name: "greet", execute: () => "Hello" }];
 * const server = createServer({ name: "demo", version: "1.0.0", tools }, revisions);
 * ```
 */
export function createServer(
  source: AnyServerDefinition & ServerSkills & ServerTasks & ServerRequestState & ServerExtensions,
  revisions: readonly Revision[],
): Server {
  return buildServer(source, revisions, allFeatures);
}
