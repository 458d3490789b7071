import type { Message } from "./message.ts";
import type { Report } from "./report.ts";

/** What is going on, and what was refused since the counters were made. */
export interface Figures {
  /** Connections that are open now: sessions, and over HTTP requests that stand alone while they are answered. */
  readonly connections: number;
  /** Requests of the other side that are being answered now. */
  readonly running: number;
  /** Requests of ours that wait for their answer now. */
  readonly waiting: number;
  /** Requests that were answered with an error, by its code. */
  readonly refused: ReadonlyMap<number, number>;
  /** Requests of HTTP that were turned away before anything in them was looked at, by status. */
  readonly turnedAway: ReadonlyMap<number, number>;
  /** What went wrong otherwise, by kind of report: `protocol` counts answers to nothing, `transport` what was lost. */
  readonly reports: ReadonlyMap<Report["kind"], number>;
}

/** Something that has a size. */
interface Sized {
  readonly size: number;
}

/** Counts what connections do: pass one as `counters` to everything that shall be counted together, and read it at any time. */
export class Counters {
  readonly #loads = new Map<Sized, Sized>();
  readonly #refused = new Map<number, number>();
  readonly #turnedAway = new Map<number, number>();
  readonly #reports = new Map<Report["kind"], number>();

  /** A copy of the figures as they are now. */
  read(): Figures {
    const sum = (tables: Iterable<Sized>): number => [...tables].reduce((total, { size }) => total + size, 0);
    return {
      connections: this.#loads.size,
      running: sum(this.#loads.keys()),
      waiting: sum(this.#loads.values()),
      refused: new Map(this.#refused),
      turnedAway: new Map(this.#turnedAway),
      reports: new Map(this.#reports),
    };
  }

  /** A connection has opened. */
  enter(running: Sized, waiting: Sized): void {
    this.#loads.set(running, waiting);
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
  turnedAway(status: number): void {
    increase(this.#turnedAway, status);
  }

  /** Something was reported. */
  reported({ kind }: Report): void {
    increase(this.#reports, kind);
  }
}

/** Keys are codes, statuses and kinds of ours: there are only so many. */
function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
