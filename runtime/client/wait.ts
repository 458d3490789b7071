import type { Clock } from "../rpc/timers.ts";
import { sleep } from "../transport/http-client/delay.ts";

/** Waits, by the given clock if there is one. The signal ends it: then it rejects with the reason. */
export function wait(
  milliseconds: number,
  { clock, signal }: { readonly clock: Clock | undefined; readonly signal: AbortSignal },
): Promise<void> {
  if (!clock) return sleep(milliseconds, signal);
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(milliseconds, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    signal.addEventListener("abort", stop, { once: true });
  });
}
