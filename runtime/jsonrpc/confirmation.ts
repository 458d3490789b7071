import type { Clock } from "../internal/timers.ts";

/** Waits for the peer to confirm the handshake. */
export interface Confirmation {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** Creates a confirmation. It also resolves after `patience` milliseconds without one. */
export function createConfirmation(clock: Clock, patience: number): Confirmation {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  const cancel = clock.after(patience, resolve);
  return {
    promise,
    resolve() {
      cancel();
      resolve();
    },
  };
}
