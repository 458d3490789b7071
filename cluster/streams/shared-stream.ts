import { encodeEvent } from "../../runtime/framing/sse-events.ts";
import { pause, type Clock } from "../../runtime/internal/timers.ts";
import { errorCodes, serverShutdown, UnreachableError } from "../../runtime/jsonrpc/errors.ts";
import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { AdoptedStream, SharedEventStore, StreamPart } from "../stores/shared-event-store.ts";
import type { EventWriter } from "../../runtime/transport/http-server/exchange/exchange.ts";
import { BacklogError } from "../../runtime/stores/engine-error.ts";
import type { SessionStream, StreamHost } from "../../runtime/transport/http-server/session/event-stream.ts";
import type { UnstoredEvents } from "../engine/unstored-events.ts";
import { spreadRetry } from "./spread-retry.ts";

/** Options of a stream written by this node. */
export interface SharedStreamOptions {
  readonly session: SessionKey;
  readonly name: string;
  readonly host: StreamHost;
  readonly events: SharedEventStore;
  /** Name of this node. */
  readonly owner: string;
  readonly clock: Clock;
  /** Unstored events of all streams of this node. */
  readonly unstored: UnstoredEvents;
  /** Requests with responses on the stream; none for a stream opened by GET. */
  readonly requests: readonly RequestId[];
  /** Stream as this node has adopted it. Default: the stream is new. */
  readonly adopted?: AdoptedStream;
}

/**
 * Stream written by this node. An event is stored before it is written to the client, so every event id the client has seen is in the store. The
 * events of one turn of the event loop are stored together.
 */
export class SharedStream implements SessionStream {
  readonly key: string;
  readonly #options: SharedStreamOptions;
  readonly #open: Set<RequestId>;
  /** Unstored events. */
  readonly #queue: Unstored[] = [];
  #queuedSize = 0;
  /** Requests without further events, whose last event is not in the queue. */
  #settled: RequestId[] = [];
  /** Events being stored. While their outcome is unknown they are repeated as they are: the store may have them. */
  #batch: Batch | undefined;
  /** Sequence of the next event to store. */
  #stored: number;
  #storing: Promise<void> | undefined;
  #writer: EventWriter | undefined;
  /** Number of events after which the connection is closed: finite once its end is requested. */
  #lastOnConnection = Infinity;
  /** True while a new connection receives missed events. */
  #isCatchingUp = false;
  /** Sequence of the next event of the connection. The store may return events before this node knows them to be stored. */
  #unwritten = 0;
  /** True if there are no more messages. */
  #isEnding = false;
  /** True if this node closes, and no longer waits for the store. */
  #isFlushing = false;
  #isFenced = false;
  /** True if the session has too many streams in the store for another one. */
  #isUnstored = false;

  constructor(options: SharedStreamOptions) {
    this.key = options.name;
    this.#options = options;
    this.#open = new Set(options.requests);
    this.#stored = options.adopted?.next ?? 0;
  }

  get isConnected(): boolean {
    return this.#writer !== undefined;
  }

  get waiting(): number {
    return this.#writer?.waiting ?? 0;
  }

  get isResumable(): boolean {
    return !this.#isFenced && !this.#isUnstored && this.#stored + this.#queue.length > 0;
  }

  get isListener(): boolean {
    return this.#options.requests.length === 0;
  }

  connect(writer: EventWriter): void {
    this.#writer?.end();
    this.#writer = writer;
    this.#lastOnConnection = Infinity;
    writer.onClose(() => this.#disconnect(writer));
  }

  prime(): void {
    void this.send("");
  }

  /**
   * Resolves when the event is stored. While the store cannot be reached, the event waits. Rejects when another node writes the stream, or when too many
   * events wait. A response always waits; one for which there is no room is replaced by an error.
   */
  send(data: string, { respondsTo }: { readonly respondsTo?: RequestId | undefined } = {}): Promise<void> {
    if (this.#isUnstored) return this.#sendUnstored(data);
    const isResponse = respondsTo !== undefined;
    const text = isResponse && !this.#canWait(data, isResponse) ? toNotStored(respondsTo) : data;
    const sent = new Promise<void>((resolve, reject) => {
      if (this.#isFenced) reject(new UnreachableError("Another node writes the stream"));
      else if (!isResponse && !this.#canWait(text, isResponse)) reject(new BacklogError(tooMany));
      else this.#enqueue({ data: text, settled: [], resolve, reject });
    });
    // Most messages are not awaited.
    sent.catch(() => {});
    return sent;
  }

  settle(id: RequestId): void {
    if (!this.#open.delete(id)) return;
    const last = this.#queue.at(-1);
    const isBeingStored = last !== undefined && this.#batch?.events.includes(last);
    // A response and the mark of its request are stored in one step.
    if (last && !isBeingStored) last.settled.push(id);
    else this.#settled.push(id);
    this.#schedule();
  }

  touch(comment: string): void {
    this.#writer?.write(comment);
  }

  /** Closes the connection after the events so far: the client needs the last event id to resume. Without ids, it stays open for the responses. */
  release(): void {
    if (this.#isUnstored && !this.isListener) return;
    if (this.#isFenced || this.#queue.length === 0) return this.#close();
    this.#lastOnConnection = this.#stored + this.#queue.length;
  }

  /** Ends the stream. Open requests get an error as their response. */
  end(): void {
    if (this.#isEnding || this.#isFenced) return;
    this.#isEnding = true;
    if (this.isResumable || this.#isUnstored) for (const id of this.#open) this.#fail(id);
    this.#schedule();
  }

  /** Ends a stream opened by GET in the store as well. It ends after its lifetime if the store cannot be reached. */
  async endStored(): Promise<void> {
    this.end();
    await this.#storing;
    if (this.#isFenced || this.#stored === 0) return;
    const { session, events, owner: node, adopted } = this.#options;
    await events.seal(session, { stream: this.key, fence: adopted?.fence ?? 0, node, data: [] });
  }

  /** Ends the stream without its last events, because its session has ended: the store has removed the stream, and would begin it again. */
  discard(): void {
    this.#isFenced = true;
    this.#close();
    this.#batch = undefined;
    for (const { reject } of this.#dequeue(this.#queue.length)) reject(new UnreachableError("The session has ended"));
  }

  /** Waits until everything is stored, or until the next attempt has failed: other nodes then seal the stream, because this one closes. */
  async flushed(): Promise<void> {
    this.#isFlushing = true;
    await this.#storing;
  }

  /**
   * Continues on a new connection after an event: first with the stored events, then with new ones.
   *
   * @returns `"unknown"` when the event is unknown, `"fenced"` when another node writes the stream now
   */
  async resume(sequence: number, open: () => EventWriter): Promise<"resumed" | "unknown" | "fenced"> {
    const part = await this.#read(sequence);
    if (!part) return "unknown";
    if (!this.#isWrittenHere(part)) {
      // Events that are being stored may be in the store already, and must not be sent again.
      await this.#storing;
      this.#fence();
      return "fenced";
    }
    const writer = open();
    this.#isCatchingUp = true;
    this.connect(writer);
    this.#catchUp(writer, { sequence, part }).catch(() => writer.end());
    return "resumed";
  }

  #isWrittenHere({ owner, fence }: StreamPart): boolean {
    const { owner: own, adopted } = this.#options;
    return owner === own && fence === (adopted?.fence ?? 0);
  }

  async #catchUp(
    writer: EventWriter,
    from: { readonly sequence: number; readonly part: StreamPart | undefined },
  ): Promise<void> {
    let { sequence, part } = from;
    for (;;) {
      for (const event of part?.events ?? []) {
        this.#write(writer, event);
        sequence = event.sequence;
        this.#unwritten = sequence + 1;
      }
      if (writer.waiting > comfortable) await writer.drained();
      if (this.#writer !== writer) return;
      if (!part || sequence + 1 >= this.#stored) break;
      part = await this.#read(sequence);
    }
    this.#isCatchingUp = false;
    if (!part || this.#isDone) this.#close();
  }

  #read(sequence: number): Promise<StreamPart | undefined> {
    const { events, session } = this.#options;
    return Promise.resolve(events.read(session, { stream: this.key, sequence }));
  }

  /** True if an event may wait. The first event of a stream nearly always may: a handler does not fail if it waits for each of its messages. */
  #canWait({ length }: string, isResponse: boolean): boolean {
    const { unstored, host } = this.#options;
    if (isResponse || this.#queue.length === 0) return unstored.hasReserve(length);
    return unstored.hasRoom(length) && this.#queuedSize + length <= host.maxWaiting;
  }

  #enqueue(event: Unstored): void {
    this.#queue.push(event);
    this.#queuedSize += event.data.length;
    this.#options.unstored.add(event.data.length);
    this.#schedule();
  }

  /** Takes the first events from the queue. */
  #dequeue(count: number): readonly Unstored[] {
    const events = this.#queue.splice(0, count);
    for (const { data } of events) {
      this.#queuedSize -= data.length;
      this.#options.unstored.remove(data.length);
    }
    return events;
  }

  get #isDone(): boolean {
    return this.#isFenced || (this.#isEnding && this.#storing === undefined);
  }

  #fail(id: RequestId): void {
    void this.send(JSON.stringify({ jsonrpc: "2.0", id, error: serverShutdown }), { respondsTo: id });
    this.settle(id);
  }

  #schedule(): void {
    this.#storing ??= this.#store();
  }

  async #store(): Promise<void> {
    // Everything that is sent in this turn is stored together.
    await Promise.resolve();
    while (this.#hasUnstored && !this.#isFenced) await this.#storeBatch();
    this.#storing = undefined;
    if (this.#isDone && !this.#isCatchingUp) this.#close();
  }

  /** True if there is something to store. A stream without events does not exist in the store, so nothing is marked in it. */
  get #hasUnstored(): boolean {
    return this.#queue.length > 0 || this.#batch !== undefined || (this.#settled.length > 0 && this.#stored > 0);
  }

  async #storeBatch(): Promise<void> {
    const { session, events, owner, adopted, requests, clock } = this.#options;
    const batch = (this.#batch ??= this.#takeBatch());
    const { settled } = batch;
    const first = this.#stored;
    const data = batch.events.map((event) => event.data);
    const position = { stream: this.key, owner, fence: adopted?.fence ?? 0, first, data };
    try {
      const outcome = await events.append(session, {
        ...position,
        ...(first === 0 && { requests }),
        ...(settled.length > 0 && { settled }),
      });
      if (outcome !== "stored") return outcome === "full" ? this.#continueUnstored() : this.#fence();
    } catch {
      if (this.#isFlushing) return this.#fence();
      // The client resumes when the events are stored, if it has received an event id: without one its connection stays open.
      if (first > 0) this.#close();
      return pause(retryDelay, clock);
    }
    this.#batch = undefined;
    this.#dequeue(batch.events.length);
    this.#stored += batch.events.length;
    batch.events.forEach(({ data: text, resolve }, index) => {
      this.#deliver({ sequence: first + index, data: text });
      resolve();
    });
    if (this.#stored >= this.#lastOnConnection) this.#close();
  }

  /** Continues without the store: the open connection gets the events without ids. */
  #continueUnstored(): void {
    this.#isUnstored = true;
    this.#batch = undefined;
    for (const { data, resolve } of this.#dequeue(this.#queue.length)) {
      void this.#sendUnstored(data);
      resolve();
    }
    if (this.#lastOnConnection < Infinity) this.release();
  }

  /** Resolves when the reader is not slow. */
  #sendUnstored(data: string): Promise<void> {
    if (data !== "") this.#deliver({ sequence: this.#stored, data });
    const writer = this.#writer;
    return writer && writer.waiting > comfortable ? writer.drained() : Promise.resolve();
  }

  #takeBatch(): Batch {
    const events = this.#queue.slice(0, longestBatch);
    const settled = [...this.#settled.splice(0), ...events.flatMap((event) => event.settled)];
    return { events, settled };
  }

  #deliver(event: { readonly sequence: number; readonly data: string }): void {
    const writer = this.#writer;
    if (!writer || this.#isCatchingUp || event.sequence < this.#unwritten) return;
    const { waiting } = writer;
    this.#write(writer, event);
    if (waiting <= this.#options.host.maxWaiting) return;
    this.#options.host.metrics?.drop("stream");
    writer.destroy();
    this.#disconnect(writer);
  }

  #write(writer: EventWriter, { sequence, data }: { readonly sequence: number; readonly data: string }): void {
    const retry = data === "" ? this.#retry : undefined;
    const type = data === "" ? undefined : "message";
    const id = this.#isUnstored ? undefined : `${this.key}-${sequence}`;
    writer.write(encodeEvent({ type, id, retry, data }));
  }

  /** Milliseconds to reconnect. Those of streams opened by GET differ: when a node has stopped, its clients do not all come at once. */
  get #retry(): number {
    const { retry } = this.#options.host;
    return this.isListener ? spreadRetry(retry) : retry;
  }

  /** Stops writing, because another node has taken over the stream or sealed it. */
  #fence(): void {
    if (this.#isFenced) return;
    this.#isFenced = true;
    this.#close();
    this.#batch = undefined;
    const unsent = this.#dequeue(this.#queue.length);
    this.#options.host.fenced(this, { requests: [...this.#open], unsent: unsent.map(({ data }) => data) });
    // The messages of a stream opened by GET are sent by the node that writes it now.
    if (this.isListener) for (const { resolve } of unsent) resolve();
    else for (const { reject } of unsent) reject(new UnreachableError("Another node writes the stream"));
  }

  #close(): void {
    this.#writer?.end();
    this.#writer = undefined;
  }

  #disconnect(writer: EventWriter): void {
    if (this.#writer === writer) this.#writer = undefined;
  }
}

interface Batch {
  readonly events: readonly Unstored[];
  /** Requests without further events. */
  readonly settled: readonly RequestId[];
}

interface Unstored {
  readonly data: string;
  /** Requests whose last event this is. */
  readonly settled: RequestId[];
  resolve(): void;
  reject(error: Error): void;
}

const tooMany = "Too many messages wait for the engine; wait for each one before the next, or send fewer";

/** Returns the error in place of a response. */
function toNotStored(id: RequestId): string {
  const message = "The result could not be stored; check its effects before the request is repeated";
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: errorCodes.internalError, message } });
}

/** Maximum number of events to store in one step. */
const longestBatch = 256;

/** Milliseconds between two attempts to store events while the store cannot be reached. */
const retryDelay = 500;

/** Bytes to hold before a reader counts as slow. */
const comfortable = 64 * 1024;
