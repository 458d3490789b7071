import { isObject } from "../../../generated/support.ts";
import { parseLimited } from "../../scale/engine/parse-limited.ts";
import type { NatsLink, NatsMessage } from "./nats-link.ts";
import type { Operations } from "../../scale/engine/operations.ts";
import { createToken, type NatsNames } from "./nats-names.ts";
import type { ServerClock } from "./server-clock.ts";

/** Parts that all records of an engine use. */
export interface RecordsContext {
  readonly link: NatsLink;
  readonly operations: Operations;
  readonly names: NatsNames;
  readonly clock: ServerClock;
}

/** Value of a subject, and the sequence that the next change has to name. */
export interface NatsRecord {
  readonly text: string;
  readonly sequence: number;
  /** Milliseconds since the value was stored, by the clock of the server. */
  readonly age: number;
}

/** Returns true for a value whose time is up. */
type IsExpired = (record: NatsRecord | undefined, subject: string) => boolean;

/** Values by subject. A change names the sequence of the value that it replaces, so that no change is lost. A large value is stored in parts. */
export class NatsRecords {
  readonly #context: RecordsContext;
  readonly #stream: string;
  /** Sequence from which the next search for expired values reads. */
  #from = 1;

  constructor(context: RecordsContext, stream: string) {
    this.#context = context;
    this.#stream = stream;
  }

  /** Returns the last value of a subject. */
  async find(subject: string): Promise<NatsRecord | undefined> {
    const { link, operations } = this.#context;
    return this.toRecord(await operations.perform("read", () => link.findLast(this.#stream, subject)));
  }

  /** Returns a stored message with its whole value; `undefined` when a part is no longer kept. */
  async toRecord(message: NatsMessage | undefined): Promise<NatsRecord | undefined> {
    if (!message) return undefined;
    const text = await this.#join(message.text);
    if (text === undefined) return undefined;
    // The clock of the server is an estimate: a value that was just stored may seem to come from the future.
    return { text, sequence: message.sequence, age: Math.max(0, this.#context.clock.now() - message.time) };
  }

  /**
   * Stores a value. Returns its sequence; `"conflict"` when the last value has another sequence.
   *
   * @param last - sequence of the value that it replaces; 0 for the first. Absent: any.
   */
  async put(subject: string, text: string, last?: number): Promise<number | "conflict"> {
    const { link, operations } = this.#context;
    const stored = await this.#divide(text);
    return operations.perform("write", () => link.publish(subject, stored, last));
  }

  async remove(subject: string): Promise<void> {
    const { link, operations } = this.#context;
    await operations.perform("remove", () => link.purge(this.#stream, subject));
  }

  /** Removes the message with a sequence. */
  async removeOne(sequence: number): Promise<void> {
    const { link, operations } = this.#context;
    await operations.perform("remove", () => link.remove(this.#stream, sequence));
  }

  /**
   * Reads values in the order of their last changes, and removes those that have expired: JetStream keeps the values of some streams without end. The
   * next search continues there, and from the start after the last value.
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

  /** Returns the subjects that match. */
  list(filter: string): Promise<readonly string[]> {
    const { link, operations } = this.#context;
    return operations.perform("list", () => link.listSubjects(this.#stream, filter));
  }

  /** Returns the number of values. */
  async count(): Promise<number> {
    const { link, operations } = this.#context;
    return (await operations.perform("count", () => link.readState(this.#stream))).count;
  }

  /** Stores a value that exceeds a message in parts, and returns the reference to them. */
  async #divide(text: string): Promise<string> {
    const { link, operations, names } = this.#context;
    const bytes = Buffer.from(text);
    const size = link.maxPayload - overhead;
    if (bytes.length <= size && !text.startsWith(referenceStart)) return text;
    const id = createToken();
    const parts = Math.ceil(bytes.length / size);
    for (let index = 0; index < parts; index += 1) {
      const part = bytes.subarray(index * size, (index + 1) * size);
      await operations.perform("write", () => link.publish(names.part(id, index), part));
    }
    return `${referenceStart}${JSON.stringify({ id, parts })}`;
  }

  async #join(text: string): Promise<string | undefined> {
    if (!text.startsWith(referenceStart)) return text;
    const reference = parseLimited(text.slice(referenceStart.length), 200);
    if (!isObject(reference) || typeof reference.id !== "string" || typeof reference.parts !== "number")
      return undefined;
    const { link, operations, names } = this.#context;
    const { id, parts } = reference;
    const found: Uint8Array[] = [];
    for (let index = 0; index < Math.min(parts, maxParts); index += 1) {
      const part = await operations.perform("read", () =>
        link.findLast(names.streams.parts.name, names.part(id, index)),
      );
      if (!part) return undefined;
      found.push(part.bytes);
    }
    return Buffer.concat(found).toString("utf8");
  }
}

/** Start of a value that is stored in parts. No JSON text starts so. */
const referenceStart = "parts:";

/** Bytes of a message that are not its value. */
const overhead = 4_096;

/** Parts of one value. */
const maxParts = 256;
