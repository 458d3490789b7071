import type { Awaitable } from "../../generated/support.ts";
import { createSecretId } from "../../runtime/internal/digest.ts";
import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import { toTimeouts } from "../../runtime/jsonrpc/limits.ts";
import type { CloseOptions } from "../../runtime/protocol/session/connection.ts";
import type { SessionKey, SessionStore } from "../../runtime/stores/session-store.ts";
import type { Exchange } from "../../runtime/transport/http-server/exchange/exchange.ts";
import type { HttpSession } from "../../runtime/transport/http-server/session/session.ts";
import type {
  BoundRequest,
  ForwardedPost,
  FoundSession,
  LiveSessions,
  LiveStream,
  SessionDirectory,
  SharedService,
} from "../../runtime/transport/http-server/session/session-directory.ts";
import type { RequestDirectory, StreamDirectory } from "../../runtime/transport/http-server/session/session-streams.ts";
import type { ClusterNode } from "../cluster-node.ts";
import type { SharedSessionValues } from "../engine/session-values.ts";
import { NodeSession, RelayedSession } from "./found-sessions.ts";

/** Sessions of a cluster: every node serves each of them, or relays its requests to the only node able to. */
export class ClusterSessions implements SessionDirectory {
  readonly store: SessionStore;
  readonly streams: StreamDirectory;
  readonly requests: RequestDirectory;
  readonly #node: ClusterNode;
  #sessions: LiveSessions | undefined;
  /** True if a session can only be served by the node which opened it. */
  #areBound = false;

  constructor(node: ClusterNode) {
    this.#node = node;
    this.store = node.store;
    this.streams = node.streams;
    this.requests = node.requests;
  }

  start(sessions: LiveSessions, streams: ReadonlyMap<string, LiveStream>, service: SharedService): void {
    this.#sessions = sessions;
    this.#areBound = service.areSessionsBound === true;
    this.#node.start(sessions, streams, service.clients);
    service.startTasks?.(this.#node.tasks);
  }

  createId({ isBound }: { readonly isBound: boolean }): string {
    return isBound ? `${createSecretId()}.${this.#node.name}` : createSecretId();
  }

  createValues(key: SessionKey): SharedSessionValues {
    return this.#node.createValues(key);
  }

  access(key: SessionKey, reserve: readonly RequestId[]): Promise<FoundSession | undefined> {
    const sessions = this.#started;
    const owner = this.#areBound ? this.#node.relays.findOwner(key.id) : undefined;
    return sessions.searches.wait(key.id, this.#node.access(key, reserve, owner), (found) => {
      const session = owner === undefined ? sessions.continue(key, found?.record) : undefined;
      const revision = session ? session.revision : sessions.findRevision(found?.record);
      if (!found) return undefined;
      const { used } = found;
      const unused = reserve.filter((id) => !used.includes(id));
      const release = (): void => this.#node.releaseUnused(key, unused, owner);
      const access = { node: this.#node, sessions, used, release };
      if (sessions.isClosed && reserve.length > 0) return void release();
      if (owner !== undefined && revision && !sessions.isClosed)
        return new RelayedSession({ key, node: owner, revision }, access);
      if (!session) return void release();
      this.#node.update(session, found);
      // The confirmation of the handshake may have reached another node. Its client sends nothing else before.
      session.connection.confirm?.();
      return new NodeSession(session, access);
    });
  }

  isStored(key: SessionKey): Promise<boolean> {
    return this.#node.isStored(key);
  }

  async endUnknown(key: SessionKey): Promise<void> {
    if (!this.#started.isClosed) await this.#node.end(key);
  }

  forwardPost(key: SessionKey, post: ForwardedPost): Promise<boolean> {
    return this.#node.forwardPost(key, post);
  }

  relayStateless(exchange: Exchange, { identity, message, state }: BoundRequest): Awaitable<boolean> {
    const { relays } = this.#node;
    const node = relays.findOwner(state);
    return node !== undefined && relays.stateless(exchange, { identity, message, node });
  }

  drain(sessions: Iterable<HttpSession>, options: CloseOptions = {}): Promise<void> {
    const { drain = toTimeouts(undefined).drain } = options;
    return this.#node.drain(sessions, { drain, retry: this.#started.settings.retry });
  }

  close(): Promise<void> {
    return this.#node.leave();
  }

  get #started(): LiveSessions {
    if (!this.#sessions) throw new Error("The node serves no sessions yet; start it first");
    return this.#sessions;
  }
}
