import { startTimer } from "./timers.ts";

/** Returns a promise, and keeps the process alive until it settles or the signal is aborted, where the platform supports it. */
export function holdProcess<Value>(promise: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal?.aborted) return promise;
  const cancel = startTimer(Infinity, () => {});
  const release = (): void => {
    cancel();
    signal?.removeEventListener("abort", release);
  };
  signal?.addEventListener("abort", release, { once: true });
  return promise.finally(release);
}
