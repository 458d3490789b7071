import type { Awaitable } from "../../../../generated/support.ts";
import { encodeEvent } from "../../../framing/sse-events.ts";
import type { ConnectionMetrics } from "../../../jsonrpc/counted-channel.ts";
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { StoredEvent, StreamPosition } from "../../../stores/event-store.ts";
import type { EventWriter } from "../exchange/exchange.ts";

/** Options shared by the streams of one session. */
export interface StreamHost {
  /** Bytes to hold for a slow reader. While more wait, a further message destroys its connection. */
  readonly maxWaiting: number;
  /** Counts destroyed connections. */
  readonly metrics: ConnectionMetrics | undefined;
  /** Milliseconds clients should wait before they reconnect. */
  readonly retry: number;
  /** Called when another process has taken over a shared stream, or sealed it. */
  fenced(stream: SessionStream, lost: LostStream): void;
  /** True if streams can be resumed: events are stored, and have ids. */
  readonly isResumable: boolean;
  /** Stores an event. */
  remember(event: StoredEvent): Promise<void> | undefined;
}

/** Rest of a stream after another process has taken it over. */
export interface LostStream {
  /** Requests without a response. */
  readonly requests: readonly RequestId[];
  /** Messages not in the store. */
  readonly unsent: readonly string[];
}

/** Sequence of events with a longer life than its connection. */
export interface SessionStream {
  readonly key: string;
  readonly isConnected: boolean;
  /** Bytes not read by the client so far. */
  readonly waiting: number;
  /** True if a client may know an event id of this stream and can resume it. */
  readonly isResumable: boolean;
  /** True if the stream was opened by GET; known of shared streams only. */
  readonly isListener?: boolean;
  /** Writes to this connection from now on; closes an earlier one. */
  connect(writer: EventWriter): void;
  /** Sends an event id to the client. With it, the client can resume even before the first message. */
  prime(): void;
  /** Sends one message as JSON text, which may respond to a request. Returns a promise when the reader is slow. */
  send(data: string, options?: { readonly respondsTo?: RequestId | undefined }): void | Promise<void>;
  /** Marks a request as settled: its response is among the events so far, or it gets none. */
  settle(id: RequestId): void;
  /** Writes a comment. It shows proxies and the server that the reader is there. */
  touch(comment: string): void;
  /** Closes the connection but not the stream. */
  release(): void;
  /** Ends the stream: there are no more messages. */
  end(): void;
  /** Ends a stream opened by GET in all processes, because its client has opened another. Default: no other process knows the stream. */
  endStored?(): Promise<void>;
  /** Ends the stream, and stores nothing more. Default: what is stored is removed with the session. */
  discard?(): void;
  /** Resolves when every event is stored or given up. Default: nothing is pending. */
  flushed?(): Promise<void>;
  /** Settles when all events so far are stored: a store may take longer for an earlier one. Absent: nothing is pending. */
  readonly storing?: Promise<unknown> | undefined;
  /** Resolves when the connection to a stream of another process has ended. Default: the stream is of this process. */
  readonly finished?: Promise<void>;
}

/**
 * Stream of one process. Events sent without a connection wait in the event store.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export class EventStreamResponse implements SessionStream {
  readonly key: string;
  readonly #host: StreamHost;
  #writer: EventWriter | undefined;
  #next = 0;
  #isEnded = false;
  /** Events sent while a new connection catches up. */
  #held: StoredEvent[] | undefined;
  #storing: Promise<unknown> | undefined;

  constructor(key: string, host: StreamHost) {
    this.key = key;
    this.#host = host;
  }

  get isConnected(): boolean {
    return this.#writer !== undefined;
  }

  get waiting(): number {
    return this.#writer?.waiting ?? 0;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get storing(): Promise<unknown> | undefined {
    return this.#storing;
  }

  get isResumable(): boolean {
    return this.#host.isResumable && this.#next > 0;
  }

  connect(writer: EventWriter): void {
    this.#writer?.end();
    this.#writer = writer;
    writer.onClose(() => this.#disconnect(writer));
  }

  prime(): void {
    if (this.#host.isResumable) this.#emit("", this.#host.retry);
  }

  send(data: string): void | Promise<void> {
    const { waiting } = this;
    this.#emit(data, undefined);
    const writer = this.#writer;
    if (!writer || writer.waiting <= comfortable) return;
    if (waiting <= this.#host.maxWaiting) return writer.drained();
    this.#host.metrics?.drop("stream");
    writer.destroy();
    this.#disconnect(writer);
  }

  settle(): void {
    // The store of one process needs no mark: the stream ends with its last response.
  }

  touch(comment: string): void {
    this.#writer?.write(comment);
  }

  release(): void {
    this.#writer?.end();
    this.#writer = undefined;
  }

  end(): void {
    this.#isEnded = true;
    if (!this.#held) this.release();
  }

  /**
   * Continues with a reconnected client: sends the missed events first, then live ones. No event is lost or doubled. An earlier connection may not
   * have noticed its end, so the new one replaces it.
   *
   * @param position - last event received by the client
   * @returns true if the missed events are known, and no later connection has taken over
   */
  async resume(
    open: () => EventWriter,
    { sequence }: StreamPosition,
    read: () => Awaitable<readonly StoredEvent[] | undefined>,
  ): Promise<boolean> {
    const held: StoredEvent[] = [];
    this.#held = held;
    // The store forgets the events of an idle stream after a time, also while its client is connected.
    const isUpToDate = sequence === this.#next - 1;
    let missed: readonly StoredEvent[] | undefined;
    try {
      await this.#storing;
      missed = (await read()) ?? (isUpToDate ? [] : undefined);
    } finally {
      // Another connection may have resumed in the meantime; the latest one counts.
      if (this.#held === held) this.#catchUp(missed && { writer: open(), missed, sequence });
      else missed = undefined;
    }
    return missed !== undefined;
  }

  /** Writes missed events and those held back in the meantime; without a new connection, to the existing one. */
  #catchUp(back: ResumedConnection | undefined): void {
    const { writer, missed = [], sequence = -1 } = back ?? {};
    const held = this.#held ?? [];
    this.#held = undefined;
    if (writer) this.connect(writer);
    const last = missed.at(-1)?.sequence ?? sequence;
    // A stream of another process has events that this one has not sent.
    this.#next = Math.max(this.#next, last + 1);
    for (const event of [...missed, ...held.filter(({ sequence }) => sequence > last)]) this.#write(event, undefined);
    if (this.#isEnded) this.release();
  }

  #emit(data: string, retry: number | undefined): void {
    const event: StoredEvent = { stream: this.key, sequence: this.#next, data };
    this.#next += 1;
    const stored = this.#host.isResumable ? this.#host.remember(event) : undefined;
    if (stored) this.#store(stored);
    if (this.#held) this.#held.push(event);
    else this.#write(event, retry);
  }

  #store(stored: Promise<void>): void {
    const storing = Promise.all([this.#storing, stored]).then(() => {
      if (this.#storing === storing) this.#storing = undefined;
    });
    this.#storing = storing;
  }

  #write({ sequence, data }: StoredEvent, retry: number | undefined): void {
    const id = this.#host.isResumable ? `${this.key}-${sequence}` : undefined;
    this.#writer?.write(encodeEvent({ type: data === "" ? undefined : "message", id, retry, data }));
  }

  #disconnect(writer: EventWriter): void {
    if (this.#writer === writer) this.#writer = undefined;
  }
}

/** Connection on which a stream continues after an event. */
interface ResumedConnection {
  readonly writer: EventWriter;
  readonly sequence: number;
  readonly missed: readonly StoredEvent[];
}

/** Bytes to hold before a reader counts as slow. */
const comfortable = 64 * 1024;

/** Start of the keys of streams opened by GET; a nonce is hexadecimal. A shared stream says itself what it is. */
export const listenerMark = "g";

/** True if a stream of one process was opened by GET. */
export function isListenerKey(key: string): boolean {
  return key.startsWith(listenerMark);
}

/** Returns the latest connected stream opened by GET, or else the latest one its client can resume. */
export function findListener(listeners: readonly SessionStream[]): SessionStream | undefined {
  return listeners.findLast((stream) => stream.isConnected) ?? listeners.findLast((stream) => stream.isResumable);
}

/** Returns the streams to keep beside a new one: those with a connection, without the oldest one when there are too many. */
export function keptListeners(listeners: readonly SessionStream[]): readonly SessionStream[] {
  return listeners.filter(({ isConnected }) => isConnected).slice(-(maxListeners - 1));
}

/** Maximum number of streams a client may hold open by GET. */
const maxListeners = 2;
