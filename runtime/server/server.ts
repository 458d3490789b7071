import type { ImplementationInfo, Capabilities } from "../protocol/session/session.ts";
import type { CacheHint } from "../protocol/methods/cache-hint.ts";
import type { Revision, Implementation } from "../../generated/support.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { Rate } from "../jsonrpc/token-bucket.ts";
import type { SettingsReader } from "./settings/settings.ts";
import type { Catalogue } from "./list/catalogue.ts";
import type { AnyTool, AnyCoreDefinition, AnyServerDefinition } from "./any-definition.ts";
import type { MessageMiddleware } from "../protocol/peer/message-middleware.ts";
import type { ServerMiddleware } from "./middleware/middleware.ts";
import type { ClusterAccess } from "../stores/shared-parts.ts";
import type { LifecycleMiddleware } from "../lifecycle/lifecycle-middleware.ts";
import type { TaskNode } from "../stores/task-node.ts";
import type { Connection, CloseOptions } from "../protocol/session/connection.ts";
import type { ServedClients } from "../transport/http-server/served-clients.ts";
import type { Feature } from "./feature.ts";
import type { ServeOptions, Acceptor } from "../lifecycle/serve-options.ts";
import type { ListHost } from "./list/changing-lists.ts";
import type { SessionRegistry } from "./subscriptions/session-registry.ts";

/** Part of a server without its optional features. */
export interface CoreServer {
  readonly info: ImplementationInfo;
  readonly instructions: string | undefined;
  /** Cache hint for the server's information about itself. */
  readonly discovery: CacheHint | undefined;
  /** Revisions of the server, newest first. */
  readonly revisions: readonly Revision[];
  readonly onError: OnError;
  /** Rate limit of the progress reports of one call, if the definition sets one. */
  readonly progressRate: Rate | undefined;
  /** Settings of the server, if its definition has any. */
  readonly settings: SettingsReader | undefined;
  /** Tools offered by the server. Whether they may change depends on its features. */
  readonly tools: Pick<Catalogue<AnyTool>, "get" | "size" | "changedAt">;
  /**
   * Adds middleware around every request, including `initialize` and `ping`, or around other messages. It runs inside the middleware added before.
   *
   * @throws {Error} when the server is already being served
   */
  use(middleware: ServerMiddleware): void;
  /** Creates the acceptor of connections, for the lifecycles of its revisions. From then on, the server is being served. */
  readonly createAcceptor: BuildOptions["createAcceptor"];
  /** Returns the handlers and capabilities for one of the revisions. They are built at the first use and then shared, until the server changes. */
  implement(revision: Revision): ServerImplementation;
  /** Stores and keys of a cluster, for what the definition has none of. HTTP handlers with a cluster set them. */
  readonly cluster: ClusterAccess;
  /** Returns the scopes of the definition addressed by a request. */
  readonly readScopes: (method: string, params: unknown) => readonly string[];
  /** Middleware around requests handled by the lifecycle itself: `initialize`, `ping`, `server/discover`. */
  readonly around: LifecycleMiddleware | undefined;
  /** Middleware around all messages but received requests. */
  readonly messageMiddleware: readonly MessageMiddleware[] | undefined;
  /** Shares the tasks of the server with other nodes of a cluster. */
  startTasks(node: TaskNode): void;
  /** Registers a session for notifications of changes, until its connection closes. */
  join(connection: Connection): void;
  /** Sessions and listeners of the server, for its cluster. */
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

/** Parts from which a server is built. A bundler drops the code of parts that no program names. */
export interface BuildOptions<
  Lists extends object = object,
  Definition extends AnyCoreDefinition = AnyServerDefinition,
> {
  /** Features of the server in addition to tools. */
  readonly features: readonly Feature[];
  /** Creates the acceptor of connections, for the lifecycles of the revisions. */
  readonly createAcceptor: (options: ServeOptions) => Acceptor;
  /** Creates the lists of the features, which become members of the server. Default: the server has tools only. */
  readonly createLists?: (definition: Definition, host: ListHost) => Lists;
  /** Registry of the sessions of the server. Default: a new one. */
  readonly sessions?: SessionRegistry;
  /** Access to what a cluster shares. Servers with the same one have the same tasks. Default: a new one. */
  readonly cluster?: ClusterAccess;
  /** Returns the text for the client when a tool fails with another error than a `ToolError`. Default: no details. */
  readonly describeError?: (error: unknown) => string;
}
