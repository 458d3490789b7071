import { PrincipalTurns } from "./principal-turns.ts";

/**
 * Work of several requests that runs together at the end of a turn of the event loop: first each request that was read in the turn is handled, one
 * after the other, then their responses are written.
 *
 * Between the reads of Node, each request would find the caches of the processor without the code that handles it: handled in a row, requests take
 * about a tenth less processor time. Every write wakes its reader, which costs more than most responses. A reader that is woken once for all responses
 * of a turn leaves more time to both sides, and even the last response arrives sooner.
 */
export class TurnBatcher {
  readonly principals: PrincipalTurns = new PrincipalTurns();
  #requests: Requests | undefined;
  #writes: Writes | undefined;
  /** True from the first request that is handled at the end of a turn until the responses are written. */
  #isHandling = false;

  /**
   * Runs a function at the end of this turn, before any of the next one: what it causes without waiting is done first. By then, Node has the body of
   * nearly every request.
   */
  handle(run: () => void): void {
    const requests = (this.#requests ??= { count: 0 });
    requests.count += 1;
    atEnd(() => {
      if (this.#requests === requests) this.#requests = undefined;
      this.#isHandling = true;
      requests.count -= 1;
      if (requests.count === 0) queueMicrotask(() => process.nextTick(() => this.#finish()));
      run();
    });
  }

  /** Runs a write at the end of this turn, after its requests have been handled, or earlier if handlers take long. */
  write(run: () => unknown): void {
    const { began, over, end } = (this.#writes ??= this.#openWrites());
    // As a continuation, each write runs in the asynchronous context of its own request.
    void over.then(run);
    if (performance.now() - began > patience) end();
  }

  #openWrites(): Writes {
    let settle: () => void;
    const over = new Promise<void>((resolve) => (settle = resolve));
    const end = (): void => {
      if (this.#writes?.over === over) this.#writes = undefined;
      settle();
    };
    if (!this.#isHandling) atEnd(end);
    return { began: performance.now(), over, end };
  }

  #finish(): void {
    this.#isHandling = false;
    this.#writes?.end();
  }
}

/** Requests of one turn that are not handled yet. */
interface Requests {
  count: number;
}

interface Writes {
  readonly began: number;
  readonly over: Promise<void>;
  readonly end: () => void;
}

/** Milliseconds that a response waits for others. */
const patience = 1;

/** Captured once, because tests replace the global clock; platforms without `setImmediate` have no `node:http` either. */
const atEnd = globalThis.setImmediate;
