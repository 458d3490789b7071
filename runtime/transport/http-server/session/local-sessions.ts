import type { Awaitable } from "../../../../generated/support.ts";
import { createSecretId } from "../../../internal/digest.ts";
import type { StoredEvent, StreamPosition } from "../../../stores/event-store.ts";
import type { SessionKey, SessionRecord, SessionStore } from "../../../stores/session-store.ts";
import { EventStreamResponse, isListenerKey, listenerMark, type SessionStream } from "./event-stream.ts";
import { ServedSession } from "./served-session.ts";
import type { FoundSession, LiveSessions, SessionDirectory } from "./session-directory.ts";
import type { NewStream, Resumption, StreamDirectory } from "./session-streams.ts";
import type { HttpSettings } from "../settings.ts";

/** Sessions served by this process and no other. Their store may outlive it: then the next process continues them. */
export class LocalSessions implements SessionDirectory {
  readonly store: SessionStore | undefined;
  readonly streams: StreamDirectory;
  #sessions: LiveSessions | undefined;

  constructor(settings: HttpSettings) {
    this.store = settings.sessions?.store;
    this.streams = new LocalStreams(settings);
  }

  start(sessions: LiveSessions): void {
    this.#sessions = sessions;
  }

  createId(): string {
    return createSecretId();
  }

  access(key: SessionKey): Awaitable<FoundSession | undefined> {
    const found = this.store?.find(key);
    if (!(found instanceof Promise)) return this.#continue(key, found);
    return this.#sessions?.searches.wait(key.id, found, (record) => this.#continue(key, record));
  }

  async isStored(key: SessionKey): Promise<boolean> {
    return (await this.store?.find(key)) !== undefined;
  }

  #continue(key: SessionKey, record: SessionRecord | undefined): FoundSession | undefined {
    const session = this.#sessions?.continue(key, record);
    return session && this.#sessions && new ServedSession(session, this.#sessions);
  }
}

/** Streams of one process: each stores its events as it sends them, and only this process sends on it. */
class LocalStreams implements StreamDirectory {
  readonly #settings: Pick<HttpSettings, "events" | "nonce" | "fail">;

  constructor(settings: Pick<HttpSettings, "events" | "nonce" | "fail">) {
    this.#settings = settings;
  }

  get isResumable(): boolean {
    return this.#settings.events !== undefined;
  }

  nameStream(count: number, kind: "response" | "listener"): string {
    return `${kind === "listener" ? listenerMark : ""}${this.#settings.nonce}${count.toString(36)}`;
  }

  createStream(_key: SessionKey, { name, host }: NewStream): SessionStream {
    return new EventStreamResponse(name, host);
  }

  remember(key: SessionKey, event: StoredEvent): Promise<void> | undefined {
    const { events, fail } = this.#settings;
    try {
      const kept = events?.append(key, event);
      return kept instanceof Promise ? kept.catch(fail) : undefined;
    } catch (thrown) {
      return fail(thrown);
    }
  }

  remove(key: SessionKey): Awaitable<void> {
    return this.#settings.events?.remove(key);
  }

  async resume(key: SessionKey, position: StreamPosition, resumption: Resumption): Promise<boolean> {
    const { events } = this.#settings;
    if (!events) return false;
    const { host, streams, open } = resumption;
    const local = streams.find(position.stream);
    const stream = local instanceof EventStreamResponse ? local : reopen(position.stream, resumption);
    const isResumed = await stream.resume(open, position, () => events.after(key, position));
    if (stream === local || !isListenerKey(stream.key)) return isResumed;
    if (isResumed && !host.isClosed) streams.addListener(stream);
    else streams.end(stream);
    return isResumed;
  }
}

/** Opens a stream again: it has ended here, or is of another process. Only a stream opened by GET has further messages. */
function reopen(name: string, { host, streams }: Resumption): EventStreamResponse {
  const stream = new EventStreamResponse(name, host);
  if (isListenerKey(name)) streams.add(stream);
  else stream.end();
  return stream;
}
