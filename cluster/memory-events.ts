import type { Clock } from "../runtime/internal/timers.ts";
import type { RequestId } from "../runtime/jsonrpc/message.ts";
import type { StreamPosition } from "../runtime/stores/event-store.ts";
import type { SessionKey } from "../runtime/stores/session-store.ts";
import type {
  AdoptedStream,
  AppendOutcome,
  SharedEventStore,
  StreamAdoption,
  StreamAppend,
  StreamPart,
  StreamSeal,
} from "./stores/shared-event-store.ts";
import type { EngineLimits } from "./engine-limits.ts";
import { nameSession } from "./name-session.ts";

/** Called when a stream has changed. */
export type StreamChanged = (session: SessionKey, stream: string) => void;

/** Streams of a cluster in the memory of this process. Every operation is one step. */
export class MemorySharedEvents implements SharedEventStore {
  readonly #limits: EngineLimits;
  readonly #clock: Pick<Clock, "now">;
  readonly #changed: StreamChanged;
  /** Streams by name, by session. */
  readonly #sessions = new Map<string, Map<string, Stream>>();
  #nextSweep = -Infinity;

  constructor(limits: EngineLimits, clock: Pick<Clock, "now">, changed: StreamChanged) {
    this.#limits = limits;
    this.#clock = clock;
    this.#changed = changed;
  }

  append(session: SessionKey, append: StreamAppend): AppendOutcome {
    const stream = this.#find(session, append.stream) ?? this.#create(session, append);
    if (typeof stream === "string") return stream;
    const { first, data, settled = [] } = append;
    const isOwner = append.fence === stream.fence && append.owner === stream.owner;
    if (!isOwner) return wasStored(stream, append) ? "stored" : "fenced";
    if (stream.isEnded) return first + data.length <= stream.next ? "stored" : "fenced";
    if (first > stream.next) return "gap";
    this.#add(stream, data.slice(stream.next - first));
    for (const id of settled) stream.open.delete(id);
    stream.isEnded = stream.isResponse && stream.open.size === 0;
    this.#touch(stream);
    this.#changed(session, append.stream);
    return "stored";
  }

  read(session: SessionKey, { stream: name, sequence }: StreamPosition): StreamPart | undefined {
    const stream = this.#find(session, name);
    if (!stream || !Number.isSafeInteger(sequence)) return undefined;
    const { next, owner, fence, isResponse, isEnded, events } = stream;
    if (sequence >= next && !isEnded) return undefined;
    const index = Math.min(sequence + 1, next) - (next - events.length);
    if (sequence < -1 || index < 0) return undefined;
    return { events: takePart(stream, index), next, owner, fence, open: [...stream.open], isResponse, isEnded };
  }

  seal(session: SessionKey, { stream: name, fence, node, data }: StreamSeal): boolean {
    const stream = this.#findOpen(session, name, fence);
    if (!stream) return false;
    replaceOwner(stream, node);
    this.#add(stream, data);
    stream.open.clear();
    stream.isEnded = true;
    this.#touch(stream);
    this.#changed(session, name);
    return true;
  }

  adopt(session: SessionKey, { stream: name, fence, node }: StreamAdoption): AdoptedStream | undefined {
    const stream = this.#findOpen(session, name, fence);
    if (!stream) return undefined;
    replaceOwner(stream, node);
    this.#touch(stream);
    this.#changed(session, name);
    return { fence: stream.fence, next: stream.next };
  }

  remove(session: SessionKey): void {
    const streams = this.#sessions.get(nameSession(session));
    this.#sessions.delete(nameSession(session));
    for (const name of streams?.keys() ?? []) this.#changed(session, name);
  }

  #findOpen(session: SessionKey, name: string, fence: number): Stream | undefined {
    const stream = this.#find(session, name);
    return stream && stream.fence === fence && !stream.isEnded ? stream : undefined;
  }

  #find(session: SessionKey, name: string): Stream | undefined {
    this.#sweep();
    this.#expire(nameSession(session));
    return this.#sessions.get(nameSession(session))?.get(name);
  }

  #expire(sessionName: string): void {
    const streams = this.#sessions.get(sessionName);
    const now = this.#clock.now();
    for (const [name, { expiresAt }] of streams ?? []) if (expiresAt <= now) streams?.delete(name);
    if (streams?.size === 0) this.#sessions.delete(sessionName);
  }

  /** Removes the expired streams of all sessions from time to time. */
  #sweep(): void {
    const now = this.#clock.now();
    if (now < this.#nextSweep) return;
    this.#nextSweep = now + this.#limits.endedStreamTtl;
    for (const name of this.#sessions.keys()) this.#expire(name);
  }

  #create(
    session: SessionKey,
    { stream: name, owner, fence, first, requests = [] }: StreamAppend,
  ): Stream | "fenced" | "full" {
    const streams = this.#sessions.get(nameSession(session)) ?? new Map<string, Stream>();
    const openStreams = [...streams.values()].filter(({ isEnded }) => !isEnded).length;
    if (first !== 0 || fence !== 0) return "fenced";
    if (openStreams >= this.#limits.maxOpenStreams) return "full";
    const isResponse = requests.length > 0;
    const open = new Set(requests);
    const ends = new Map<number, number>();
    const stream = { owner, fence, ends, open, isResponse, isEnded: false, next: 0, events: [], size: 0, expiresAt: 0 };
    this.#sessions.set(nameSession(session), streams);
    streams.set(name, stream);
    return stream;
  }

  /** Adds events, and removes the oldest ones beyond the limits. */
  #add(stream: Stream, data: readonly string[]): void {
    for (const text of data) {
      stream.events.push({ sequence: stream.next, data: text });
      stream.next += 1;
      stream.size += text.length;
    }
    const { maxEvents, maxStreamSize } = this.#limits;
    while (stream.events.length > 1 && (stream.events.length > maxEvents || stream.size > maxStreamSize)) {
      stream.size -= stream.events.shift()?.data.length ?? 0;
    }
  }

  #touch(stream: Stream): void {
    const { streamTtl, endedStreamTtl } = this.#limits;
    stream.expiresAt = this.#clock.now() + (stream.isEnded ? endedStreamTtl : streamTtl);
  }
}

/** True if the events were stored before the owner was replaced. */
function wasStored({ ends }: Stream, { fence, first, data }: StreamAppend): boolean {
  return data.length > 0 && first + data.length <= (ends.get(fence) ?? 0);
}

function replaceOwner(stream: Stream, node: string): void {
  stream.ends.set(stream.fence, stream.next);
  stream.ends.delete(stream.fence - maxReplacedOwners);
  stream.owner = node;
  stream.fence += 1;
}

/** Number of replaced owners whose repeated appends are recognized. */
const maxReplacedOwners = 64;

/** Maximum number of events in one part. */
const maxPartEvents = 256;

/** Maximum number of characters in one part, unless its first event is larger. */
const maxPartSize = 1024 * 1024;

function takePart({ events }: Stream, index: number): readonly StreamEvent[] {
  const part = events.slice(index, index + maxPartEvents);
  let size = 0;
  const end = part.findIndex(({ data }, at) => {
    size += data.length;
    return at > 0 && size > maxPartSize;
  });
  return end < 0 ? part : part.slice(0, end);
}

interface StreamEvent {
  readonly sequence: number;
  readonly data: string;
}

interface Stream {
  owner: string;
  fence: number;
  /** Sequences after the last events of replaced owners, by fence. */
  readonly ends: Map<number, number>;
  readonly open: Set<RequestId>;
  readonly isResponse: boolean;
  isEnded: boolean;
  /** Sequence of the next event. */
  next: number;
  /** Stored events: the last ones, without gaps. */
  readonly events: StreamEvent[];
  /** Characters of the kept events. */
  size: number;
  expiresAt: number;
}
