import type { LoadCommand, LoadReport } from "../soak/load.ts";
import type { HeapContents, Measurement } from "./measure.ts";

/** Settings of a server process, its only argument. */
export interface ServerSettings {
  readonly transport: "memory" | "stdio" | "http" | "websocket" | "tcp";
  /** Port to listen at. Default: a free one. */
  readonly port?: number;
  /** Milliseconds that an unused session over HTTP lives. Default: that of the runtime. */
  readonly sessionTtl?: number;
  /** Milliseconds that a client has for its first message. Default: that of the runtime. */
  readonly handshakeTimeout?: number;
  readonly maxSessions?: number;
  /** Milliseconds that a call over HTTP may take. Default: that of the runtime. */
  readonly handlerTimeout?: number;
}

/** Command to a server process, over its IPC channel. */
export type Command =
  | { readonly kind: "measure" }
  | { readonly kind: "measure-heap" }
  /** Starts the measurement of the event loop again. */
  | { readonly kind: "reset" }
  | { readonly kind: "read" }
  /** Runs a load inside of the process: with the transport in memory, server and client share it. */
  | { readonly kind: "load"; readonly load: LoadCommand };

/** Figures of a server while it runs. Times are milliseconds. */
export interface LoopFigures {
  readonly p99: number;
  readonly longest: number;
  /** Calls of `hang` that run. */
  readonly hanging: number;
}

/** Results of commands. */
export interface Replies {
  readonly measure: Measurement;
  readonly "measure-heap": HeapContents;
  readonly reset: true;
  readonly read: LoopFigures;
  readonly load: LoadReport;
}
