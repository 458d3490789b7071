import type { EraCache } from "../lifecycle/era-cache.ts";
import type { Transport } from "../transport/transport.ts";
import { connect, type ClientConnection, type ConnectOptions } from "./connect.ts";

/**
 * Opens a connection to a server, again and again if need be:
 * `(options) => connectStdio({ command }, options)` or `(options) => connectHttp(url, options)`.
 */
export type ConnectionFactory = (options: ConnectionFactoryOptions) => Promise<ClientConnection>;

/** Options of a connection to a server that has a URL or a command. */
export interface ConnectServerOptions extends ConnectOptions {
  /** What the client remembers of servers. */
  readonly eras?: EraCache;
}

/** What an opener passes on to `connect` and, over HTTP, to the transport. */
export interface ConnectionFactoryOptions extends ConnectServerOptions {
  /** The transport has begun a new session unseen. */
  readonly onNewSession: () => void;
  /** The server can no longer speak unasked. */
  readonly onNotificationsLost: () => void;
}

/** A transport, which serves one connection, or how to open any number of them. */
export type Connectable = Transport | ConnectionFactory;

/** A source as an opener. A transport cannot be opened a second time. */
export function toConnectionFactory(source: Connectable): ConnectionFactory {
  if (typeof source === "function") return source;
  let isUsed = false;
  return (options) => {
    if (isUsed)
      return Promise.reject(new Error("A transport serves one connection: pass a function that makes a new one."));
    isUsed = true;
    return connect(source, options);
  };
}
