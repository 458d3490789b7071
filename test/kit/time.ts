import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds for which something is waited for: a bound against hanging, just before a test times out. */
export const patience = 50_000;

/** Result of a promise that must settle within 50 s: a bound against hanging, just before a test times out. */
export async function inTime<Result>(work: Promise<Result>, subject: string): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${subject} takes longer than 50 s`)), patience);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until something holds; the bound is one against hanging. */
export async function until(holds: () => boolean, what = "it"): Promise<void> {
  for (let waited = 0; !holds(); waited += 5) {
    if (waited > patience) throw new Error(`${what} did not happen in time`);
    await delay(5);
  }
}

/** Waits until the event loop has finished this turn. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A promise, and how to settle it. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

/** Creates a promise that a test settles. */
export function createGate(): Gate {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** Keeps the event loop of this process from running for some milliseconds. */
export function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
