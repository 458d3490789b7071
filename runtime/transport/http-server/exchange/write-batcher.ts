/**
 * Writes that run together at the end of a turn of the event loop. Every write wakes its reader, which costs more than most responses. A reader that
 * is woken once for all responses of a turn leaves more time to both sides, and even the last response arrives sooner.
 */
export class WriteBatcher {
  #turn: Turn | undefined;

  /** Runs a function at the end of this turn, or earlier if handlers take long. */
  after(run: () => unknown): void {
    const { began, over, end } = (this.#turn ??= this.#open());
    // As a continuation, each function runs in the asynchronous context of its own request.
    void over.then(run);
    if (performance.now() - began > patience) end();
  }

  #open(): Turn {
    let settle: () => void;
    const over = new Promise<void>((resolve) => (settle = resolve));
    const end = (): void => {
      if (this.#turn?.over === over) this.#turn = undefined;
      settle();
    };
    atEnd(end);
    return { began: performance.now(), over, end };
  }
}

interface Turn {
  readonly began: number;
  readonly over: Promise<void>;
  readonly end: () => void;
}

/** Milliseconds that a response waits for others. */
const patience = 1;

/** Captured once, because tests replace the global clock; platforms without `setImmediate` have no `node:http` either. */
const atEnd = globalThis.setImmediate;
