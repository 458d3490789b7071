import type { Channel } from "../jsonrpc/channel.ts";
import { createPendingRequests } from "../protocol/peer/outgoing-requests.ts";
import type { Connection } from "../protocol/session/connection.ts";
import { createDualAcceptor } from "./dual-era.ts";
import type { Acceptor, ServeOptions } from "./serve-options.ts";

export type { Acceptor, ServeOptions } from "./serve-options.ts";

/** Serves one connection. To serve many, create one acceptor and use it for each. */
export function serveHandlers(options: ServeOptions, channel: Channel): Connection {
  return createAcceptor(options)(channel);
}

/**
 * Prepares a server once, for all lifecycles of its revisions. Connections share no mutable state.
 *
 * @throws {InvalidMessageError} when the declared identity, capabilities or instructions do not fit a revision
 */
export function createAcceptor(options: ServeOptions): Acceptor {
  return createDualAcceptor({ createPendingRequests, ...options });
}
