import { createAcceptor, type Acceptor, type ServeOptions } from "../lifecycle/handshake.ts";
import type { Channel } from "../rpc/channel.ts";
import type { Connection } from "../rpc/peer.ts";
import type { Capabilities } from "../rpc/session.ts";
import type { Server } from "./server.ts";

/** How connections are kept; everything else follows from the server. */
export type ServerConnectionOptions = Omit<
  ServeOptions,
  "info" | "capabilities" | "instructions" | "revisions" | "handlers"
> & {
  /** `false`: no tasks are offered, because nobody could come back for them. Default: those of the server are. */
  readonly tasks?: false;
};

/** Serves one connection over any transport. */
export function serve(server: Server, transport: Channel, options: ServerConnectionOptions = {}): Connection {
  return createServerAcceptor(server, options)(transport);
}

/** Prepares a server for any number of connections: lists are built once, and connections share nothing that changes. */
export function createServerAcceptor(server: Server, options: ServerConnectionOptions = {}): Acceptor {
  return createAcceptor({
    onError: server.onError,
    ...options,
    info: server.info,
    ...(server.instructions !== undefined && { instructions: server.instructions }),
    revisions: server.revisions,
    capabilities: (revision) => toOffered(server.implement(revision).capabilities, options),
    handlers: (revision) => server.implement(revision).handlers,
    onOpen(connection) {
      server.join(connection);
      options.onOpen?.(connection);
    },
  });
}

function toOffered(capabilities: Capabilities, { tasks: offered }: ServerConnectionOptions): Capabilities {
  if (offered !== false) return capabilities;
  const { tasks: _tasks, ...rest } = capabilities;
  return rest;
}
