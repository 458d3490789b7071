import { createToken } from "./nats-names.ts";

/** Divides a text beyond the size of a message. The parts begin with an id, their number and their count. */
export function divideMessage(text: string, maxBytes: number): readonly string[] {
  // A character takes three bytes at most.
  const size = Math.floor((maxBytes - 200) / 3);
  if (text.length <= size) return [`1 1 ${text}`];
  const id = createToken();
  const count = Math.ceil(text.length / size);
  return Array.from(
    { length: count },
    (_, index) => `${index + 1} ${count} ${id} ${text.slice(index * size, (index + 1) * size)}`,
  );
}

/** Joins the parts of messages. The parts of a message arrive in order. */
export class MessageParts {
  readonly #receive: (text: string) => void;
  readonly #incomplete = new Map<string, string>();
  #size = 0;

  constructor(receive: (text: string) => void) {
    this.#receive = receive;
  }

  add(message: string): void {
    const [head = "", number = "", count = ""] = /^(\d{1,4}) (\d{1,4}) /.exec(message) ?? [];
    const rest = message.slice(head.length);
    if (count === "1") return this.#receive(rest);
    const end = rest.indexOf(" ");
    const id = rest.slice(0, end);
    const before = number === "1" ? "" : this.#incomplete.get(id);
    // A part of a message whose beginning is unknown, or was dropped.
    if (before === undefined || end < 0) return;
    const text = before + rest.slice(end + 1);
    this.#drop(id);
    if (number === count) return this.#receive(text);
    this.#incomplete.set(id, text);
    this.#size += text.length;
    for (const oldest of this.#incomplete.keys()) {
      if (this.#size <= maxSize) return;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    this.#size -= this.#incomplete.get(id)?.length ?? 0;
    this.#incomplete.delete(id);
  }
}

/** Characters of all incomplete messages. */
const maxSize = 64 * 1024 * 1024;
