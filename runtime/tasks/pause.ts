import type { Clock } from "../rpc/timers.ts";

/** Lets time pass, by the given clock or by one that keeps the process alive. The signal ends it: then it rejects with the reason. */
export function pause(milliseconds: number, clock: Clock | undefined, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = start(milliseconds, clock, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function start(milliseconds: number, clock: Clock | undefined, run: () => void): () => void {
  if (clock) return clock.after(milliseconds, run);
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}
