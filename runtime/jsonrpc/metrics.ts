import type { Counting, DropReason, Load, Sized } from "./counted-channel.ts";
import type { Message } from "./message.ts";
import type { ErrorReport } from "./error-report.ts";

/** What is going on, and what was refused since the metrics were made. */
export interface MetricsSnapshot {
  /** Connections that are open now: sessions, and over HTTP requests that stand alone while they are answered. */
  readonly connections: number;
  /** Requests of the other side that are being answered now. */
  readonly running: number;
  /** Requests of ours that wait for their answer now. */
  readonly waiting: number;
  /** Bytes that wait for slow readers now. */
  readonly buffered: number;
  /** Requests that were answered with an error, by its code. */
  readonly refused: ReadonlyMap<number, number>;
  /** Requests of HTTP that were turned away before anything in them was looked at, by status. */
  readonly rejected: ReadonlyMap<number, number>;
  /** What went wrong otherwise, by kind of report: `protocol` counts answers to nothing, `transport` what was lost. */
  readonly reports: ReadonlyMap<ErrorReport["kind"], number>;
  /** What was given up to stay within bounds. */
  readonly dropped: ReadonlyMap<DropReason, number>;
  /** How late the event loop is; absent where nobody watches it. */
  readonly loopDelay?: LoopDelay;
}

/** Milliseconds by which the event loop came too late to what was due. */
export interface LoopDelay {
  readonly mean: number;
  /** 99 of 100 times it was less. */
  readonly p99: number;
  readonly max: number;
}

/** Counts what connections do: pass one as `metrics` to everything that shall be counted together, and read it at any time. */
export class Metrics implements Counting {
  readonly #loads = new Map<Sized, Load>();
  readonly #refused = new Map<number, number>();
  readonly #rejected = new Map<number, number>();
  readonly #reports = new Map<ErrorReport["kind"], number>();
  readonly #dropped = new Map<DropReason, number>();
  #readLoopDelay: (() => LoopDelay) | undefined;

  /** A copy of the figures as they are now. */
  read(): MetricsSnapshot {
    const loads = [...this.#loads.values()];
    const sum = (sizeOf: (load: Load) => number): number => loads.reduce((total, load) => total + sizeOf(load), 0);
    return {
      connections: loads.length,
      running: sum(({ running }) => running.size),
      waiting: sum(({ waiting }) => waiting.size),
      buffered: sum(({ channel }) => channel.buffered ?? 0),
      refused: new Map(this.#refused),
      rejected: new Map(this.#rejected),
      reports: new Map(this.#reports),
      dropped: new Map(this.#dropped),
      ...(this.#readLoopDelay && { loopDelay: this.#readLoopDelay() }),
    };
  }

  /** A connection has opened. */
  enter(running: Sized, waiting: Sized, channel: Load["channel"]): void {
    this.#loads.set(running, { running, waiting, channel });
  }

  /** It has closed. */
  leave(running: Sized): void {
    this.#loads.delete(running);
  }

  /** Something was answered. */
  answered(message: Message): void {
    if ("error" in message) increase(this.#refused, message.error.code);
  }

  /** A request of HTTP was answered with a status of its own. */
  rejected(status: number): void {
    increase(this.#rejected, status);
  }

  /** Something was given up. */
  drop(what: DropReason, count: number = 1): void {
    increase(this.#dropped, what, count);
  }

  /** Says where to read how late the event loop is; nothing when nobody watches it any more. */
  watchLoop(read: (() => LoopDelay) | undefined): void {
    this.#readLoopDelay = read;
  }

  /** Something was reported. */
  reported({ kind }: ErrorReport): void {
    increase(this.#reports, kind);
  }
}

/** Keys are codes, statuses and kinds of ours: there are only so many. */
function increase<Key>(counts: Map<Key, number>, key: Key, by: number = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
