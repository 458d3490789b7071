import type { ServedHandlers } from "../methods/served-handlers.ts";
import type { RevisionServer } from "../revision-server.ts";
import { requireScopes } from "../scopes.ts";
import { resourceNotFound, type ResourceRegistry } from "./registry.ts";
import { RpcError } from "../../jsonrpc/errors.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import type { Session } from "../../protocol/session/session.ts";
import { Shares } from "../../stores/shares.ts";
import { notifySessions, type Audience, type SessionRegistry } from "../subscriptions/session-registry.ts";

/** Implements `resources/subscribe` and `resources/unsubscribe`. Subscribing does not disclose resources hidden from the client. */
export function implementSubscriptions(
  registry: ResourceRegistry,
  subscriptions: SessionSubscriptions,
  server: RevisionServer,
): ServedHandlers {
  return {
    subscribe({ uri }, call) {
      const requester = server.scope(call);
      const resource = registry.locate(uri, requester);
      if (!resource) throw resourceNotFound(uri, server.revision);
      requireScopes(resource, requester);
      subscriptions.subscribe(call.session, uri, requester.auth?.principal);
      return {};
    },
    unsubscribe({ uri }, call) {
      subscriptions.unsubscribe(call.session, uri);
      return {};
    },
  };
}

/** Resource subscriptions of sessions. When a session ends, its subscriptions are removed. */
export class SessionSubscriptions implements Audience {
  readonly #sessions: SessionRegistry;
  readonly #most: number;
  readonly #byConnection = new Map<Connection, Subscribed>();
  readonly #byUri = new Map<string, Set<Connection>>();
  /** Characters of the URIs of all sessions, of which each principal has a share. */
  readonly #sizes = new Shares(mostCharactersOfAll);

  /** @param most - maximum number of subscriptions of one session */
  constructor(sessions: SessionRegistry, most: number) {
    this.#sessions = sessions;
    this.#most = most;
  }

  get subscribedUris(): Iterable<string> {
    return this.#byUri.keys();
  }

  /**
   * Subscribes a session to a resource. Does nothing for an ended session.
   *
   * @param owner - principal of the session; unknown for sessions of other nodes
   * @throws {RpcError} when the session, its principal or the server has the maximum of subscriptions
   */
  subscribe(session: Session, uri: string, owner?: string): void {
    const connection = this.#sessions.find(session);
    if (!connection) return;
    const { uris, owner: holder } = this.#find(connection, owner);
    if (uris.has(uri)) return;
    if (uris.size >= this.#most) throw tooMany(this.#most);
    if (countCharacters(uris) + uri.length > mostCharacters) throw tooMany(mostCharacters, " characters");
    const size = sizeOfEntries([uri]);
    if (size > this.#sizes.roomFor(holder)) throw full();
    this.#sizes.change(holder, size);
    uris.add(uri);
    const others = this.#byUri.get(uri);
    if (others) others.add(connection);
    else this.#byUri.set(uri, new Set([connection]));
  }

  unsubscribe(session: Session, uri: string): void {
    const connection = this.#sessions.find(session);
    if (!connection) return;
    const subscribed = this.#byConnection.get(connection);
    if (subscribed?.uris.delete(uri)) this.#forget(connection, uri, subscribed.owner);
  }

  /** Notifies each session with a subscription to any of the URIs: the first one has changed. Each session gets one notification. */
  notifyUpdated(uris: readonly [string, ...string[]]): void {
    const subscribed = new Set(uris.flatMap((uri) => [...(this.#byUri.get(uri) ?? [])]));
    notifySessions(subscribed, "resourceUpdated", { uri: uris[0] });
  }

  /** Does nothing, as subscriptions end with their sessions. */
  async close(): Promise<void> {}

  #find(connection: Connection, owner: string | undefined): Subscribed {
    const known = this.#byConnection.get(connection);
    if (known) return known;
    const added = { uris: new Set<string>(), owner };
    this.#byConnection.set(connection, added);
    void connection.closed.then(() => this.#leave(connection, added));
    return added;
  }

  #leave(connection: Connection, { uris, owner }: Subscribed): void {
    this.#byConnection.delete(connection);
    for (const uri of uris) this.#forget(connection, uri, owner);
  }

  #forget(connection: Connection, uri: string, owner: string | undefined): void {
    this.#sizes.change(owner, -sizeOfEntries([uri]));
    const connections = this.#byUri.get(uri);
    connections?.delete(connection);
    if (connections?.size === 0) this.#byUri.delete(uri);
  }
}

/** Subscriptions of a session, with their principal. */
interface Subscribed {
  readonly uris: Set<string>;
  readonly owner: string | undefined;
}

/** Characters of all URIs of one session: engines store them together. */
const mostCharacters = 1024 * 1024;

/** Characters of all URIs of all sessions. */
const mostCharactersOfAll = 64 * 1024 * 1024;

/** Returns the memory subscriptions take, in characters. Each entry counts for 64 of them in addition to its own. */
export function sizeOfEntries(entries: readonly string[]): number {
  return countCharacters(entries) + entries.length * 64;
}

/** Counts the characters of texts. */
export function countCharacters(texts: Iterable<string>): number {
  let count = 0;
  for (const { length } of texts) count += length;
  return count;
}

/** Creates the error response for a client with too many subscriptions. */
export function tooMany(limit: number, unit = "", holder: "session" | "request" = "session"): RpcError {
  return new RpcError(rejectionCodes.tooMany, `Too many subscriptions; the limit of a ${holder} is ${limit}${unit}`, {
    data: { limit },
  });
}

/** Creates the error response for a principal whose share is used up. */
export function full(): RpcError {
  return new RpcError(rejectionCodes.tooMany, "Too many subscriptions are open; retry when others have ended");
}
