import { attempt } from "../../runtime/internal/maybe-async.ts";
import { pause, systemClock, type Clock } from "../../runtime/internal/timers.ts";
import type { SharedValueStore } from "../../runtime/stores/shared-value-store.ts";

/** Store with locks, and the time until a lock ends when its node has stopped. */
export interface Locking {
  readonly values: SharedValueStore;
  readonly lease: number;
  readonly clock: Clock | undefined;
  fail(thrown: unknown): void;
}

/** Runs a task while no other node runs one for this key. */
export async function runLocked<Result>(key: string, task: () => Promise<Result>, locking: Locking): Promise<Result> {
  const { values, lease: milliseconds, clock, fail } = locking;
  const holder = crypto.randomUUID();
  let wait = 20;
  while (!(await values.lock(key, { holder, milliseconds }))) {
    await pause(wait, clock);
    wait = Math.min(2 * wait, 250);
  }
  const stop = keepLock(key, holder, locking);
  try {
    return await task();
  } finally {
    await stop();
    await attempt(() => values.unlock(key, holder), fail);
  }
}

/**
 * Extends the exclusive use of a key. Returns a function to end the extensions. It waits for one in progress, which could otherwise come after the
 * end of the use.
 */
function keepLock(
  key: string,
  holder: string,
  { values, lease: milliseconds, clock = systemClock, fail }: Locking,
): () => Promise<void> {
  let isOver = false;
  let cancel = (): void => {};
  let extended = Promise.resolve();
  const schedule = (): void => {
    if (!isOver) cancel = clock.after(milliseconds / 3, () => void (extended = extend()));
  };
  const extend = async (): Promise<void> => {
    try {
      const isHeld = await values.lock(key, { holder, milliseconds });
      if (!isHeld) fail(new Error("The exclusive use of a value has expired; another node may use it"));
    } catch (thrown) {
      fail(thrown);
    }
    schedule();
  };
  schedule();
  return () => {
    isOver = true;
    cancel();
    return extended;
  };
}
