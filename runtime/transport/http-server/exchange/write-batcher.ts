/**
 * What is to be written at the end of a turn of the event loop. Every write wakes its reader, which costs more than most answers do: a reader that is
 * woken once for all answers of a turn leaves both sides more time, and the last of them comes sooner, too.
 */
export class WriteBatcher {
  #turn: Turn | undefined;

  /** Runs at the end of this turn, or before if handlers take long. */
  after(run: () => unknown): void {
    const { began, over, end } = (this.#turn ??= this.#open());
    // As a continuation, each runs in the asynchronous context of its own request.
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

/** Milliseconds that an answer waits for others. */
const patience = 1;

/** Tests that set the clock by hand do not mean this one; platforms that lack it have no `node:http` either. */
const atEnd = globalThis.setImmediate;
