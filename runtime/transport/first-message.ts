import { systemClock } from "../internal/timers.ts";

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

/**
 * Tells what the first bytes of a connection are: blanks, the start of a JSON message or a batch, or those of another protocol. A byte order
 * mark counts as the start of a message.
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
