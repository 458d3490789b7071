import { systemClock } from "../rpc/timers.ts";

/** Milliseconds that a client has for its first message. */
export const defaultPatience = 30_000;

/** Waits for the first message of a connection: those that never say anything must not take the places of others for ever. */
export class FirstMessage {
  readonly #cancel: () => void;
  #isAwaited = true;

  /** @param giveUp - called with the reason when there is none in time; with `Infinity` never */
  constructor(milliseconds: number, giveUp: (reason: Error) => void) {
    const reason = `No message came within ${milliseconds} ms. Send the first one sooner`;
    this.#cancel =
      milliseconds === Infinity ? ignore : systemClock.after(milliseconds, () => giveUp(new Error(reason)));
  }

  /** There is a message, or nothing more to wait for. */
  settle(): void {
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    this.#cancel();
  }
}

function ignore(): void {}
