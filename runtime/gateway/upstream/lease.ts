import type { Owner } from "./owners.ts";
import type { Principal } from "../principal.ts";
import type { Listener, Upstream } from "./upstream.ts";

/** Connection to the server for one call. */
export interface Lease {
  readonly upstream: Upstream;
  /** Requests log messages from a level on. Returns the metadata for the requests of the call in addition to the connection's. */
  requestLogs(level: string | undefined, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Sends further messages of the server to another listener. */
  listen(listener: Listener): void;
  /** Keeps the connection for later requests about what the server has begun for this call, such as a task. */
  keep(milliseconds: number): void;
  /** Releases the connection. Later messages of the server on it are not delivered. */
  release(): void;
}

/** Call that needs a connection. */
export interface PooledCall {
  readonly principal: Principal;
  readonly owner: Owner;
  readonly listener: Listener;
  readonly signal: AbortSignal;
}
