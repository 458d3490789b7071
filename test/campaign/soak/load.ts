import { createHistogram } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, pick, type Random } from "../../kit/random.ts";
import { Failures } from "./failures.ts";
import { chooseOperation, operations, type OperationName } from "./operations.ts";
import type { Place } from "./places.ts";
import { LoadSessions } from "./sessions.ts";

/** Step of a load. */
export type LoadCommand =
  | { readonly kind: "open"; readonly seed: number }
  /** Runs so many operations at the same time, each followed by the next. */
  | { readonly kind: "closed"; readonly running: number; readonly milliseconds: number }
  /** Begins operations at a steady rate, however long each takes. While too many run, those that are due are left out. */
  | { readonly kind: "rate"; readonly rate: number; readonly milliseconds: number }
  | { readonly kind: "close" };

/** Outcome of a step. */
export interface LoadReport {
  /** Operations that have ended, by name. */
  readonly counts: Readonly<Partial<Record<OperationName, number>>>;
  readonly operations: number;
  readonly seconds: number;
  /** Operations that ended because their session was closed. */
  readonly interrupted: number;
  /** Most operations that ran at the same time. */
  readonly mostRunning: number;
  /** Operations that did not begin, because too many ran. */
  readonly leftOut: number;
  /** Milliseconds from the call to the result of `echo`. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of the longest operation of each name. */
  readonly longest: Readonly<Partial<Record<OperationName, number>>>;
  readonly failures: readonly string[];
}

/** Operations on the sessions of one place. */
export class Load {
  readonly #place: Place;
  #sessions: LoadSessions | undefined;
  #random: Random = createRandom(0);

  constructor(place: Place) {
    this.#place = place;
  }

  async execute(command: LoadCommand): Promise<LoadReport> {
    const tally = new Tally();
    switch (command.kind) {
      case "open":
        this.#random = createRandom(command.seed);
        this.#sessions = new LoadSessions(this.#place);
        await this.#sessions.open();
        break;
      case "closed":
        await this.#runClosed(command, tally);
        break;
      case "rate":
        await this.#runRate(command, tally);
        break;
      case "close":
        await this.#sessions?.close();
        this.#sessions = undefined;
        break;
      default:
        return command satisfies never;
    }
    return tally.report();
  }

  async #runClosed({ running, milliseconds }: LoadCommand & { kind: "closed" }, tally: Tally): Promise<void> {
    const end = performance.now() + milliseconds;
    const runOne = async (): Promise<void> => {
      while (performance.now() < end) await this.#runOperation(tally);
    };
    await Promise.all(Array.from({ length: running }, runOne));
  }

  async #runRate({ rate, milliseconds }: LoadCommand & { kind: "rate" }, tally: Tally): Promise<void> {
    const running = new Set<Promise<void>>();
    const startedAt = performance.now();
    for (let begun = 0; ;) {
      const elapsed = performance.now() - startedAt;
      if (elapsed >= milliseconds) break;
      for (const due = (elapsed * rate) / 1_000; begun < due; begun += 1) {
        if (running.size >= mostAtOnce) {
          tally.leaveOut();
          continue;
        }
        const operation: Promise<void> = this.#runOperation(tally).finally(() => running.delete(operation));
        running.add(operation);
      }
      await sleep(1);
    }
    await Promise.all(running);
  }

  async #runOperation(tally: Tally): Promise<void> {
    if (!this.#sessions) throw new Error("The load has no sessions; open them first");
    const random = this.#random;
    const name = chooseOperation(this.#sessions, random);
    const slot = pick(this.#sessions.slots, random);
    const { session } = slot;
    const startedAt = performance.now();
    tally.begin();
    try {
      await operations[name]({ sessions: this.#sessions, slot, random });
      tally.end(name, performance.now() - startedAt);
    } catch (error) {
      // The session was closed under the operation.
      if (slot.session !== session || slot.isReplaced) tally.interrupt();
      else tally.fail(name, error);
    }
  }
}

/** Operations at the same time: without a limit, all that were due while the machine stood still would begin at once, beyond the limits of a session. */
const mostAtOnce = 512;

/** Figures of one step. */
class Tally {
  readonly #startedAt = performance.now();
  readonly #counts: Partial<Record<OperationName, number>> = {};
  readonly #longest: Partial<Record<OperationName, number>> = {};
  readonly #echoes = createHistogram();
  readonly #failures = new Failures();
  #interrupted = 0;
  #running = 0;
  #mostRunning = 0;
  #leftOut = 0;

  begin(): void {
    this.#running += 1;
    this.#mostRunning = Math.max(this.#mostRunning, this.#running);
  }

  end(name: OperationName, milliseconds: number): void {
    this.#running -= 1;
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
    this.#longest[name] = Math.max(this.#longest[name] ?? 0, milliseconds);
    if (name === "echo") this.#echoes.record(Math.max(1, Math.round(milliseconds * 1_000)));
  }

  leaveOut(): void {
    this.#leftOut += 1;
  }

  interrupt(): void {
    this.#running -= 1;
    this.#interrupted += 1;
  }

  fail(name: OperationName, error: unknown): void {
    this.#running -= 1;
    this.#failures.add(name, error);
  }

  report(): LoadReport {
    const has = this.#echoes.count > 0;
    return {
      counts: this.#counts,
      operations: Object.values(this.#counts).reduce((sum, count) => sum + count, 0),
      seconds: (performance.now() - this.#startedAt) / 1_000,
      interrupted: this.#interrupted,
      mostRunning: this.#mostRunning,
      leftOut: this.#leftOut,
      p50: has ? this.#echoes.percentile(50) / 1_000 : 0,
      p99: has ? this.#echoes.percentile(99) / 1_000 : 0,
      longest: this.#longest,
      failures: this.#failures.describe(),
    };
  }
}
