import type { Awaitable } from "../../../../generated/support.ts";
import type { SessionValues } from "../../../jsonrpc/channel.ts";
import type { ErrorObject, Incoming, RequestId } from "../../../jsonrpc/message.ts";
import type { StoredEvent, StreamPosition } from "../../../stores/event-store.ts";
import type { SessionKey } from "../../../stores/session-store.ts";
import { findListener, keptListeners, type SessionStream, type StreamHost } from "./event-stream.ts";
import type { EventWriter } from "../exchange/exchange.ts";

/** Parts of a session directory used by the sessions themselves. */
export interface SessionParts {
  readonly streams: StreamDirectory;
  /** Requests of the sessions, as other processes have to know them. Default: no other process knows any. */
  readonly requests?: RequestDirectory;
  /** Returns the values of a session, as shared by the processes. Default: each process has its own. */
  createValues?(key: SessionKey): SessionValues;
}

/** Streams of sessions: creates them, and finds the rest of one whose connection has ended. */
export interface StreamDirectory {
  /** True if events are stored. Clients of revisions with event ids can then resume streams. */
  readonly isResumable: boolean;
  /** Returns the name of a new stream of this process. The count distinguishes the streams of one session. */
  nameStream(count: number, kind: "response" | "listener"): string;
  createStream(key: SessionKey, stream: NewStream): SessionStream;
  /** Stores an event of a stream without storage of its own. Default: there is no such stream. */
  remember?(key: SessionKey, event: StoredEvent): Promise<void> | undefined;
  /** Removes the events of a session when no process continues it. Default: they are removed with the session. */
  remove?(key: SessionKey): Awaitable<void>;
  /** Continues a stream on a new connection, and adds it to those of its session. Returns `false` when the position is unknown. */
  resume(key: SessionKey, position: StreamPosition, resumption: Resumption): Promise<boolean>;
  /** Registers the stream opened by the client with GET, in the background. Default: only this process sends on it. */
  listen?(key: SessionKey, stream: string): void;
  /**
   * Sends a message on a stream the client has opened by GET at another process. Rejects when there is none. Returns `undefined` for notifications of
   * a kind that every process sends to its own clients. Default: no other process has streams of the session.
   */
  sendElsewhere?(key: SessionKey, text: string, method?: string): Promise<void> | undefined;
}

/** Options of a new stream. */
export interface NewStream {
  readonly name: string;
  readonly host: StreamHost;
  /** Requests with responses on the stream; none for a stream opened by GET. */
  readonly requests: readonly RequestId[];
}

/** New connection to a stream. */
export interface Resumption {
  readonly host: StreamHost & { readonly isClosed: boolean };
  /** Streams of the session in this process. */
  readonly streams: SessionStreams;
  /** Begins the response. */
  open(): EventWriter;
}

/** Requests of sessions with several processes. */
export interface RequestDirectory {
  /** Start of the ids of requests to clients. With it, a response finds its way back from another process. */
  readonly idPrefix: string;
  /** Returns a function to store the change a request makes to its session; `undefined` if it changes nothing. */
  prepareChange(key: SessionKey, request: Incoming & { readonly kind: "request" }): StoreChange | undefined;
  /** Called when a request has its response, or gets none: its id is no longer reserved. */
  ended(key: SessionKey, id: RequestId): void;
}

/** Stores a change before its response is sent. Returns the error to respond with instead, if it cannot be stored. */
export type StoreChange = () => Promise<ErrorObject | undefined>;

/** Open streams of a session, and the ones opened by GET. */
export class SessionStreams {
  readonly #open = new Map<string, SessionStream>();
  /** Streams opened by GET, the latest last. */
  #listeners: readonly SessionStream[] = [];

  get all(): readonly SessionStream[] {
    return [...this.#open.values()];
  }

  get hasListeners(): boolean {
    return this.#listeners.length > 0;
  }

  /** Stream for messages unrelated to a request of the client. */
  get listener(): SessionStream | undefined {
    return findListener(this.#listeners);
  }

  find(name: string): SessionStream | undefined {
    return this.#open.get(name);
  }

  /** True if the client is connected to this stream opened by GET. */
  isListening(name: string): boolean {
    return this.#listeners.some(({ key, isConnected }) => isConnected && key === name);
  }

  add(stream: SessionStream): void {
    this.#open.set(stream.key, stream);
  }

  /** Adds a stream opened by GET. Those without a connection end, and the oldest one when there are too many. Returns these. */
  addListener(stream: SessionStream): readonly SessionStream[] {
    this.add(stream);
    const kept = [...keptListeners(this.#listeners.filter((listener) => listener !== stream)), stream];
    const replaced = this.#listeners.filter((listener) => !kept.includes(listener));
    for (const listener of replaced) this.end(listener);
    this.#listeners = kept;
    return replaced;
  }

  /**
   * Adds a resumed stream: one opened by GET, or one which ends by itself. If another request has resumed it before, the connection of this earlier
   * request ends: nothing more may be written there.
   */
  adopt(stream: SessionStream): void {
    for (const open of this.all) if (open.key === stream.key && open !== stream) open.release();
    if (stream.isListener) this.addListener(stream);
    else this.add(stream);
    void stream.finished?.then(() => this.forget(stream));
  }

  end(stream: SessionStream): void {
    stream.end();
    // A resumption waits for the events that are still being stored.
    if (stream.storing) void stream.storing.then(() => this.forget(stream));
    else this.forget(stream);
  }

  /** Forgets a stream, but not another of the same name: two requests may resume a stream at once. */
  forget(stream: SessionStream): void {
    if (this.#open.get(stream.key) === stream) this.#open.delete(stream.key);
    this.#listeners = this.#listeners.filter((listener) => listener !== stream);
  }
}
