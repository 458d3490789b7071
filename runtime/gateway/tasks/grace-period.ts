import { systemClock } from "../../internal/timers.ts";

/**
 * Returns a signal which follows another one after a grace period. While a server is starting a task, its response has to arrive: without it the task
 * is not known, and cannot be cancelled.
 */
export function withGrace(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const wait = (): void => {
    systemClock.after(grace, () => controller.abort(signal.reason));
  };
  if (signal.aborted) wait();
  else signal.addEventListener("abort", wait, { once: true });
  return controller.signal;
}

/** Milliseconds of the grace period. */
const grace = 2_000;
