import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { FeatureContext } from "../feature.ts";
import { requireScopes } from "../scopes.ts";
import { resourceNotFound, type ResourceRegistry } from "./registry.ts";
import { RpcError } from "../../jsonrpc/errors.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import type { Session } from "../../protocol/session/session.ts";
import { notifySessions, type Audience, type SessionRegistry } from "../subscriptions/session-registry.ts";

/** Implements `resources/subscribe` and `resources/unsubscribe`. A client that may not see a resource cannot discover it by subscribing. */
export function implementSubscriptions(
  registry: ResourceRegistry,
  subscriptions: SessionSubscriptions,
  { revision, toContext }: FeatureContext,
): object {
  return {
    subscribe({ uri }: UriParams, call: CallContext) {
      const requester = toContext(call);
      const resource = registry.locate(uri, requester);
      if (!resource) throw resourceNotFound(uri, revision);
      requireScopes(resource, requester);
      subscriptions.subscribe(call.session, uri);
      return {};
    },
    unsubscribe({ uri }: UriParams, call: CallContext) {
      subscriptions.unsubscribe(call.session, uri);
      return {};
    },
  };
}

/** Params of a request about one resource. */
export interface UriParams {
  readonly uri: string;
}

/** Resource subscriptions of sessions. When a session ends, its subscriptions are removed. */
export class SessionSubscriptions implements Audience {
  readonly #sessions: SessionRegistry;
  readonly #most: number;
  readonly #byConnection = new Map<Connection, Set<string>>();
  readonly #byUri = new Map<string, Set<Connection>>();

  /** @param most - maximum number of subscriptions of one session */
  constructor(sessions: SessionRegistry, most: number) {
    this.#sessions = sessions;
    this.#most = most;
  }

  get subscribedUris(): Iterable<string> {
    return this.#byUri.keys();
  }

  /**
   * Subscribes a session to a resource. Does nothing for a session that has ended.
   *
   * @throws {RpcError} when the session already has the maximum number of subscriptions.
   */
  subscribe(session: Session, uri: string): void {
    const connection = this.#sessions.find(session);
    const uris = connection && this.#urisOf(connection);
    if (!uris || uris.has(uri)) return;
    if (uris.size >= this.#most) throw tooMany(this.#most);
    if (countCharacters(uris) + uri.length > mostCharacters) throw tooMany(mostCharacters, " characters");
    uris.add(uri);
    const others = this.#byUri.get(uri);
    if (others) others.add(connection);
    else this.#byUri.set(uri, new Set([connection]));
  }

  unsubscribe(session: Session, uri: string): void {
    const connection = this.#sessions.find(session);
    if (connection && this.#byConnection.get(connection)?.delete(uri)) this.#forget(connection, uri);
  }

  /** Notifies each session that subscribed to any of the URIs that the first has changed. Each session gets one notification. */
  notifyUpdated(uris: readonly [string, ...string[]]): void {
    const subscribed = new Set(uris.flatMap((uri) => [...(this.#byUri.get(uri) ?? [])]));
    notifySessions(subscribed, "resourceUpdated", { uri: uris[0] });
  }

  #urisOf(connection: Connection): Set<string> {
    const known = this.#byConnection.get(connection);
    if (known) return known;
    const uris = new Set<string>();
    this.#byConnection.set(connection, uris);
    void connection.closed.then(() => this.#leave(connection, uris));
    return uris;
  }

  #leave(connection: Connection, uris: Iterable<string>): void {
    this.#byConnection.delete(connection);
    for (const uri of uris) this.#forget(connection, uri);
  }

  #forget(connection: Connection, uri: string): void {
    const connections = this.#byUri.get(uri);
    connections?.delete(connection);
    if (connections?.size === 0) this.#byUri.delete(uri);
  }
}

/** Characters of all URIs of one session: engines store them together. */
const mostCharacters = 1024 * 1024;

function countCharacters(texts: Iterable<string>): number {
  let count = 0;
  for (const { length } of texts) count += length;
  return count;
}

/** Creates the error response for a client that has too many subscriptions. */
export function tooMany(limit: number, unit = ""): RpcError {
  return new RpcError(rejectionCodes.tooMany, `Too many subscriptions; the limit of a session is ${limit}${unit}`, {
    data: { limit },
  });
}
