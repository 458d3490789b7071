import type { NotificationRow, Revision } from "../../../generated/support.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { setLogLevel } from "../logging/log-levels.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import type { CloseOptions } from "../../protocol/session/connection.ts";
import type { ListKind } from "../../protocol/methods/list-kinds.ts";
import type { Session } from "../../protocol/session/session.ts";

/** Receiver of changes in addition to the sessions. */
export interface Audience {
  /** True if the receiver passes notifications on to other processes, and receives theirs. */
  readonly isShared?: boolean;
  /** True if no request waits for changes here. Default: not known. */
  readonly isIdle?: boolean;
  /** URIs of the resources with subscribers. */
  readonly subscribedUris?: Iterable<string>;
  /** Returns what clients see of the changeable lists, as JSON texts. */
  describeLists?(): ReadonlyMap<ListKind, string>;
  /** Called at each change of a list, before clients are notified. */
  listChanged?(kind: ListKind): void;
  /** Notifies of a change visible to any receiver. */
  notify?(handler: string, params: object | undefined): void;
  /** Notifies of a change to the resource at the first URI. The other URIs contain it. */
  notifyUpdated?(uris: readonly [string, ...string[]]): void;
  /** Notifies of a change visible to subscribers of its topic only. */
  notifyTopic?(topic: string, handler: string, params: object): void;
  /** Subscribes a session to a resource, as its client has done in another process. */
  subscribe?(session: Session, uri: string): void;
  /** Ends a subscription of a session. */
  unsubscribe?(session: Session, uri: string): void;
  /** Called when a session is added. */
  joined?(connection: Connection): void;
  /** Ends the requests waiting for changes. Required: a receiver with requests must not forget it. */
  close(options?: CloseOptions): Promise<void>;
}

/** Registry of the live sessions of a server, which receive change notifications. Ended sessions are removed. */
export interface SessionRegistry extends Required<
  Pick<Audience, "notify" | "notifyUpdated" | "notifyTopic" | "describeLists" | "close">
> {
  /** Receivers of changes in addition to the sessions. */
  readonly audiences: readonly Audience[];
  /** Adds a session until its connection closes. */
  join(connection: Connection): void;
  /** Returns the connection of a live session. */
  find(session: Session): Connection | undefined;
  /** Adds a receiver of changes. */
  attach(audience: Audience): void;
  /** Sets the log level of a session, as its client has done in another process. */
  setLogLevel(session: Session, level: string): void;
  /** Number of sessions whose connection is open. */
  readonly size: number;
}

/** Creates an empty session registry. */
export function createSessionRegistry(): SessionRegistry {
  return new SessionRegister();
}

class SessionRegister implements SessionRegistry {
  readonly #members = new Map<Session, Connection>();
  readonly audiences: Audience[] = [];

  describeLists(): ReadonlyMap<ListKind, string> {
    return new Map(this.audiences.flatMap((audience) => [...(audience.describeLists?.() ?? [])]));
  }

  get size(): number {
    return this.#members.size;
  }

  setLogLevel(session: Session, level: string): void {
    setLogLevel(session, level);
  }

  join(connection: Connection): void {
    const { session } = connection;
    if (!session) return;
    this.#members.set(session, connection);
    for (const other of this.audiences) other.joined?.(connection);
    void connection.closed.then(() => this.#members.delete(session));
  }

  find(session: Session): Connection | undefined {
    return this.#members.get(session);
  }

  attach(audience: Audience): void {
    this.audiences.push(audience);
  }

  notify(handler: string, params: object | undefined): void {
    notifySessions(this.#members.values(), handler, params);
    for (const other of this.audiences) other.notify?.(handler, params);
  }

  notifyUpdated(uris: readonly [string, ...string[]]): void {
    for (const other of this.audiences) other.notifyUpdated?.(uris);
  }

  notifyTopic(topic: string, handler: string, params: object): void {
    for (const other of this.audiences) other.notifyTopic?.(topic, handler, params);
  }

  async close(options?: CloseOptions): Promise<void> {
    const closing: unknown[] = [...this.#members.values()].map((connection) => connection.close(options));
    closing.push(...this.audiences.map((other) => other.close(options)));
    await Promise.all(closing);
  }
}

/**
 * Sends a notification to each session whose revision defines it. A failed send is ignored, as the session may be closing: connections handle it.
 */
export function notifySessions(connections: Iterable<Connection>, handler: string, params: object | undefined): void {
  const rows = new Map<Revision, NotificationRow | undefined>();
  for (const connection of connections) {
    const revision = connection.session?.revision;
    if (!revision) continue;
    const row = rows.get(revision) ?? findRow(revision.serverNotifications, handler);
    rows.set(revision, row);
    if (row) void connection.notify(row, params);
  }
}
