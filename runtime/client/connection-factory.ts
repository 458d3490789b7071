import type { EraCache } from "../lifecycle/era-cache.ts";
import type { Transport } from "../transport/transport.ts";
import { connect, type ClientConnection, type ConnectOptions } from "./connect.ts";

/**
 * Opens a connection to a server. With reconnection, the client calls it again: `(options) => connectStdio({ command }, options)` or
 * `(options) => connectHttp(url, options)`.
 */
export type ConnectionFactory = (options: ConnectionFactoryOptions) => Promise<ClientConnection>;

/** Options of a connection to a server with a URL or a command. */
export interface ConnectServerOptions extends ConnectOptions {
  /** Cache of the kind of each server: stateless or with sessions. Connections of one client share it. */
  readonly eras?: EraCache;
}

/** Options for a connection factory to pass on to `connect` and, over HTTP, to the transport. */
export interface ConnectionFactoryOptions extends ConnectServerOptions {
  /** Called when the transport has begun a new session without the client noticing. */
  readonly onNewSession: () => void;
  /** Called when the server cannot send messages without a request, or no longer, with the reason if it is known. */
  readonly onNotificationsLost: (reason?: Error) => void;
  /** Called when the server can send messages without a request: at first, and again after a loss. */
  readonly onNotificationsOpened?: () => void;
}

/** Transport for one connection, or a function which opens any number of them. */
export type Connectable = Transport | ConnectionFactory;

/** Returns a source as a connection factory. A transport can be opened only once. */
export function toConnectionFactory(source: Connectable): ConnectionFactory {
  if (typeof source === "function") return source;
  let isUsed = false;
  return (options) => {
    if (isUsed)
      return Promise.reject(
        new Error("The transport serves one connection only; pass a function that creates a transport"),
      );
    isUsed = true;
    return connect(source, options);
  };
}
