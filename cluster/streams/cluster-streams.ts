import type { Clock } from "../../runtime/internal/timers.ts";
import type { Engine } from "../stores/engine.ts";
import type { StreamPosition } from "../../runtime/stores/event-store.ts";
import type { NodeMessage } from "../stores/node-directory.ts";
import { repeatWhileLost } from "../../runtime/stores/repeat-while-lost.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { StreamPart } from "../stores/shared-event-store.ts";
import { EventStreamResponse, type SessionStream } from "../../runtime/transport/http-server/session/event-stream.ts";
import type {
  NewStream,
  Resumption,
  StreamDirectory,
} from "../../runtime/transport/http-server/session/session-streams.ts";
import type { UnstoredEvents } from "../engine/unstored-events.ts";
import type { SharedStates } from "../shared-states.ts";
import { FollowedStream, type Following } from "./followed-stream.ts";
import { readRest } from "./read-rest.ts";
import { sendToListener } from "./send-to-listener.ts";
import { SharedStream, type SharedStreamOptions } from "./shared-stream.ts";
import type { StreamWatchers } from "./stream-watchers.ts";

/** Dependencies of the streams of a node. */
export interface ClusterStreamsOptions {
  readonly engine: Pick<Engine, "events" | "nodes" | "sessions">;
  readonly clock: Clock;
  /** Name of the node. */
  readonly name: string;
  readonly watchers: StreamWatchers;
  readonly unstored: UnstoredEvents;
  /** States of the sessions of this node; absent when its service has no clients. */
  readStates(): SharedStates | undefined;
  /** Returns true if an expired lease proves that its node has stopped. */
  isStable(): boolean;
  /** Sends a message, and waits while the absence of a node may end. */
  send(node: string, message: NodeMessage): Promise<"sent" | "absent">;
  fail(thrown: unknown): void;
}

/** Streams of the sessions of a node. Events are in the engine before a client has them: it can resume a stream at any node. */
export class ClusterStreams implements StreamDirectory {
  readonly isResumable = true;
  readonly #options: ClusterStreamsOptions;

  constructor(options: ClusterStreamsOptions) {
    this.#options = options;
  }

  nameStream(count: number): string {
    return `${this.#options.name}${count.toString(36)}`;
  }

  createStream(session: SessionKey, stream: NewStream): SessionStream {
    if (!stream.host.isResumable) return new EventStreamResponse(stream.name, stream.host);
    return this.createShared(session, stream);
  }

  /** Creates a stream whose events are in the engine, also where no client can resume it. */
  createShared(session: SessionKey, { name, host, requests }: NewStream): SharedStream {
    return new SharedStream({ ...this.#streamOptions(session), name, host, requests });
  }

  async resume(key: SessionKey, position: StreamPosition, resumption: Resumption): Promise<boolean> {
    const resumed = this.#resume(key, position, resumption);
    // Until this node has adopted the stream, the former one no longer notifies its client of changes.
    this.#options.readStates()?.hold(resumed);
    const stream = await resumed;
    if (stream) resumption.streams.adopt(stream);
    return stream !== undefined;
  }

  listen(key: SessionKey, stream: string): void {
    this.#registerListener(key, { stream, fence: 0 });
  }

  sendElsewhere(key: SessionKey, text: string, method?: string): Promise<void> | undefined {
    return method !== undefined && isSentByEveryNode(method) ? undefined : this.sendToListener(key, text);
  }

  /** Sends a message to the node which writes the stream opened by GET. Rejects when the session has no such stream. */
  sendToListener(key: SessionKey, text: string): Promise<void> {
    const { engine, name, send } = this.#options;
    const registerListener = (listener: ListenerStream): void => this.#registerListener(key, listener);
    return sendToListener(key, text, { engine, name, send, registerListener });
  }

  /** Connects a client to a stream of another node. */
  follow(session: SessionKey, { stream, sequence }: StreamPosition, following: Following): FollowedStream {
    const { engine, clock, name: node, watchers, isStable, fail } = this.#options;
    return new FollowedStream(
      {
        session,
        name: stream,
        events: engine.events,
        nodes: engine.nodes,
        node,
        canSeal: isStable,
        clock,
        ...following,
        watch: (wake) => watchers.watch(session, stream, wake),
        fail,
      },
      sequence,
    );
  }

  async #resume(key: SessionKey, position: StreamPosition, resumption: Resumption): Promise<SessionStream | undefined> {
    const { engine, name } = this.#options;
    const { host, streams, open } = resumption;
    const local = streams.find(position.stream);
    if (local instanceof SharedStream) {
      const outcome = await local.resume(position.sequence, open);
      if (outcome !== "fenced") return outcome === "resumed" ? local : undefined;
    }
    local?.release();
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const part = await readRest(engine.events, key, position);
      if (!part) return undefined;
      const stream =
        part.isResponse || part.isEnded
          ? this.follow(key, position, { retry: host.retry, open })
          : await this.#adopt(key, { position, part }, resumption);
      if (!stream) continue;
      if (part.owner !== name) this.#notifyOwner(key, stream, part.owner);
      return stream;
    }
    return undefined;
  }

  /** Takes over a stream opened by GET: this node writes it from now on. Returns `undefined` when another node has done so in the meantime. */
  async #adopt(
    session: SessionKey,
    { position: { stream: name, sequence }, part }: { readonly position: StreamPosition; readonly part: StreamPart },
    { host, open }: Resumption,
  ): Promise<SharedStream | undefined> {
    const { engine, name: node } = this.#options;
    const adopted = await engine.events.adopt(session, { stream: name, fence: part.fence, node });
    if (!adopted) return undefined;
    this.#registerListener(session, { stream: name, fence: adopted.fence });
    const stream = new SharedStream({ ...this.#streamOptions(session), name, host, requests: [], adopted });
    return (await stream.resume(sequence, open)) === "resumed" ? stream : undefined;
  }

  /** Registers this node as the writer of the stream opened by GET, in the background. */
  #registerListener(key: SessionKey, stream: ListenerStream): void {
    const { engine, name, readStates, fail } = this.#options;
    const listener = { node: name, ...stream };
    const states = readStates();
    if (states) return states.registerListener(key, listener);
    Promise.resolve()
      .then(() => engine.sessions.change(key, { listener }))
      .catch(fail);
  }

  #streamOptions(session: SessionKey): Omit<SharedStreamOptions, keyof NewStream> {
    const { engine, clock, name, unstored } = this.#options;
    return { session, events: engine.events, owner: name, clock, unstored };
  }

  /**
   * Notifies the former node of a stream where the client is now. If it has stopped, changes are missing from a stream opened by GET: an outage of the
   * engine must not hide the gap.
   */
  #notifyOwner(session: SessionKey, { key: stream, isListener }: SessionStream, owner: string): void {
    const { engine, clock, readStates, fail } = this.#options;
    const message = { kind: "resumed", session, stream } as const;
    // A node that was killed has a lease until it expires, but no connection.
    const isGone = async (): Promise<boolean> =>
      (await engine.nodes.send(owner, message)) === "absent" || !(await engine.nodes.isAlive(owner));
    const notify = async (): Promise<void> => {
      const hasMissed = (await repeatWhileLost(isGone, { clock })) && isListener;
      // The stream belongs to its session when this turn of the event loop is over.
      if (hasMissed) clock.after(0, () => readStates()?.notifyAll(session));
    };
    Promise.resolve().then(notify).catch(fail);
  }
}

/** Stream opened by GET, and the fence of the node which writes it. */
interface ListenerStream {
  readonly stream: string;
  readonly fence: number;
}

/** True if every node notifies its own clients of the change. */
function isSentByEveryNode(method: string): boolean {
  return method.endsWith("/list_changed") || method === "notifications/resources/updated";
}

/** Attempts to continue a stream whose owner changes meanwhile. */
const mostAttempts = 3;
