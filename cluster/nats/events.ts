import { repeat, type Cancel } from "../../runtime/internal/timers.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { StreamPosition } from "../../runtime/stores/event-store.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type {
  AdoptedStream,
  AppendOutcome,
  SharedEventStore,
  StreamAdoption,
  StreamAppend,
  StreamPart,
  StreamSeal,
} from "../stores/shared-event-store.ts";
import { NatsRecords, type NatsRecord } from "./records.ts";
import { setLimited } from "../../runtime/internal/set-limited.ts";
import { mostAttempts, type NatsContext } from "./nats-context.ts";
import {
  addEvents,
  createState,
  endStream,
  parseBatch,
  replaceOwner,
  wasStored,
  type StreamBatch,
  type StreamState,
} from "./stream-state.ts";

/**
 * Streams of sessions on NATS. Each stream has a subject of its own, whose messages are batches of events. A message names the sequence of the one
 * before, so two nodes never add to the same state.
 */
export class NatsEvents implements SharedEventStore {
  readonly #context: NatsContext;
  readonly #records: NatsRecords;
  /** Last message of streams written by this node, by subject: most appends need no other request. */
  readonly #known = new Map<string, KnownStream>();
  /** Message after the last one read, by subject and sequence: a follower does not read the whole stream each time. */
  readonly #cursors = new Map<string, number>();
  /** Ended streams and the time of their removal. JetStream removes messages by their age only. */
  readonly #ended = new Map<string, number>();
  #timer: Cancel | undefined;

  constructor(context: NatsContext) {
    this.#context = context;
    this.#records = new NatsRecords(context, context.names.streams.events);
  }

  open(): void {
    const interval = Math.max(1_000, this.#context.limits.endedStreamTtl / 4);
    this.#timer?.();
    this.#timer = repeat(interval, () => this.#removeEnded());
  }

  close(): void {
    this.#timer?.();
    this.#known.clear();
    this.#cursors.clear();
  }

  async append(session: SessionKey, append: StreamAppend): Promise<AppendOutcome> {
    const subject = await this.#subject(session, append.stream);
    let known = this.#known.get(subject) ?? (await this.#load(subject));
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const state = known?.state ?? (await this.#create(session, append));
      const outcome = typeof state === "string" ? state : judge(state, append);
      const isKnownOutcome = outcome !== "add";
      // Another node may have replaced the owner since this node has read the stream.
      if (isKnownOutcome && known?.isFresh !== false) return outcome;
      if (!isKnownOutcome && typeof state !== "string") {
        const batch = addEvents(state, append.data.slice(state.next - append.first), append.settled ?? []);
        if (await this.#write(subject, batch, known?.sequence ?? 0)) return "stored";
      }
      known = await this.#load(subject);
    }
    throw contended();
  }

  async read(session: SessionKey, { stream, sequence }: StreamPosition): Promise<StreamPart | undefined> {
    if (!Number.isSafeInteger(sequence) || sequence < -1) return undefined;
    const subject = await this.#subject(session, stream);
    const known = await this.#load(subject);
    if (!known) return undefined;
    const { next, owner, fence, open, isResponse, isEnded, oldest } = known.state;
    if (sequence >= next && !isEnded) return undefined;
    const first = Math.min(sequence + 1, next);
    if (first < oldest) return undefined;
    const events = await this.#collect(subject, first, next);
    return events && { events, next, owner, fence, open, isResponse, isEnded };
  }

  async seal(session: SessionKey, { stream, fence, node, data }: StreamSeal): Promise<boolean> {
    const subject = await this.#subject(session, stream);
    const known = await this.#load(subject);
    if (!known || known.state.fence !== fence || known.state.isEnded) return false;
    const batch = endStream(replaceOwner(known.state, node), data);
    return this.#write(subject, batch, known.sequence);
  }

  async adopt(session: SessionKey, { stream, fence, node }: StreamAdoption): Promise<AdoptedStream | undefined> {
    const subject = await this.#subject(session, stream);
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const known = await this.#load(subject);
      if (!known || known.state.fence !== fence || known.state.isEnded) return undefined;
      const batch = { ...replaceOwner(known.state, node), data: [] };
      if (await this.#write(subject, batch, known.sequence)) return { fence: fence + 1, next: batch.next };
    }
    throw contended();
  }

  async remove(session: SessionKey): Promise<void> {
    const { names, ring, link } = this.#context;
    // The session may have ended before, so that its place is unknown: streams are removed with each key.
    for (const tag of ring.tags("session", session.id, session.owner)) {
      const filter = names.allEvents(tag);
      const subjects = await this.#records.list(filter);
      await this.#records.remove(filter);
      for (const subject of subjects) {
        this.#forget(subject);
        link.notify(names.watchOf(subject), "");
      }
    }
  }

  /** Returns the state of a stream without events, unless the session has too many streams. */
  async #create(session: SessionKey, append: StreamAppend): Promise<StreamState | "fenced" | "full"> {
    if (append.first !== 0 || append.fence !== 0) return "fenced";
    const { names, places, limits } = this.#context;
    const subjects = await this.#records.list(names.allEvents(await places.sessionTag(session)));
    if (subjects.length < limits.maxOpenStreams) return createState(append);
    const known = await Promise.all(subjects.map((subject) => this.#load(subject)));
    const open = known.filter((stream) => stream && !stream.state.isEnded).length;
    return open < limits.maxOpenStreams ? createState(append) : "full";
  }

  /**
   * Stores a batch after the message with the sequence `last`. Returns `false` when there is a later one. A batch without events replaces the message
   * `last` and repeats its events: NATS keeps a limited number of messages of a stream, and each of them has to contain an event.
   */
  async #write(subject: string, batch: StreamBatch, last: number): Promise<boolean> {
    const { names, ring, link, clock, limits } = this.#context;
    const limited = await this.#limit(subject, batch);
    const isReplacing = limited.data.length === 0 && last > 0;
    this.#known.delete(subject);
    const data = isReplacing ? await this.#readLast(subject, last) : limited.data;
    if (!data) return false;
    const text = ring.seal(subject, JSON.stringify({ ...limited, data }));
    const sequence = await this.#records.put(subject, text, last);
    if (sequence === "conflict") return false;
    // The append is stored. A message that cannot be removed now only takes the place of an event.
    if (isReplacing) await this.#records.removeOne(last).catch(() => {});
    const { data: _data, ...state } = limited;
    setLimited(this.#known, [subject, { state, sequence, isFresh: false }], mostKnown);
    if (state.isEnded) this.#ended.set(subject, clock.now() + limits.endedStreamTtl);
    link.notify(names.watchOf(subject), "");
    return true;
  }

  /** Returns the events of the last message, if it has this sequence. */
  async #readLast(subject: string, sequence: number): Promise<readonly string[] | undefined> {
    const found = await this.#records.find(subject);
    return found?.sequence === sequence ? this.#open(subject, found)?.data : undefined;
  }

  /** Moves the oldest kept event forward until the stream is within its limits. The last event is always kept. */
  async #limit(subject: string, batch: StreamBatch): Promise<StreamBatch> {
    const { maxEvents, maxStreamSize } = this.#context.limits;
    const oldest = Math.max(batch.oldest, batch.next - maxEvents);
    if (oldest === batch.oldest && batch.size <= maxStreamSize) return batch;
    const earlier = await this.#readTexts(subject, batch.oldest, batch.next - batch.data.length);
    const texts = [...(earlier ?? []), ...batch.data];
    let first = batch.next - texts.length;
    let size = texts.reduce((sum, text) => sum + text.length, 0);
    for (const text of texts) {
      if (first >= batch.next - 1 || (first >= oldest && size <= maxStreamSize)) break;
      size -= text.length;
      first += 1;
    }
    return { ...batch, oldest: first, size };
  }

  /** Returns the last message of a stream, unless its life has ended. */
  async #load(subject: string): Promise<KnownStream | undefined> {
    const found = await this.#records.find(subject);
    const batch = found && this.#open(subject, found);
    if (!found || !batch) return undefined;
    const { streamTtl, endedStreamTtl } = this.#context.limits;
    if (found.age > (batch.isEnded ? endedStreamTtl : streamTtl)) {
      await this.#records.remove(subject);
      this.#forget(subject);
      return undefined;
    }
    const { data: _data, ...state } = batch;
    return { state, sequence: found.sequence, isFresh: true };
  }

  #open(subject: string, { text }: NatsRecord): StreamBatch | undefined {
    const { ring, health } = this.#context;
    const batch = parseBatch(ring.open(subject, text));
    if (!batch) health.countInvalid();
    return batch;
  }

  /** Returns events from a sequence on, as many as one part may have; `undefined` when one is no longer kept. */
  async #collect(subject: string, first: number, next: number): Promise<StreamPart["events"] | undefined> {
    const events: { readonly sequence: number; readonly data: string }[] = [];
    let size = 0;
    for await (const data of this.#iterate(subject, first, next)) {
      if (data === undefined) return undefined;
      size += data.length;
      if (events.length >= maxPartEvents || (events.length > 0 && size > maxPartSize)) break;
      events.push({ sequence: first + events.length, data });
    }
    return events;
  }

  async #readTexts(subject: string, first: number, next: number): Promise<readonly string[] | undefined> {
    const texts: string[] = [];
    for await (const data of this.#iterate(subject, first, next)) {
      if (data === undefined) return undefined;
      texts.push(data);
    }
    return texts;
  }

  /** Yields the events from a sequence on, before `next`; `undefined`, as the last, for one no longer kept. */
  async *#iterate(subject: string, first: number, next: number): AsyncGenerator<string | undefined> {
    let at = first;
    let from = this.#cursors.get(`${subject} ${first}`) ?? 1;
    while (at < next) {
      const record = await this.#records.findNext(subject, from);
      const batch = record && this.#open(subject, record);
      if (!record || !batch) return yield undefined;
      from = record.sequence + 1;
      const begin = batch.next - batch.data.length;
      if (begin > at) return yield undefined;
      for (const data of batch.data.slice(at - begin)) {
        if (at >= next) return;
        yield data;
        at += 1;
      }
      if (at === batch.next) setLimited(this.#cursors, [`${subject} ${at}`, from], mostKnown);
    }
  }

  async #subject(session: SessionKey, stream: string): Promise<string> {
    const { names, places } = this.#context;
    return names.events(await places.sessionTag(session), stream);
  }

  #forget(subject: string): void {
    this.#known.delete(subject);
    this.#ended.delete(subject);
  }

  #removeEnded(): void {
    const now = this.#context.clock.now();
    for (const [subject, until] of this.#ended) {
      if (until > now) continue;
      this.#forget(subject);
      // A stream that cannot be removed now is removed by its age.
      this.#records.remove(subject).catch(() => {});
    }
  }
}

interface KnownStream {
  readonly state: StreamState;
  readonly sequence: number;
  /** True if it was read for this operation. */
  readonly isFresh: boolean;
}

/** Returns the outcome of an append, if it is certain without a write; `"add"` for events to be added to the stream. */
function judge(state: StreamState, append: StreamAppend): "stored" | "fenced" | "gap" | "add" {
  const { owner, fence, first, data } = append;
  if (fence !== state.fence || owner !== state.owner) return wasStored(state, append) ? "stored" : "fenced";
  if (state.isEnded) return first + data.length <= state.next ? "stored" : "fenced";
  return first > state.next ? "gap" : "add";
}

const mostKnown = 10_000;

/** Maximum number of events in one part. */
const maxPartEvents = 256;

/** Maximum number of characters in one part, unless its first event is larger. */
const maxPartSize = 1024 * 1024;

function contended(): EngineError {
  return new EngineError("The stream is changed by others all the time; try again later");
}
