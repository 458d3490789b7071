import { encodeEvent } from "../../runtime/framing/sse-events.ts";
import { pause, type Clock } from "../../runtime/internal/timers.ts";
import { nodeGone } from "../../runtime/jsonrpc/errors.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { NodeDirectory } from "../stores/node-directory.ts";
import type { SharedEventStore, StreamPart } from "../stores/shared-event-store.ts";
import type { EventWriter } from "../../runtime/transport/http-server/exchange/exchange.ts";
import type { SessionStream } from "../../runtime/transport/http-server/session/event-stream.ts";
import { ChangeSignal } from "../../runtime/internal/change-signal.ts";

/** Connection of a client to a stream of another node. */
export interface Following {
  /** Milliseconds the client should wait before it reconnects. */
  readonly retry: number;
  /** True if the client receives events with only an id. Default `true`. */
  readonly isPrimed?: boolean;
  /** True if events have ids. Default `true`. */
  readonly hasIds?: boolean;
  /** Begins the response. */
  open(): EventWriter;
}

/** Stream written by another node, now or earlier. */
export interface FollowedStreamOptions extends Following {
  readonly session: SessionKey;
  readonly name: string;
  readonly events: SharedEventStore;
  readonly nodes: NodeDirectory;
  /** Name of this node. */
  readonly node: string;
  /** Returns true if an expired lease proves that its node has stopped. */
  canSeal(): boolean;
  readonly clock: Clock;
  /** Calls `wake` when the events of the stream may have changed. Returns a function to end the calls. */
  watch(wake: () => void): Promise<() => void>;
  /** Reports errors of background work. */
  fail(thrown: unknown): void;
}

/**
 * Connection to a stream of responses written by another node. It reads the store whenever the other node adds events. When the other node has no
 * lease any more, this one seals the stream: the open requests get an error as their response.
 */
export class FollowedStream implements SessionStream {
  readonly key: string;
  readonly isResumable: boolean = true;
  readonly isListener: boolean = false;
  /** Resolves when the connection has ended. */
  readonly finished: Promise<void>;
  readonly #options: FollowedStreamOptions;
  readonly #writer: EventWriter;
  #isOver = false;
  /** True if the client has an event id, with which it can resume. */
  #hasEventId: boolean;
  readonly #changes = new ChangeSignal();

  /** @param sequence - last event the client has */
  constructor(options: FollowedStreamOptions, sequence: number) {
    this.key = options.name;
    this.#options = options;
    this.#hasEventId = sequence >= 0;
    this.#writer = options.open();
    this.#writer.onClose(() => this.#stop());
    this.finished = this.#follow(sequence)
      .catch(options.fail)
      .finally(() => this.release());
  }

  get isConnected(): boolean {
    return !this.#isOver;
  }

  get waiting(): number {
    return this.#writer.waiting;
  }

  touch(comment: string): void {
    if (!this.#isOver) this.#writer.write(comment);
  }

  release(): void {
    this.#stop();
    this.#writer.end();
  }

  end(): void {
    this.release();
  }

  connect(writer: EventWriter): void {
    writer.end();
  }

  prime(): void {
    // The node that writes the stream has sent the first event id.
  }

  send(): Promise<void> {
    return Promise.reject(new Error("Another node writes the stream"));
  }

  settle(): void {
    // The node that writes the stream marks the requests.
  }

  async #follow(from: number): Promise<void> {
    const { watch } = this.#options;
    const unwatch = await this.#repeatWhileLost(() => watch(this.#changes.set));
    try {
      let last: number | undefined = from;
      while (last !== undefined && !this.#isOver) {
        const sequence: number = last;
        last = await this.#repeatWhileLost(() => this.#advance(sequence));
      }
    } finally {
      unwatch();
    }
  }

  /** Writes the events after a sequence, or waits for some. Returns the sequence of the last one; `undefined` at the end of the stream. */
  async #advance(from: number): Promise<number | undefined> {
    this.#changes.clear();
    const part = await this.#read(from);
    if (!part) return undefined;
    const sequence = await this.#write(part, from);
    if (part.isEnded && sequence + 1 >= part.next) return undefined;
    if (part.events.length > 0 || (await this.#isSealed(part)) || this.#isOver) return sequence;
    await this.#changes.wait(this.#options.clock, pollInterval);
    return sequence;
  }

  /** Repeats an operation while the engine is lost, for a client without an event id: it could not resume. */
  async #repeatWhileLost<Value>(operate: () => Promise<Value>): Promise<Value> {
    for (;;) {
      try {
        return await operate();
      } catch (thrown) {
        if (!(thrown instanceof EngineError) || this.#hasEventId || this.#isOver) throw thrown;
      }
      await pause(retryDelay, this.#options.clock);
    }
  }

  async #write({ events }: StreamPart, from: number): Promise<number> {
    const writer = this.#writer;
    const { retry, isPrimed = true, hasIds = true } = this.#options;
    for (const { sequence, data } of events) {
      if (this.#isOver) return from;
      const id = hasIds ? `${this.key}-${sequence}` : undefined;
      if (data === "" && !isPrimed) continue;
      writer.write(encodeEvent(data === "" ? { id, retry, data } : { type: "message", id, data }));
      this.#hasEventId ||= hasIds;
    }
    if (writer.waiting > comfortable) await writer.drained();
    return events.at(-1)?.sequence ?? from;
  }

  #read(sequence: number): Promise<StreamPart | undefined> {
    const { events, session } = this.#options;
    return Promise.resolve(events.read(session, { stream: this.key, sequence }));
  }

  /** Seals the stream when its node has no lease any more. Returns true if the stream has ended or has changed. */
  async #isSealed({ owner, fence, open }: StreamPart): Promise<boolean> {
    const { events, nodes, session, node, canSeal } = this.#options;
    if ((await nodes.isAlive(owner)) || !canSeal()) return false;
    const data = open.map((id) => JSON.stringify({ jsonrpc: "2.0", id, error: nodeGone }));
    await events.seal(session, { stream: this.key, fence, node, data });
    return true;
  }

  #stop(): void {
    this.#isOver = true;
    this.#changes.set();
  }
}

/** Bytes to hold before a reader counts as slow. */
const comfortable = 64 * 1024;

/** Milliseconds between two checks of the node of a stream without changes. */
const pollInterval = 1_000;

/** Milliseconds between two attempts to read the store while it cannot be reached. */
const retryDelay = 500;
