import type { ListKind } from "../../runtime/protocol/methods/list-kinds.ts";
import type { CloseOptions } from "../../runtime/protocol/session/connection.ts";
import type { Connection } from "../../runtime/protocol/peer/peer.ts";
import type { Session } from "../../runtime/protocol/session/session.ts";
import type { Middleware } from "../../runtime/server/middleware/middleware.ts";
import {
  createSessionRegistry,
  type Audience,
  type SessionRegistry,
} from "../../runtime/server/subscriptions/session-registry.ts";
import { isObject } from "../../generated/support.ts";

/** Sessions of a server with a swapped definition, and the lasting subscriptions of its clients. */
export class SwappedSessions {
  readonly registry: SessionRegistry = createSessionRegistry();
  readonly #connections = new Set<Connection>();
  readonly #subscriptions = new Map<Session, Set<string>>();
  readonly #audiences = new AudienceGroup((connection) => this.#watch(connection));

  constructor() {
    this.registry.attach(this.#audiences);
  }

  /** Open sessions. */
  get connections(): ReadonlySet<Connection> {
    return this.#connections;
  }

  /** Creates the registry of one definition. What its features attach receives changes from the time when the definition is used. */
  createView(): SessionsView {
    const pending: Audience[] = [];
    const { registry } = this;
    const group = this.#audiences;
    let isUsed = false;
    return {
      registry: {
        get audiences() {
          return [...registry.audiences.filter((audience) => audience !== group), ...group.members];
        },
        get size() {
          return registry.size;
        },
        attach: (audience) => (isUsed ? group.add(audience) : void pending.push(audience)),
        join: (connection) => registry.join(connection),
        find: (session) => registry.find(session),
        describeLists: () => registry.describeLists(),
        setLogLevel: (session, level) => registry.setLogLevel(session, level),
        notify: (handler, params) => registry.notify(handler, params),
        notifyUpdated: (uris) => registry.notifyUpdated(uris),
        notifyTopic: (topic, handler, params) => registry.notifyTopic(topic, handler, params),
        close: (options) => registry.close(options),
      },
      use: () => {
        isUsed = true;
        this.#replace(pending);
      },
    };
  }

  /** Middleware to record the resources to which the clients of sessions have subscribed. */
  readonly recordSubscriptions: Middleware = async ({ method, params, context: { session } }, next) => {
    const result = await next();
    const uri = isObject(params) ? params.uri : undefined;
    const connection = typeof uri === "string" ? this.#findConnection(session) : undefined;
    if (!connection?.session || typeof uri !== "string") return result;
    if (method === "resources/unsubscribe") this.#subscriptions.get(connection.session)?.delete(uri);
    if (method === "resources/subscribe") this.#record(connection.session, uri);
    return result;
  };

  #findConnection(session: object): Connection | undefined {
    return [...this.#connections].find((connection) => connection.session === session);
  }

  #record(session: Session, uri: string): void {
    const uris = this.#subscriptions.get(session) ?? new Set();
    this.#subscriptions.set(session, uris.add(uri));
  }

  #replace(audiences: readonly Audience[]): void {
    this.#audiences.replace(audiences);
    for (const connection of this.#connections) for (const audience of audiences) audience.joined?.(connection);
    for (const [session, uris] of this.#subscriptions) for (const uri of uris) this.#audiences.subscribe(session, uri);
  }

  #watch(connection: Connection): void {
    this.#connections.add(connection);
    void connection.closed.then(() => {
      this.#connections.delete(connection);
      if (connection.session) this.#subscriptions.delete(connection.session);
    });
  }
}

/** Registry of sessions for one definition. */
export interface SessionsView {
  readonly registry: SessionRegistry;
  /** Replaces the earlier definition. */
  use(): void;
}

/**
 * Receivers of changes of all definitions so far. Requests which wait for changes were received by an earlier definition, and stay open.
 * Subscriptions of sessions belong to the last definition.
 */
class AudienceGroup implements Required<Omit<Audience, "isShared" | "isIdle">> {
  readonly #onJoin: (connection: Connection) => void;
  #earlier: readonly Audience[] = [];
  #current: readonly Audience[] = [];

  constructor(onJoin: (connection: Connection) => void) {
    this.#onJoin = onJoin;
  }

  get members(): readonly Audience[] {
    return [...this.#earlier, ...this.#current];
  }

  get subscribedUris(): Iterable<string> {
    return this.members.flatMap((member) => [...(member.subscribedUris ?? [])]);
  }

  describeLists(): ReadonlyMap<ListKind, string> {
    return new Map(this.#current.flatMap((member) => [...(member.describeLists?.() ?? [])]));
  }

  add(audience: Audience): void {
    this.#current = [...this.#current, audience];
  }

  replace(audiences: readonly Audience[]): void {
    const kept = this.#current.filter((member) => member.notify && !member.subscribe);
    // A request received by an earlier definition may still be added, so its receivers stay for one more definition.
    this.#earlier = [...this.#earlier.filter(({ isIdle }) => !isIdle), ...kept];
    this.#current = audiences;
  }

  listChanged(kind: ListKind): void {
    for (const member of this.members) member.listChanged?.(kind);
  }

  notify(handler: string, params: object | undefined): void {
    for (const member of this.members) member.notify?.(handler, params);
  }

  notifyUpdated(uris: readonly [string, ...string[]]): void {
    for (const member of this.members) member.notifyUpdated?.(uris);
  }

  notifyTopic(topic: string, handler: string, params: object): void {
    for (const member of this.members) member.notifyTopic?.(topic, handler, params);
  }

  subscribe(session: Session, uri: string): void {
    for (const member of this.#current) member.subscribe?.(session, uri);
  }

  unsubscribe(session: Session, uri: string): void {
    for (const member of this.#current) member.unsubscribe?.(session, uri);
  }

  joined(connection: Connection): void {
    this.#onJoin(connection);
    for (const member of this.#current) member.joined?.(connection);
  }

  async close(options?: CloseOptions): Promise<void> {
    await Promise.all(this.members.map((member) => member.close(options)));
  }
}
