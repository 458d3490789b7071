import { isObject } from "../../generated/support.ts";

/** Source of time for the runtime; tests replace it. */
export interface Clock {
  /** Returns a monotonic time in milliseconds. */
  now(): number;
  /** Runs a function once after a delay, and returns a function that cancels it. Does not keep the process alive unless it is held. */
  after(milliseconds: number, run: () => void): Cancel;
}

/** Cancels a timer before it fires. */
export interface Cancel {
  (): void;
  /** Makes the timer keep the process alive, where the platform supports it. */
  readonly hold?: () => void;
  /** Undoes `hold`: the timer no longer keeps the process alive. */
  readonly release?: () => void;
}

/**
 * Clock of the platform, based on `performance.now` and `setTimeout`. On Node, data that has arrived is read before a due timer runs: after a time in
 * which the process was busy, a response that arrived in time would otherwise count as late.
 */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, run) {
    let isCancelled = false;
    const finish = (): void => {
      if (!isCancelled) run();
    };
    const timer = setTimeout(() => afterReads(finish), Math.min(milliseconds, longestTimer));
    const cancel = (): void => {
      isCancelled = true;
      clearTimeout(timer);
    };
    if (!isNodeTimer(timer)) return cancel;
    timer.unref();
    return Object.assign(cancel, { hold: () => timer.ref(), release: () => timer.unref() });
  },
};

/** Runs a function after the reads of this turn of the event loop, or at once on platforms without `setImmediate`. */
export function afterReads(run: () => void): void {
  if (typeof setImmediate === "function") setImmediate(run);
  else run();
}

/**
 * Waits for a number of milliseconds on the given clock, or on one that keeps the process alive.
 *
 * @throws {unknown} when the signal is aborted: its reason
 */
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
 * One timer for any number of deadlines. It is set for the earliest one, checks all remaining ones when it fires, and is not touched when a deadline
 * is removed or postponed.
 */
export class DeadlineTimer {
  readonly #clock: Clock;
  readonly #sweep: (now: number) => number;
  #firesAt = Infinity;
  #cancel: Cancel | undefined;
  #isHeld = false;

  /** @param sweep - handles expired deadlines and returns the earliest one left, or `Infinity` */
  constructor(clock: Clock, sweep: (now: number) => number) {
    this.#clock = clock;
    this.#sweep = sweep;
  }

  /** Ensures that the sweep runs at this time or earlier. */
  watch(deadline: number): void {
    if (deadline >= this.#firesAt) return;
    this.#cancel?.();
    this.#firesAt = deadline;
    this.#cancel = this.#clock.after(Math.max(0, deadline - this.#clock.now()), () => this.#fire());
    if (this.#isHeld) this.#cancel.hold?.();
  }

  /** Keeps the process alive while there is a deadline. */
  hold(): void {
    this.#isHeld = true;
    this.#cancel?.hold?.();
  }

  /** Allows the process to exit, even if deadlines are left. */
  release(): void {
    this.#isHeld = false;
    this.#cancel?.release?.();
  }

  /** Cancels the timer, and with it every deadline. */
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

/** Milliseconds of the longest timer: longer delays make `setTimeout` fire immediately. */
export const longestTimer = 2_147_483_647;

interface NodeTimer {
  ref(): void;
  unref(): void;
}

/** True for timers of Node, which keep the process alive; other platforms return a number. */
function isNodeTimer(timer: unknown): timer is NodeTimer {
  return isObject(timer) && typeof timer.ref === "function" && typeof timer.unref === "function";
}
