import { setTimeout as delay } from "node:timers/promises";
import { isObject } from "../../../../generated/support.ts";
import type { SubjectWire } from "../../../fuzz/conversation.ts";
import { parseSent } from "../../../fuzz/parse-json.ts";

/** Milliseconds after which a tested peer that responds to nothing hangs. */
const patience = 60_000;

/** Raw end of a connection to a tested peer. A message that every peer rejects marks the places up to which it has read everything. */
export class RawPeer implements SubjectWire {
  readonly sent: unknown[] = [];
  readonly problems: string[] = [];
  readonly #write: (bytes: Uint8Array) => void;
  readonly #marks = new Map<unknown, () => void>();
  #isEnded = false;
  #marked = 0;
  #rest = "";

  /** @param write - writes bytes, which may begin and end in the middle of a line */
  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  write(bytes: Uint8Array): void {
    this.#write(bytes);
  }

  post(message: unknown): void {
    this.#write(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  /** Reads a part of a stream of lines. */
  readChunk(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.readLine(line);
  }

  /** Reads a message of the tested peer. */
  readLine(line: string): void {
    const message = parseSent(line);
    const pass = isObject(message) && message.method === undefined ? this.#marks.get(message.id) : undefined;
    if (pass) pass();
    else this.sent.push(message);
  }

  /** Notes that the connection has ended, so that nothing is awaited any more. */
  end(): void {
    this.#isEnded = true;
    for (const pass of this.#marks.values()) pass();
  }

  /** Waits until the tested peer has read everything. */
  async settle(): Promise<void> {
    if (this.#isEnded) return this.#complain("the connection ended in the middle");
    const id = `mark ${(this.#marked += 1)}`;
    const passed = new Promise<void>((resolve) => this.#marks.set(id, resolve));
    // Every peer rejects it, also a client that ignores requests.
    this.post({ jsonrpc: "2.0", id, method: 7 });
    const controller = new AbortController();
    const late = delay(patience, "late", controller).catch(() => undefined);
    if ((await Promise.race([passed, late])) === "late") this.#complain(`hang: no response within ${patience} ms`);
    controller.abort();
    this.#marks.delete(id);
  }

  #complain(problem: string): void {
    if (this.problems.includes(problem)) return;
    this.problems.push(problem);
    // Ends the waiting for a first message.
    this.sent.push(problem);
  }
}
