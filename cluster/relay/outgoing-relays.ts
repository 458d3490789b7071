import type { Clock } from "../../runtime/internal/timers.ts";
import type { Incoming } from "../../runtime/jsonrpc/message.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { Engine } from "../stores/engine.ts";
import type { StreamPosition } from "../../runtime/stores/event-store.ts";
import type { NodeMessage } from "../stores/node-directory.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { StreamPart } from "../stores/shared-event-store.ts";
import type { ForwardedPost } from "../../runtime/transport/http-server/session/session-directory.ts";
import type { SessionStream } from "../../runtime/transport/http-server/session/event-stream.ts";
import { ChangeSignal } from "../../runtime/internal/change-signal.ts";
import type { Following } from "../streams/followed-stream.ts";
import { readRest } from "../streams/read-rest.ts";
import type { StreamWatchers } from "../streams/stream-watchers.ts";
import { isUnserved } from "./unserved.ts";

/** Dependencies of the requests relayed by a node. */
export interface OutgoingRelaysOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly watchers: StreamWatchers;
  /** Returns true if an expired lease proves that its node has stopped. */
  isStable(): boolean;
  /** Sends a message, and waits while the absence of a node may end. */
  send(node: string, message: NodeMessage): Promise<"sent" | "absent">;
  /** Connects the client to a stream of another node, after an event. */
  follow(key: SessionKey, position: StreamPosition, following: Following): FollowedResponse;
  /** Ends a session on all nodes, in the background. */
  end(key: SessionKey): void;
  /** Returns the name of a new stream. */
  nameStream(): string;
}

/** Stream of another node, and its connection to a client. */
export interface FollowedResponse extends SessionStream {
  /** Resolves when the connection has ended. */
  readonly finished: Promise<void>;
}

/** Session served by only one other node. */
export interface RemoteKey {
  readonly key: SessionKey;
  readonly node: string;
}

/** Request for another node: a POST, or a GET which opens a stream. */
export interface Relay {
  readonly remote: RemoteKey;
  readonly post?: ForwardedPost & { readonly isStateless?: boolean };
  readonly following: Following;
}

/** Outcome of the relay of a request. */
export type RelayOutcome =
  | { readonly kind: "followed"; readonly stream: FollowedResponse }
  /** The session has ended, or the node that served it has stopped. */
  | { readonly kind: "ended" }
  /** The node cannot be reached at the moment, and has not received the request. */
  | { readonly kind: "unavailable" }
  /** The node that received the request has stopped, so that its effects are unknown. */
  | { readonly kind: "lost" };

/**
 * Requests passed on by this node to the only node able to serve them. This other node writes its messages to a new stream of the store, and this
 * node follows the stream.
 */
export class OutgoingRelays {
  readonly #options: OutgoingRelaysOptions;

  constructor(options: OutgoingRelaysOptions) {
    this.#options = options;
  }

  /** Relays a request. Resolves when the other node has begun to serve it, or cannot serve it. */
  async begin(relay: Relay): Promise<RelayOutcome> {
    const { key } = relay.remote;
    const { watchers, nameStream } = this.#options;
    const changes = new ChangeSignal();
    const stream = nameStream();
    const unwatch = await watchers.watch(key, stream, changes.set);
    let outcome: RelayOutcome | undefined;
    try {
      outcome = await this.#send(relay, { stream, changes });
      return outcome;
    } finally {
      // The stream is watched until its connection ends: events would be missed between two watches.
      if (outcome?.kind === "followed") void outcome.stream.finished.then(unwatch);
      else unwatch();
    }
  }

  /** Connects the client to a stream after an event; returns `undefined` when the position is unknown. */
  async resume(
    { key, node }: RemoteKey,
    position: StreamPosition,
    following: Following,
  ): Promise<FollowedResponse | undefined> {
    const { engine, follow } = this.#options;
    if (!(await readRest(engine.events, key, position))) return undefined;
    await engine.nodes.send(node, { kind: "resumed", session: key, stream: position.stream });
    return follow(key, position, following);
  }

  /** Sends a message of the client to the node of its session. */
  async deliver({ key: session, node }: RemoteKey, incoming: Incoming): Promise<void> {
    await this.#options.engine.nodes.send(node, { kind: "deliver", session, incoming });
  }

  /** Returns true if the node of a session is there. If it has stopped, the session ends. */
  async isServed({ key, node }: RemoteKey): Promise<boolean> {
    const { engine, isStable, end } = this.#options;
    if ((await engine.nodes.isAlive(node)) || !isStable()) return true;
    end(key);
    return false;
  }

  async #send(
    relay: Relay,
    { stream, changes }: { readonly stream: string; readonly changes: ChangeSignal },
  ): Promise<RelayOutcome> {
    const { remote, following } = relay;
    const { key, node } = remote;
    const { send, follow, end } = this.#options;
    if ((await send(node, toMessage(stream, relay))) === "absent")
      return { kind: (await this.isServed(remote)) ? "unavailable" : "ended" };
    const part = await this.#readFirst(relay, stream, changes);
    if (part === "ended" || part === "lost") return { kind: part };
    if (!isUnserved(part)) return { kind: "followed", stream: follow(key, { stream, sequence: -1 }, following) };
    end(key);
    return { kind: "ended" };
  }

  /** Waits for the first events of a stream, until its session has ended or its node has stopped. */
  async #readFirst(relay: Relay, stream: string, changes: ChangeSignal): Promise<StreamPart | "ended" | "lost"> {
    for (;;) {
      const isChanged = await changes.wait(this.#options.clock, pollInterval);
      changes.clear();
      try {
        const found = await this.#findFirst(relay, stream, isChanged);
        if (found) return found;
      } catch (thrown) {
        // The other node has the request: the client must not repeat it.
        if (!(thrown instanceof EngineError)) throw thrown;
      }
    }
  }

  async #findFirst(
    { remote: { key, node }, post }: Relay,
    stream: string,
    isChanged: boolean,
  ): Promise<StreamPart | "ended" | "lost" | undefined> {
    const { engine, isStable } = this.#options;
    const part = await engine.events.read(key, { stream, sequence: -1 });
    if (part || isChanged) return part;
    if (!(await engine.nodes.isAlive(node)) && isStable()) return "lost";
    // The streams of a session are removed when it ends.
    const hasEnded = post?.isStateless !== true && !(await engine.sessions.readState(key));
    return hasEnded ? "ended" : undefined;
  }
}

function toMessage(stream: string, { remote, post }: Relay): NodeMessage {
  const { key: session } = remote;
  if (!post) return { kind: "listen", session, stream };
  const { value, identity, isStateless } = post;
  return { kind: "post", session, value, stream, ...(identity && { identity }), ...(isStateless && { isStateless }) };
}

/** Milliseconds between two checks of the node of a stream before it begins. */
const pollInterval = 1_000;
