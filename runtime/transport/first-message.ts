import { systemClock, type Clock } from "../internal/timers.ts";

/** Default time for the first message of a client, in milliseconds. */
export const defaultFirstMessageTimeout = 30_000;

/** Timeout for the first message of a connection: silent connections must not occupy the capacity of others indefinitely. */
export class FirstMessage {
  readonly #cancel: () => void;
  #isAwaited = true;

  /** @param giveUp - called with the reason when no message arrives in time; never called with `Infinity` */
  constructor(milliseconds: number, giveUp: (reason: Error) => void, clock: Clock = systemClock) {
    const reason = `No message was received within ${milliseconds} ms`;
    this.#cancel = milliseconds === Infinity ? ignore : clock.after(milliseconds, () => giveUp(new Error(reason)));
  }

  /** Stops the timer: the message has arrived, or the connection has ended. */
  settle(): void {
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    this.#cancel();
  }
}

function ignore(): void {}

/**
 * Classifies the first bytes of a connection: only blanks, the start of a JSON message or batch, or another protocol. A byte order mark counts as the
 * start of a message.
 */
export function readStart(bytes: Uint8Array): "blank" | "message" | "other" {
  const first = bytes.find((byte) => !blanks.has(byte));
  if (first === undefined) return "blank";
  return starts.has(first) ? "message" : "other";
}

/** Tab, line feed, carriage return and space. */
const blanks: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);

/** `{`, `[`, and the first byte of a byte order mark. */
const starts: ReadonlySet<number> = new Set([0x7b, 0x5b, 0xef]);
