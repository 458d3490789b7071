import { PrincipalTurns } from "./principal-turns.ts";

/**
 * Batches the work of several requests at the end of a turn of the event loop. First all requests read in the turn are handled, one after the other,
 * then their responses are written.
 *
 * This saves processor time. Handled in a row, requests take about a tenth less of it, because their code is still in the caches of the processor;
 * between two reads of Node it would not be. Every write wakes its reader, which costs more than most responses. Woken once for all responses of a
 * turn, the reader leaves more time to both sides, and even the last response arrives sooner.
 */
export class TurnBatcher {
  readonly principals: PrincipalTurns = new PrincipalTurns();
  #requests: Requests | undefined;
  #writes: Writes | undefined;
  /** True at the end of a turn, from the first request until the responses are written. */
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

/** Unhandled requests of one turn. */
interface Requests {
  count: number;
}

interface Writes {
  readonly began: number;
  readonly over: Promise<void>;
  readonly end: () => void;
}

/** Milliseconds for which a response waits for others. */
const patience = 1;

/** Captured once, because tests replace the global clock; platforms without `setImmediate` have no `node:http` either. */
const atEnd = globalThis.setImmediate;
