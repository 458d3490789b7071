import type { Clock } from "../internal/timers.ts";

/** Waits for the peer to confirm the handshake. */
export interface Confirmation {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** A confirmation that is taken for granted when it does not come in time. */
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
