import { isObject } from "../../generated/support.ts";

/** Time as the runtime sees it; tests replace it. */
export interface Clock {
  /** Milliseconds that only grow. */
  now(): number;
  /** Runs once after a delay, and returns how to prevent it. Does not keep a process alive unless it is held. */
  after(milliseconds: number, run: () => void): Cancel;
}

/** Prevents a timer from running. */
export interface Cancel {
  (): void;
  /** Makes the timer keep the process alive, where the platform can. */
  readonly hold?: () => void;
  /** Ends that. */
  readonly release?: () => void;
}

/** The clock of the platform. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, Math.min(milliseconds, longestTimer));
    const cancel = (): void => clearTimeout(timer);
    if (!isHoldable(timer)) return cancel;
    timer.unref();
    return Object.assign(cancel, { hold: () => timer.ref(), release: () => timer.unref() });
  },
};

/** Lets time pass, by the given clock or by one that keeps the process alive. The signal ends it: then it rejects with the reason. */
export function pause(milliseconds: number, clock: Clock | undefined, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = startTimer(milliseconds, clock, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/**
 * One timer for any number of deadlines: it is set for the earliest, looks at all that are left when it fires, and is never touched when a
 * deadline goes away or moves back.
 */
export class DeadlineTimer {
  readonly #clock: Clock;
  readonly #sweep: (now: number) => number;
  #firesAt = Infinity;
  #cancel: Cancel | undefined;
  #isHeld = false;

  /** @param sweep - ends what is due and returns the earliest deadline left, or `Infinity` */
  constructor(clock: Clock, sweep: (now: number) => number) {
    this.#clock = clock;
    this.#sweep = sweep;
  }

  /** Makes sure that the sweep happens at this time or before. */
  watch(deadline: number): void {
    if (deadline >= this.#firesAt) return;
    this.#cancel?.();
    this.#firesAt = deadline;
    this.#cancel = this.#clock.after(Math.max(0, deadline - this.#clock.now()), () => this.#fire());
    if (this.#isHeld) this.#cancel.hold?.();
  }

  /** Keeps the process alive as long as there is a deadline. */
  hold(): void {
    this.#isHeld = true;
    this.#cancel?.hold?.();
  }

  /** Lets the process end, whatever deadlines there are. */
  release(): void {
    this.#isHeld = false;
    this.#cancel?.release?.();
  }

  /** Forgets every deadline. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#firesAt = Infinity;
  }

  #fire(): void {
    this.#cancel = undefined;
    this.#firesAt = Infinity;
    this.watch(this.#sweep(this.#clock.now()));
  }
}

function startTimer(milliseconds: number, clock: Clock | undefined, run: () => void): () => void {
  if (clock) return clock.after(milliseconds, run);
  const timer = setTimeout(run, Math.min(milliseconds, longestTimer));
  return () => clearTimeout(timer);
}

/** Longer delays make `setTimeout` fire at once. */
export const longestTimer = 2_147_483_647;

interface Holdable {
  ref(): void;
  unref(): void;
}

/** Node's timers keep the process alive; other platforms return a number. */
function isHoldable(timer: unknown): timer is Holdable {
  return isObject(timer) && typeof timer.ref === "function" && typeof timer.unref === "function";
}
