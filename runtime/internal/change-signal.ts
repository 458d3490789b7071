import type { Clock } from "./timers.ts";

/** Signal of a change, for one waiting reader. */
export class ChangeSignal {
  #isChanged = false;
  #wake: (() => void) | undefined;

  /** Wakes the reader, now or when it waits next. */
  readonly set = (): void => {
    this.#isChanged = true;
    this.#wake?.();
  };

  /** Forgets the changes so far, which the reader is about to read. */
  clear(): void {
    this.#isChanged = false;
  }

  /** Waits for a change since the last `clear`, at most some milliseconds. Returns `false` when there was none. */
  async wait(clock: Clock, milliseconds: number): Promise<boolean> {
    if (this.#isChanged) return true;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(milliseconds, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = undefined;
    return this.#isChanged;
  }
}
