import { systemClock } from "../internal/timers.ts";

/**
 * A signal that follows another one after a while. A server that is just beginning a task has to be heard out: nobody else would know of the
 * task, and could cancel it.
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

/** Milliseconds. */
const grace = 2_000;
