import type { Clock } from "../internal/timers.ts";

/**
 * Clock whose time only advances on request: pass it to a server or a client as `clock`.
 *
 * @example
 * ```ts
 * import { connectInMemory, ManualClock } from "mcp-server-runtime/testing";
 *
 * const clock = new ManualClock();
 * await using client = await connectInMemory<Declarations>(server, { clock });
 * const call = client.callTool("report");
 * await clock.pass(60_000); // the timeout of the call expires
 * ```
 */
export class ManualClock implements Clock {
  /** Number of timers started so far. */
  started = 0;
  #now = 0;
  readonly #timers = new Set<Timer>();

  /** Number of timers which have not run and were not cancelled. */
  get active(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.#now + milliseconds, run };
    this.started += 1;
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Advances the time synchronously. Callbacks of promises run afterwards. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let timer = this.#takeNext(end); timer; timer = this.#takeNext(end)) timer.run();
    this.#now = end;
  }

  /** Advances the time. All work started by a timer completes before the next timer is due. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (let timer = this.#takeNext(end); timer; timer = this.#takeNext(end)) {
      timer.run();
      await settle();
    }
    this.#now = end;
  }

  #takeNext(end: number): Timer | undefined {
    const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
    if (!next) return undefined;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    return next;
  }
}

/**
 * Runs all work ready to run, without advancing the time.
 *
 * @example
 * ```ts
 * import { settle, Wire } from "mcp-server-runtime/testing";
 * import { serve } from "mcp-server-runtime";
 *
 * const wire = new Wire();
 * serve(server, wire);
 * wire.post({ jsonrpc: "2.0", id: 1, method: "ping" });
 * await settle();
 * console.log(wire.sent);
 * ```
 */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}
