import type { Awaitable } from "../../../generated/support.ts";
import { encodeEvent } from "../../framing/sse-events.ts";
import type { Counting } from "../../jsonrpc/counted-channel.ts";
import type { StoredEvent } from "../../stores/event-store.ts";
import type { EventWriter } from "./exchange/exchange.ts";

/** What streams of one session share. */
export interface StreamHost {
  /** Bytes that may wait for a slow reader before its connection is broken off. */
  readonly maxWaiting: number;
  /** Counts what is broken off. */
  readonly metrics: Counting | undefined;
  /** Milliseconds that clients are told to wait before they reconnect. */
  readonly retry: number;
  /** Remembers events; absent where streams cannot be resumed: events have no ids then. */
  readonly remember: ((event: StoredEvent) => Promise<void> | undefined) | undefined;
}

/**
 * A sequence of events that outlives the connection it is written to: what is sent while nobody is connected waits in the event store.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export class EventStream {
  readonly key: string;
  readonly #host: StreamHost;
  #writer: EventWriter | undefined;
  #next = 0;
  #isEnded = false;
  /** What is sent while a new connection is being brought up to date. */
  #held: StoredEvent[] | undefined;
  #remembered: Promise<void> | undefined;

  constructor(key: string, host: StreamHost) {
    this.key = key;
    this.#host = host;
  }

  get isConnected(): boolean {
    return this.#writer !== undefined;
  }

  /** Bytes that wait for its reader. */
  get waiting(): number {
    return this.#writer?.waiting ?? 0;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether a client may know an id of this stream, so that it can come back. */
  get isResumable(): boolean {
    return this.#host.remember !== undefined && this.#next > 0;
  }

  /** Writes to this connection from now on; an earlier one is closed. */
  connect(writer: EventWriter): void {
    this.#writer?.end();
    this.#writer = writer;
    writer.onClose(() => this.#disconnect(writer));
  }

  /** Gives the client an id to come back with, before there is anything to say. */
  prime(): void {
    if (this.#host.remember) this.#emit("", this.#host.retry);
  }

  /** Sends one message as JSON text. A promise means that the reader is slow. */
  send(data: string): void | Promise<void> {
    this.#emit(data, undefined);
    const writer = this.#writer;
    if (!writer || writer.waiting <= comfortable) return;
    if (writer.waiting <= this.#host.maxWaiting) return writer.drained();
    this.#host.metrics?.drop("stream");
    writer.destroy();
    this.#disconnect(writer);
  }

  /** Writes a comment, which shows proxies and us that the reader is there. */
  touch(comment: string): void {
    this.#writer?.write(comment);
  }

  /** Closes the connection but not the stream. */
  release(): void {
    this.#writer?.end();
    this.#writer = undefined;
  }

  /** There will be no more messages. */
  end(): void {
    this.#isEnded = true;
    if (!this.#held) this.release();
  }

  /**
   * Goes on with a client that has come back: first with what it has missed, then live; nothing is lost or doubled. An earlier connection
   * may not have noticed yet that it is dead, so the new one replaces it.
   *
   * @returns whether the store knew what was missed
   */
  async resume(open: () => EventWriter, read: () => Awaitable<readonly StoredEvent[] | undefined>): Promise<boolean> {
    const held: StoredEvent[] = [];
    this.#held = held;
    let missed: readonly StoredEvent[] | undefined;
    try {
      await this.#remembered;
      missed = await read();
    } finally {
      // Another connection may have come back meanwhile: it is the one that counts.
      if (this.#held === held) this.#catchUp(missed && { writer: open(), missed });
      else missed = undefined;
    }
    return missed !== undefined;
  }

  /** Writes what was missed, and what was held back meanwhile; without a new connection, to the one that is there. */
  #catchUp(back: { readonly writer: EventWriter; readonly missed: readonly StoredEvent[] } | undefined): void {
    const { writer, missed = [] } = back ?? {};
    const held = this.#held ?? [];
    this.#held = undefined;
    if (writer) this.connect(writer);
    const last = missed.at(-1)?.sequence ?? -1;
    for (const event of [...missed, ...held.filter(({ sequence }) => sequence > last)]) this.#write(event, undefined);
    if (this.#isEnded) this.release();
  }

  #emit(data: string, retry: number | undefined): void {
    const event: StoredEvent = { stream: this.key, sequence: this.#next, data };
    this.#next += 1;
    const remembered = this.#host.remember?.(event);
    if (remembered) this.#remembered = remembered;
    if (this.#held) this.#held.push(event);
    else this.#write(event, retry);
  }

  #write({ sequence, data }: StoredEvent, retry: number | undefined): void {
    const id = this.#host.remember ? `${this.key}-${sequence}` : undefined;
    this.#writer?.write(encodeEvent({ type: data === "" ? undefined : "message", id, retry, data }));
  }

  #disconnect(writer: EventWriter): void {
    if (this.#writer === writer) this.#writer = undefined;
  }
}

/** Fewer bytes than this may wait without anybody noticing. */
const comfortable = 64 * 1024;
