import { isObject } from "../../generated/support.ts";

/** Source of time for the runtime; tests replace it. */
export interface Clock {
  /** Returns a monotonic time in milliseconds. */
  now(): number;
  /** Runs a function once after a delay, and returns a function to cancel it. Does not keep the process alive unless it is held. */
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
 * Clock of the platform, based on `performance.now` and `setTimeout`. On Node, received data is read before a due timer runs. Otherwise, after the
 * process was busy for a while, a response that arrived in time would count as late.
 */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, run) {
    let isCancelled = false;
    const finish = (): void => {
      if (!isCancelled) run();
    };
    const timer = startTimer(milliseconds, () => afterReads(finish));
    timer.release();
    const cancel = (): void => {
      isCancelled = true;
      timer();
    };
    return Object.assign(cancel, { hold: timer.hold, release: timer.release });
  },
};

/** Timer of the platform. The call cancels it. */
export interface Timer extends Cancel {
  readonly hold: () => void;
  readonly release: () => void;
}

/**
 * Runs a function once after any number of milliseconds, and never after `Infinity`. Keeps the process alive until then, unless it is released.
 * Delays too long for the platform are waited for in parts.
 */
export function startTimer(milliseconds: number, run: () => void): Timer {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isHeld = true;
  const wait = (left: number): void => {
    const next = (): void => (left > longestTimer ? wait(left - longestTimer) : run());
    timer = setTimeout(next, Math.min(left, longestTimer));
    if (!isHeld) keepAlive(timer, false);
  };
  const keep = (isWanted: boolean) => (): void => {
    isHeld = isWanted;
    keepAlive(timer, isWanted);
  };
  wait(milliseconds);
  return Object.assign(() => clearTimeout(timer), { hold: keep(true), release: keep(false) });
}

/** Runs a function repeatedly. Does not keep the process alive. */
export function repeat(milliseconds: number, run: () => void): Cancel {
  let cancel: Cancel = ignore;
  const wait = (): void => {
    const timer = startTimer(milliseconds, () => {
      wait();
      run();
    });
    timer.release();
    cancel = timer;
  };
  wait();
  return () => cancel();
}

/** Runs a function in a later turn of the event loop, after all promises about to settle. */
export function inLaterTurn(run: () => void): void {
  setTimeout(run);
}

/** Returns a signal that aborts after a number of milliseconds with a `TimeoutError`. It never aborts if the platform does not support the time. */
export function timeoutSignal(milliseconds: number): AbortSignal {
  return milliseconds > longestTimer ? new AbortController().signal : AbortSignal.timeout(Math.ceil(milliseconds));
}

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
    const finish = (): void => {
      signal?.removeEventListener("abort", stop);
      resolve();
    };
    const cancel = clock ? clock.after(milliseconds, finish) : startTimer(milliseconds, finish);
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

/** Milliseconds of the longest timer: longer delays make `setTimeout` fire immediately. */
export const longestTimer = 2_147_483_647;

function keepAlive(timer: unknown, isWanted: boolean): void {
  if (!isNodeTimer(timer)) return;
  if (isWanted) timer.ref();
  else timer.unref();
}

interface NodeTimer {
  ref(): void;
  unref(): void;
}

/** True for timers of Node, which keep the process alive; other platforms return a number. */
function isNodeTimer(timer: unknown): timer is NodeTimer {
  return isObject(timer) && typeof timer.ref === "function" && typeof timer.unref === "function";
}

function ignore(): void {}
