import { isObject, type Revision } from "../../../generated/support.ts";
import type { Acceptor, ServeOptions } from "../../lifecycle/acceptor.ts";
import type { Channel } from "../../jsonrpc/channel.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import type { Capabilities } from "../../protocol/session/session.ts";
import type { CoreServer, ServerImplementation } from "../server.ts";

/** Options for the connections of a server. All other options come from the server itself. */
export type ServerConnectionOptions = Omit<
  ServeOptions,
  | "info"
  | "capabilities"
  | "instructions"
  | "discovery"
  | "revisions"
  | "handlers"
  | "around"
  | "middleware"
  | "createPendingRequests"
> & {
  /** `false` to offer no tasks, because no client can be identified to collect their results. Default: the tasks of the server. */
  readonly tasks?: false;
  /** `false` to offer no change notifications in sessions, because no client stays connected to receive them. Default: as the server defines. */
  readonly changes?: false;
};

/**
 * Serves one connection over any transport.
 *
 * @example
 * ```ts
 * import { createInMemoryTransports, serve } from "mcp-server-runtime";
 *
 * const [clientEnd, serverEnd] = createInMemoryTransports();
 * const connection = serve(server, serverEnd);
 * await connection.closed;
 * ```
 */
export function serve(server: CoreServer, transport: Channel, options: ServerConnectionOptions = {}): Connection {
  return createServerAcceptor(server, options)(transport);
}

/**
 * Prepares a server for any number of connections. Lists are built once, and connections share no mutable state.
 *
 * @example
 * ```ts
 * import { createServerAcceptor, listenTcp } from "mcp-server-runtime/transports";
 *
 * const accept = createServerAcceptor(server);
 * await listenTcp({ port: 4000, accept });
 * ```
 */
export function createServerAcceptor(server: CoreServer, options: ServerConnectionOptions = {}): Acceptor {
  const { around, messageMiddleware: middleware, progressRate } = server;
  return server.createAcceptor({
    ...(around && { around }),
    ...(middleware && { middleware }),
    ...(progressRate && { progressRate }),
    onError: server.onError,
    ...options,
    info: server.info,
    ...(server.instructions !== undefined && { instructions: server.instructions }),
    ...(server.discovery && { discovery: server.discovery }),
    revisions: server.revisions,
    capabilities: (revision) => server.implement(revision).capabilities,
    ...(isNarrowed(options) && {
      capabilities: (revision: Revision) => withoutSome(server.implement(revision), options),
    }),
    handlers: (revision) => server.implement(revision).handlers,
    onOpen(connection) {
      server.join(connection);
      options.onOpen?.(connection);
    },
  });
}

function isNarrowed({ tasks, changes }: ServerConnectionOptions): boolean {
  return tasks === false || changes === false;
}

function withoutSome(
  { capabilities, revision }: ServerImplementation,
  { tasks, changes }: ServerConnectionOptions,
): Capabilities {
  const isWithoutChanges = changes === false && revision.lifecycle === "handshake";
  const kept = Object.entries(capabilities).filter(([name]) => tasks !== false || name !== "tasks");
  return Object.fromEntries(kept.map(([name, value]) => [name, isWithoutChanges ? withoutChanges(value) : value]));
}

function withoutChanges(capability: unknown): unknown {
  if (!isObject(capability)) return capability;
  const { listChanged: _listChanged, subscribe: _subscribe, ...rest } = capability;
  return rest;
}
