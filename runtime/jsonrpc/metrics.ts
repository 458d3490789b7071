import type { ConnectionMetrics, DropReason, ConnectionLoad, HasSize } from "./counted-channel.ts";
import type { Message } from "./message.ts";
import type { ErrorReport } from "./error-report.ts";

/** Current load, and errors since the metrics were created. */
export interface MetricsSnapshot {
  /** Open connections: sessions, and over HTTP stateless requests while they are processed. */
  readonly connections: number;
  /** Requests of the peer in progress. */
  readonly running: number;
  /** Outgoing requests waiting for their response. */
  readonly waiting: number;
  /** Bytes waiting for slow readers. */
  readonly buffered: number;
  /** Requests with an error response, by its code. */
  readonly errorResponses: ReadonlyMap<number, number>;
  /** HTTP requests rejected before anything in them was read, by status. */
  readonly rejected: ReadonlyMap<number, number>;
  /** Other errors, by kind of report: `protocol` includes responses to unknown requests, `transport` lost bytes. */
  readonly reports: ReadonlyMap<ErrorReport["kind"], number>;
  /** Data dropped to stay within limits. */
  readonly dropped: ReadonlyMap<DropReason, number>;
  /** Delay of the event loop; absent where it is not watched. */
  readonly loopDelay?: LoopDelay;
}

/** Milliseconds by which the event loop ran late. */
export interface LoopDelay {
  readonly mean: number;
  /** 99 of 100 delays were shorter. */
  readonly p99: number;
  readonly max: number;
}

/**
 * Counts the activity of connections. Pass one as `metrics` to everything to be counted together, and read it at any time.
 *
 * @example
 * ```ts
 * import { Metrics, serveHttp } from "mcp-server-runtime";
 *
 * const metrics = new Metrics();
 * await serveHttp(server, { port: 3000, metrics });
 * setInterval(() => console.log(metrics.read()), 60_000);
 * ```
 */
export class Metrics implements ConnectionMetrics {
  readonly #loads = new Map<HasSize, ConnectionLoad>();
  readonly #errorResponses = new Map<number, number>();
  readonly #rejected = new Map<number, number>();
  readonly #reports = new Map<ErrorReport["kind"], number>();
  readonly #dropped = new Map<DropReason, number>();
  #readLoopDelay: (() => LoopDelay) | undefined;

  /** Returns a copy of the current figures. */
  read(): MetricsSnapshot {
    const loads = [...this.#loads.values()];
    const sum = (sizeOf: (load: ConnectionLoad) => number): number =>
      loads.reduce((total, load) => total + sizeOf(load), 0);
    return {
      connections: loads.length,
      running: sum(({ running }) => running.size),
      waiting: sum(({ waiting }) => waiting.size),
      buffered: sum(({ channel }) => channel.buffered ?? 0),
      errorResponses: new Map(this.#errorResponses),
      rejected: new Map(this.#rejected),
      reports: new Map(this.#reports),
      dropped: new Map(this.#dropped),
      ...(this.#readLoopDelay && { loopDelay: this.#readLoopDelay() }),
    };
  }

  /** Counts an opened connection. */
  enter(running: HasSize, waiting: HasSize, channel: ConnectionLoad["channel"]): void {
    this.#loads.set(running, { running, waiting, channel });
  }

  /** Removes a closed connection. */
  leave(running: HasSize): void {
    this.#loads.delete(running);
  }

  /** Counts a response if it is an error. */
  responded(message: Message): void {
    if ("error" in message) increase(this.#errorResponses, message.error.code);
  }

  /** Counts an HTTP request rejected with an HTTP status. */
  rejected(status: number): void {
    increase(this.#rejected, status);
  }

  /** Counts data dropped to stay within limits. */
  drop(what: DropReason, count: number = 1): void {
    increase(this.#dropped, what, count);
  }

  /** Sets the function for reading the delay of the event loop; `undefined` when it is no longer watched. */
  watchLoop(read: (() => LoopDelay) | undefined): void {
    this.#readLoopDelay = read;
  }

  /** Counts an error report by its kind. */
  reported({ kind }: ErrorReport): void {
    increase(this.#reports, kind);
  }
}

/** Increases a count. Keys are codes, statuses and kinds of this side, so their number is bounded. */
function increase<Key>(counts: Map<Key, number>, key: Key, by: number = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
