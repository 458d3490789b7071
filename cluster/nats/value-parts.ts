import { isObject } from "../../generated/support.ts";
import { setLimited } from "../../runtime/internal/set-limited.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import type { Operations } from "../engine/operations.ts";
import type { NatsLink, NatsMessage, NatsStream } from "./nats-link.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import { createToken, type NatsNames, type PartPlace } from "./nats-names.ts";
import type { ServerClock } from "./server-clock.ts";

/** Parts shared by all records of an engine. */
export interface RecordsContext {
  readonly link: NatsLink;
  readonly operations: Operations;
  readonly names: NatsNames;
  readonly clock: ServerClock;
}

/** Text stored for a value. */
export interface StoredText {
  readonly text: string;
  /** Parts stored for it. */
  readonly place?: PartPlace;
}

/**
 * Parts of a stream's values too large for a message. The value itself is a reference to its parts, which are removed with it. Parts left behind by a
 * node are removed by their age, or by a search where they have none.
 */
export class ValueParts {
  readonly #context: RecordsContext;
  readonly #values: NatsStream;
  /** Parts of values by their sequences. */
  readonly #known = new Map<number, PartPlace>();
  /** Sequence from which the next search for parts without a value reads. */
  #from = 1;
  /** Search in progress. */
  #search: Promise<void> | undefined;

  constructor(context: RecordsContext, values: NatsStream) {
    this.#context = context;
    this.#values = values;
  }

  /** Stores a value in parts if it exceeds a message, and returns the text that refers to them. Returns the text of a smaller value. */
  async divide(subject: string, text: string): Promise<StoredText> {
    const { link, operations, names } = this.#context;
    const bytes = Buffer.from(text);
    const size = link.maxPayload - overhead;
    if (bytes.length <= size && !text.startsWith(referenceStart)) return { text };
    const place = { values: this.#values, subject, id: createToken() };
    const count = Math.ceil(bytes.length / size);
    if (count > maxParts)
      throw new EngineError(`A value has ${bytes.length} bytes; store values of at most ${maxParts * size} bytes`);
    for (let index = 0; index < count; index += 1) {
      const part = bytes.subarray(index * size, (index + 1) * size);
      await operations.perform("write", () => link.publish(names.part(place, index), part));
    }
    if (this.#values.maxAge === 0) this.#startSearch(count + extraReads);
    return { text: `${referenceStart}${JSON.stringify({ id: place.id, count })}`, place };
  }

  /** Returns the value of a message; `undefined` when a part is no longer kept. */
  async join({ subject, sequence, text }: NatsMessage): Promise<string | undefined> {
    const reference = readReference(text);
    if (!reference) return text.startsWith(referenceStart) ? undefined : text;
    const { id, count, isEarlier } = reference;
    const { names } = this.#context;
    const place = { values: this.#values, subject, id };
    if (!isEarlier) this.remember(sequence, place);
    const found: Uint8Array[] = [];
    for (let index = 0; index < Math.min(count, maxParts); index += 1) {
      const part = await this.#find(isEarlier ? names.earlierPart(id, index) : names.part(place, index), isEarlier);
      if (!part) return undefined;
      found.push(part.bytes);
    }
    return Buffer.concat(found).toString("utf8");
  }

  /** Remembers the parts of the value with a sequence, to remove them with it. */
  remember(sequence: number, place: PartPlace): void {
    setLimited(this.#known, [sequence, place], mostKnown);
  }

  /** Removes the parts of the value with a sequence, if this node has read or stored it. */
  async removeOf(sequence: number | undefined): Promise<void> {
    const place = sequence === undefined ? undefined : this.#known.get(sequence);
    if (sequence === undefined || !place) return;
    this.#known.delete(sequence);
    await this.#remove(place).catch(ignore);
  }

  /** Removes the parts of a value, unless it was stored although the response said otherwise. */
  async removeUnused(place: PartPlace | undefined): Promise<void> {
    if (place) await this.#check(place).catch(ignore);
  }

  /** Removes the parts of all values with a subject; wildcards are permitted. */
  async removeAll(subject: string): Promise<void> {
    await this.#purge(subject).catch(ignore);
  }

  /** Starts a search for parts left behind by a node that ended between two writes. */
  #startSearch(reads: number): void {
    this.#search ??= this.#searchUnused(reads)
      .catch(ignore)
      .finally(() => (this.#search = undefined));
  }

  async #searchUnused(reads: number): Promise<void> {
    const { link, operations, names, clock } = this.#context;
    const [kind = ""] = this.#values.subjects.slice(names.start.length + 1).split(".");
    const filter = names.parts(this.#values, `${names.start}.${kind}`);
    for (let count = 0; count < reads; count += 1) {
      const from = this.#from;
      const part = await operations.perform("read", () => link.findNext(this.#stream, filter, from));
      this.#from = part ? part.sequence + 1 : 1;
      if (!part) return;
      const isYoung = clock.now() - part.time < unusedTtl;
      if (!isYoung) await this.#check(names.valueOfPart(this.#values, part.subject));
    }
  }

  /** Removes parts, unless the last value of their subject refers to them. */
  async #check(place: PartPlace): Promise<void> {
    const { link, operations } = this.#context;
    const value = await operations.perform("read", () => link.findLast(place.values.name, place.subject));
    if (!value || readReference(value.text)?.id !== place.id) await this.#remove(place);
  }

  #remove({ subject, id }: PartPlace): Promise<void> {
    return this.#purge(`${subject}.${id}`);
  }

  #find(subject: string, isEarlier: boolean): Promise<NatsMessage | undefined> {
    const { link, operations, names } = this.#context;
    const stream = isEarlier ? names.streams.parts.name : this.#stream;
    return operations.perform("read", () => link.findLast(stream, subject));
  }

  #purge(subject: string): Promise<void> {
    const { link, operations, names } = this.#context;
    return operations.perform("remove", () => link.purge(this.#stream, names.parts(this.#values, subject)));
  }

  /** Name of the stream of the parts. */
  get #stream(): string {
    const { parts, lastingParts } = this.#context.names.streams;
    return this.#values.maxAge === 0 ? lastingParts.name : parts.name;
  }
}

interface Reference {
  readonly id: string;
  readonly count: number;
  /** True for parts whose subjects do not name their value, as version 0.1 stored them. */
  readonly isEarlier: boolean;
}

function readReference(text: string): Reference | undefined {
  if (!text.startsWith(referenceStart)) return undefined;
  const value = parseLimited(text.slice(referenceStart.length), 200);
  if (!isObject(value) || typeof value.id !== "string") return undefined;
  const { id, count, parts } = value;
  if (typeof count === "number") return { id, count, isEarlier: false };
  return typeof parts === "number" ? { id, count: parts, isEarlier: true } : undefined;
}

/** Start of the text for a value stored in parts. No JSON text starts so. */
const referenceStart = "parts:";

/** Bytes of a message in addition to its value. */
const overhead = 4_096;

/** Parts of one value. */
const maxParts = 256;

/** Values whose parts are remembered. */
const mostKnown = 1_000;

/** Number of parts that one search reads in addition to the number of parts stored. */
const extraReads = 2;

/** Milliseconds after which parts without a value are removed. Until then, their value may be about to be stored. */
const unusedTtl = 600_000;

function ignore(): void {
  // Parts that cannot be removed now are removed by a later search, or by their age.
}
