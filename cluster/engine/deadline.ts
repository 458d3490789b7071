import { startTimer } from "../../runtime/internal/timers.ts";

/** Returns the result of work within a number of milliseconds; then the promise is rejected. */
export function withDeadline<Value>(work: Promise<Value>, milliseconds: number, message?: string): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = startTimer(milliseconds, () => reject(new Error(message ?? `no reply within ${milliseconds} ms`)));
    const settle = (then: () => void): void => {
      timer();
      then();
    };
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}
