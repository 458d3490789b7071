import type { NotificationRow } from "../../../generated/support.ts";
import { findRow } from "../../protocol/method-rows.ts";
import type { Connection } from "../../protocol/peer.ts";
import type { Session } from "../../protocol/session.ts";

/** Somebody who hears of changes in another way than every session does. */
export interface Audience {
  // @part changes
  /** Something changed that all may hear of. */
  notify?(handler: string, params: object | undefined): void;
  // @part changes
  /** What is behind the first of these URIs has changed; the others are what it is a part of. */
  notifyUpdated?(uris: readonly [string, ...string[]]): void;
  // @part changes
  /** Something changed that only those hear of who asked for its topic. */
  notifyTopic?(topic: string, handler: string, params: object): void;
  /** Ends what waits for news. */
  close?(): Promise<void>;
}

/** The sessions that a server has now: who hears of changes. A session that ends is forgotten. */
export interface SessionRegistry extends Required<Audience> {
  /** Counts a session among those that live, until its connection closes. */
  join(connection: Connection): void;
  // @part changes
  /** The connection of a session that lives. */
  find(session: Session): Connection | undefined;
  // @part changes
  /** Lets others hear of changes as well. */
  attach(audience: Audience): void;
  /** How many sessions live. */
  readonly size: number;
}

/** Makes an empty register of sessions. */
export function createSessionRegistry(): SessionRegistry {
  return new SessionRegister();
}

class SessionRegister implements SessionRegistry {
  readonly #members = new Map<Session, Connection>();
  // @part changes
  readonly #others: Audience[] = [];

  get size(): number {
    return this.#members.size;
  }

  join(connection: Connection): void {
    const { session } = connection;
    if (!session) return;
    this.#members.set(session, connection);
    void connection.closed.then(() => this.#members.delete(session));
  }

  // @part changes
  find(session: Session): Connection | undefined {
    return this.#members.get(session);
  }

  // @part changes
  attach(audience: Audience): void {
    this.#others.push(audience);
  }

  // @part changes
  notify(handler: string, params: object | undefined): void {
    for (const connection of this.#members.values()) notifySession(connection, handler, params);
    for (const other of this.#others) other.notify?.(handler, params);
  }

  // @part changes
  notifyUpdated(uris: readonly [string, ...string[]]): void {
    for (const other of this.#others) other.notifyUpdated?.(uris);
  }

  // @part changes
  notifyTopic(topic: string, handler: string, params: object): void {
    for (const other of this.#others) other.notifyTopic?.(topic, handler, params);
  }

  async close(): Promise<void> {
    const closing: unknown[] = [...this.#members.values()].map((connection) => connection.close());
    // @part changes
    closing.push(...this.#others.map((other) => other.close?.()));
    await Promise.all(closing);
  }
}

/** Sends a notification, if the session's revision has it. One that is about to end may not get it any more: that is nobody's failure. */
export function notifySession(connection: Connection, handler: string, params: object | undefined): void {
  const { session } = connection;
  const row: NotificationRow | undefined = session && findRow(session.revision.serverNotifications, handler);
  if (row) connection.notify(row, params).catch(() => {});
}
