import type { NatsLink, NatsMessage, NatsStream } from "./nats-link.ts";
import { ValueParts, type RecordsContext } from "./value-parts.ts";

/** Value of a subject, and the sequence to name in the next change. */
export interface NatsRecord {
  readonly text: string;
  readonly sequence: number;
  /** Milliseconds since the value was stored, by the clock of the server. */
  readonly age: number;
}

/** Returns true for a value whose time is up. */
type IsExpired = (record: NatsRecord | undefined, subject: string) => boolean;

/** Values by subject. A change names the sequence of the value it replaces, so that no change is lost. A large value is stored in parts. */
export class NatsRecords {
  readonly #context: RecordsContext;
  readonly #stream: string;
  readonly #parts: ValueParts;
  /** True if a value replaces the one before. */
  readonly #isReplacing: boolean;
  /** Sequence from which the next search for expired values reads. */
  #from = 1;

  constructor(context: RecordsContext, stream: NatsStream) {
    this.#context = context;
    this.#stream = stream.name;
    this.#isReplacing = stream.maxPerSubject === 1;
    this.#parts = new ValueParts(context, stream);
  }

  /** Returns the last value of a subject. */
  find(subject: string): Promise<NatsRecord | undefined> {
    return this.#read((link) => link.findLast(this.#stream, subject));
  }

  /** Returns the first value of a subject from a sequence on. */
  findNext(subject: string, sequence: number): Promise<NatsRecord | undefined> {
    return this.#read((link) => link.findNext(this.#stream, subject, sequence));
  }

  /** Reads a value, and once more if another has replaced it before its parts were read. */
  async #read(find: (link: NatsLink) => Promise<NatsMessage | undefined>): Promise<NatsRecord | undefined> {
    const { link, operations } = this.#context;
    let incomplete: number | undefined;
    for (;;) {
      const message = await operations.perform("read", () => find(link));
      if (!message || message.sequence === incomplete) return undefined;
      const record = await this.toRecord(message);
      if (record) return record;
      incomplete = message.sequence;
    }
  }

  /** Returns a stored message with its whole value; `undefined` when a part is no longer kept. */
  async toRecord(message: NatsMessage | undefined): Promise<NatsRecord | undefined> {
    if (!message) return undefined;
    const text = await this.#parts.join(message);
    if (text === undefined) return undefined;
    // The clock of the server is an estimate: a value that was just stored may seem to come from the future.
    return { text, sequence: message.sequence, age: Math.max(0, this.#context.clock.now() - message.time) };
  }

  /**
   * Stores a value. Returns its sequence; `"conflict"` when the last value has another sequence.
   *
   * @param last - sequence of the replaced value; 0 for the first. Absent: any.
   */
  async put(subject: string, text: string, last?: number): Promise<number | "conflict"> {
    const { link, operations } = this.#context;
    const { text: stored, place } = await this.#parts.divide(subject, text);
    const sequence = await operations.perform("write", () => link.publish(subject, stored, last));
    if (place && sequence !== "conflict") this.#parts.remember(sequence, place);
    if (this.#isReplacing && sequence === "conflict") await this.#parts.removeUnused(place);
    if (this.#isReplacing && sequence !== "conflict") await this.#parts.removeOf(last);
    return sequence;
  }

  /** Removes values by their subject; wildcards are permitted. */
  async remove(subject: string): Promise<void> {
    const { link, operations } = this.#context;
    await operations.perform("remove", () => link.purge(this.#stream, subject));
    await this.#parts.removeAll(subject);
  }

  /** Removes the message with a sequence. */
  async removeOne(sequence: number): Promise<void> {
    const { link, operations } = this.#context;
    await operations.perform("remove", () => link.remove(this.#stream, sequence));
    await this.#parts.removeOf(sequence);
  }

  /**
   * Reads values in the order of their last changes, and removes expired ones: JetStream keeps the values of some streams without end. The next
   * search continues there, and from the start after the last value.
   *
   * @param count - values to read at most
   * @param isExpired - called with `undefined` for a value of which a part is no longer kept
   */
  async removeExpired(filter: string, count: number, isExpired: IsExpired): Promise<void> {
    const { link, operations } = this.#context;
    let isAgain = false;
    for (let reads = 0; reads < count; reads += 1) {
      const from = this.#from;
      const message = await operations.perform("read", () => link.findNext(this.#stream, filter, from));
      this.#from = message ? message.sequence + 1 : 1;
      if (!message && (isAgain || from === 1)) return;
      isAgain ||= !message;
      if (message && isExpired(await this.toRecord(message), message.subject)) await this.removeOne(message.sequence);
    }
  }

  /** Returns the matching subjects. */
  list(filter: string): Promise<readonly string[]> {
    const { link, operations } = this.#context;
    return operations.perform("list", () => link.listSubjects(this.#stream, filter));
  }

  /** Returns the number of values. */
  async count(): Promise<number> {
    const { link, operations } = this.#context;
    return (await operations.perform("count", () => link.readState(this.#stream))).count;
  }
}
