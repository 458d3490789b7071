import type { Extension, Revision } from "../../generated/support.ts";
import type { ConnectionFactory } from "../client/connection-factory.ts";
import type { Acceptor } from "../lifecycle/acceptor.ts";
import { ClosedError, toError } from "../jsonrpc/errors.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import { orderMiddleware, type MessageMiddleware } from "../protocol/peer/message-middleware.ts";
import type { Connection } from "../protocol/peer/peer.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { ImplementationInfo } from "../protocol/session/session.ts";
import type { Telemetry } from "../protocol/session/telemetry.ts";
import { Listeners } from "../server/subscriptions/listeners.ts";
import type { TaskOptions } from "../tasks/task-options.ts";
import type { HttpService } from "../transport/http-server/settings.ts";
import { createClientAcceptor } from "./client-acceptor.ts";
import { isDefinedExtension } from "../protocol/revision/defined-extension.ts";
import { CallConnections } from "./upstream/call-connections.ts";
import { ConnectionLimit } from "./upstream/connection-limit.ts";
import { knownExtensions, toServed, withExtensions } from "./extensions.ts";
import { PrincipalStates } from "./proxy/principal-states.ts";
import { Proxies } from "./proxy/proxies.ts";
import { Owners } from "./upstream/owners.ts";
import { connectUpstream, type UpstreamTarget } from "./upstream/upstream-target.ts";
import type { SessionProxy } from "./proxy/session-proxy.ts";
import { StatelessProxy, readOwnState } from "./proxy/stateless-proxy.ts";
import { readLogLevels } from "../server/logging/log-levels.ts";
import { TaskBridge } from "./tasks/task-bridge.ts";
import type { TaskConnection } from "./tasks/task-notifications.ts";
import type { OnTraffic } from "./traffic/entry.ts";
import { Traffic } from "./traffic/traffic.ts";
import { TopicClients } from "./topic-clients.ts";
import type { UpstreamOptions } from "./upstream/upstream.ts";
import { UpstreamWatcher } from "./upstream/upstream-watcher.ts";
import { checkNumbers } from "../jsonrpc/check-numbers.ts";

/** Server as clients of every revision see it, regardless of its own revision. It can be served over any transport. */
export interface Gateway extends HttpService {
  readonly accept: Acceptor;
  /** Accepts clients whose session ends with each request. Sessions get no tasks of the gateway: their clients could not come back for them. */
  readonly acceptStateless: Acceptor;
  /** Info declared by the server behind the gateway. */
  readonly info: ImplementationInfo;
  /** Revision of the connection to the server. */
  readonly revision: Revision;
  /** True if the server can be connected to for another session of this principal. */
  takesSessions(principal?: string): boolean;
  /** Returns the reason why the server has ended the session of a client, if it has. */
  lossOf(connection: Connection): Error | undefined;
  /** Closes every connection, to both sides. */
  close(): Promise<void>;
}

/** Options of a gateway between clients and a server. */
export interface GatewayOptions {
  /** Revisions spoken to both sides, newest first. */
  readonly revisions: readonly Revision[];
  /**
   * Extensions to pass on between a server and a client, if both declare them. Default: the extensions of this package. Other extensions are unknown
   * to the gateway, so they are not declared.
   */
  readonly extensions?: readonly Extension[];
  /** Options of tasks of the gateway. They represent tasks of a server with another kind of tasks than its clients, or with tasks in sessions. */
  readonly tasks?: TaskOptions;
  /** Receives every failure of which clients learn only in general terms. */
  readonly onError?: OnError;
  /** Milliseconds for a client without a session to return with input responses. Default 10 minutes. */
  readonly inputTimeout?: number;
  /**
   * Maximum number of connections to the server in use by clients at the same time; if the server is a program, each is a process. At least 2,
   * default 100. A session has a connection from its first request until it ends. Sessions leave a quarter of the connections to calls, rounded down
   * but at least one; further sessions are rejected, over HTTP with 503. A call without a session has a connection until its response, and waits for
   * it up to a minute. Calls of one caller share a connection if the server is a program with stateless requests. Half of the connections of calls
   * may be waiting for input responses of their clients; beyond it, the call with the longest wait is aborted. Each authenticated principal may use
   * as many as remain free for others, a single one half.
   */
  readonly maxConnections?: number;
  /**
   * True if calls without a session may use the same connections one after the other, although their callers are not authenticated. State kept by the
   * server for one caller, such as a sign-in or a working folder, may be visible to the next. Default: only calls of one authenticated principal
   * share connections, or calls on one connection, or all calls if the server keeps no sessions.
   */
  readonly shareConnections?: boolean;
  /**
   * Milliseconds without a response or progress after which a request to the server fails and is cancelled. Default: none. The client knows how
   * long is too long, and what it cancels is cancelled at the server.
   */
  readonly idleTimeout?: number;
  /**
   * Maximum levels of a message with a tool, as accepted by clients. A tool with deeper nesting is left out of lists, and reported. Default 64, as
   * for clients of this package.
   */
  readonly maxDepth?: number;
  /** Signal to end the opening of connections to the server: attempts in progress are aborted. */
  readonly signal?: AbortSignal;
  /**
   * Receives every message on both sides of the gateway, as it is on the wire, with its first deviation from the schema of its revision and with the
   * values lost in a conversion. Default: messages are not observed.
   */
  readonly onTraffic?: OnTraffic;
  /** Records the messages on both sides: the gateway is both ends of one trace. Default: nothing is recorded. */
  readonly telemetry?: Telemetry;
  /**
   * Middleware around the messages on both sides: its `role` is `server` towards clients, and `client` towards the server. The first one is
   * outermost. Default: none.
   */
  readonly middleware?: readonly MessageMiddleware[];
}

/**
 * Connects to a server, and serves it at every revision. Each session of a client is a session of its own with the server. Clients without a session
 * share a few, with one call at a time on each. A program with stateless requests serves all calls of one caller at the same time. For a server on
 * another transport, pass a function to open connections to it with.
 *
 * @throws {Error} when `maxConnections` is below 2
 * @example
 * ```ts
 * import { createGateway, serveGatewayStdio } from "mcp-server-runtime/gateway";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const gateway = await createGateway({ kind: "url", url: "https://mcp.example.com/mcp" }, { revisions });
 * await serveGatewayStdio(gateway);
 * ```
 */
export async function createGateway(
  place: UpstreamTarget | ConnectionFactory,
  options: GatewayOptions,
): Promise<Gateway> {
  const {
    extensions = knownExtensions,
    onError = () => {},
    inputTimeout = 600_000,
    maxConnections = 100,
    idleTimeout = Infinity,
  } = options;
  checkNumbers(options);
  if (!(maxConnections >= 2)) throw new Error(`maxConnections is ${maxConnections}; use 2 or more, or omit it for 100`);
  const ended = new AbortController();
  const traffic = options.onTraffic && new Traffic({ onTraffic: options.onTraffic, onError });
  const open = connectUpstream(place);
  // Extensions that conflict are rejected before one is set up.
  const upstreamRevisions = withExtensions(options.revisions, extensions);
  const installed = extensions.find(isDefinedExtension)?.install(extensions, { end: "gateway" });
  const middleware = orderMiddleware(options.middleware, installed?.middleware);
  const upstreams: UpstreamOptions = {
    open: traffic?.observeServer(open) ?? open,
    revisions: traffic?.follow(upstreamRevisions) ?? upstreamRevisions,
    onError,
    telemetry: options.telemetry,
    middleware,
    idleTimeout,
    maxDepth: options.maxDepth ?? 64,
    signal: options.signal ? AbortSignal.any([options.signal, ended.signal]) : ended.signal,
    onMismatch: () => void Promise.all([main.check(), connections.check()]),
  };
  const listeners = new Listeners();
  const clients = new TopicClients(listeners);
  const limit = new ConnectionLimit(maxConnections, { onFull: (principal) => stateless.makeRoomFor(principal) });
  const sessions = new Set<SessionProxy>();
  const opening = UpstreamWatcher.open(upstreams, {
    notify(handler, params) {
      listeners.notify(handler, {});
      if (listChanges.has(handler)) for (const session of sessions) session.notify(handler, params);
    },
    notifyUpdated: (uris) => listeners.notifyUpdated(uris),
  });
  const main = await opening.catch(async (error: unknown) => {
    await installed?.close().catch((thrown: unknown) => onError({ kind: "transport", error: toError(thrown) }));
    throw error;
  });
  const { tools } = main;
  const { serverInfo, revision, session: server } = main.connection;
  const served = toServed(options.revisions, extensions, server);
  const revisions = traffic?.follow(served) ?? served;
  const isStateless = revision.lifecycle === "per-request";
  const isProgram = typeof place === "function" || place.kind === "command";
  const connections = new CallConnections(upstreams, { limit, areShared: isStateless && isProgram });
  const owners = new Owners({
    shareSessions: options.shareConnections === true,
    // If requests are stateless, servers keep no state per connection.
    isStateless: () => main.connection.revision.lifecycle === "per-request",
    onOver: (owner) => connections.forget(owner),
  });
  const connectionOf = (call: CallContext): TaskConnection => connections.taskConnectionOf(owners.of(call));
  const bridge = new TaskBridge({ server, clients, tools, tasks: options.tasks, onError, connectionOf });
  const states = new PrincipalStates();
  const stateless = new StatelessProxy(connections, bridge, {
    states,
    inputTimeout,
    limit,
    owners,
    logLevels: readLogLevels(revisions),
    onError,
    hasServerStates: isStateless,
  });
  const proxies = new Proxies({ upstreams, bridge, limit, states, stateless, sessions });
  const createAccept = (hasSessions: boolean): Acceptor => {
    const parts = { server: main.connection, revisions, listeners, watcher: main, proxies, bridge };
    const accept = createClientAcceptor({
      ...parts,
      hasSessions,
      onError,
      telemetry: options.telemetry,
      middleware,
    });
    return traffic?.observeClients(accept, revisions) ?? accept;
  };
  return {
    revisions,
    accept: createAccept(true),
    acceptStateless: createAccept(false),
    info: serverInfo,
    revision,
    lossOf: (connection) => proxies.lossOf(connection),
    takesSessions: (principal) => limit.takesSessions(principal),
    areSessionsBound: true,
    ...(!isStateless && { readBoundState: readOwnState }),
    clients,
    startTasks(node) {
      stateless.useNode(node.name);
      bridge.share(node);
    },
    useCluster(shared) {
      states.share(shared);
      bridge.useCluster(shared);
    },
    readParamHeaders: (method, params) => tools.paramHeadersOf(method, params),
    async close() {
      ended.abort(new ClosedError("The gateway is closing"));
      // One that fails must not leave the connections to the server open.
      await closeAll([[bridge], [proxies], [stateless, main], installed ? [installed] : []]);
    },
  };
}

/**
 * Closes groups of parts one after the other, also when some fail.
 *
 * @throws {unknown} when one fails: its reason
 */
async function closeAll(groups: readonly (readonly { close(): Promise<void> }[])[]): Promise<void> {
  const outcomes: PromiseSettledResult<void>[] = [];
  for (const parts of groups) outcomes.push(...(await Promise.allSettled(parts.map((part) => part.close()))));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}

/** Notifications for sessions before they have a connection of their own. */
const listChanges: ReadonlySet<string> = new Set(["toolListChanged", "promptListChanged", "resourceListChanged"]);
