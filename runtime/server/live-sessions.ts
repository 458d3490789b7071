import type { NotificationRow } from "../../generated/support.ts";
import { refusalCodes } from "../rpc/refusal-codes.ts";
import { RpcError } from "../rpc/errors.ts";
import type { Connection } from "../rpc/peer.ts";
import type { Session } from "../rpc/session.ts";
import { Listeners } from "./listeners.ts";
import { findRow } from "../common/rows.ts";

/** The sessions that a server has now: who hears of changes. A session that ends is forgotten, with all that it asked for. */
export interface LiveSessions {
  /** Counts a session among those that live, until its connection closes. */
  join(connection: Connection): void;
  /** Sends a notification to every session whose revision has it, and to those who listen for it. */
  tell(handler: string, params: object | undefined): void;
  /** Remembers that a session wants to hear of a resource. Does nothing for one that does not live. */
  subscribe(session: Session, uri: string): void;
  unsubscribe(session: Session, uri: string): void;
  /** Tells those who subscribed to any of the URIs that the first has changed, each once. */
  tellSubscribers(uris: readonly [string, ...string[]]): void;
  /** Requests that wait for news without a session. */
  readonly listeners: Listeners;
  /** Most subscriptions of one session, or of one such request. */
  readonly mostSubscriptions: number;
  /** How many sessions live. */
  readonly size: number;
  /** Closes every connection in order. */
  close(): Promise<void>;
}

/** Makes an empty register of sessions; `mostSubscriptions` holds for each of them. */
export function createLiveSessions(mostSubscriptions: number): LiveSessions {
  return new SessionRegister(mostSubscriptions);
}

interface Member {
  readonly connection: Connection;
  readonly session: Session;
  readonly uris: Set<string>;
}

class SessionRegister implements LiveSessions {
  readonly #members = new Map<Session, Member>();
  readonly #byUri = new Map<string, Set<Member>>();
  readonly listeners: Listeners = new Listeners();
  readonly mostSubscriptions: number;

  constructor(mostSubscriptions: number) {
    this.mostSubscriptions = mostSubscriptions;
  }

  get size(): number {
    return this.#members.size;
  }

  join(connection: Connection): void {
    const { session } = connection;
    if (!session) return;
    this.#members.set(session, { connection, session, uris: new Set() });
    void connection.closed.then(() => this.#leave(session));
  }

  tell(handler: string, params: object | undefined): void {
    for (const member of this.#members.values()) send(member, handler, params);
    this.listeners.tell(handler, params);
  }

  subscribe(session: Session, uri: string): void {
    const member = this.#members.get(session);
    if (!member || member.uris.has(uri)) return;
    if (member.uris.size >= this.mostSubscriptions) throw tooMany(this.mostSubscriptions);
    member.uris.add(uri);
    const others = this.#byUri.get(uri);
    if (others) others.add(member);
    else this.#byUri.set(uri, new Set([member]));
  }

  unsubscribe(session: Session, uri: string): void {
    const member = this.#members.get(session);
    if (member?.uris.delete(uri)) this.#forget(member, uri);
  }

  tellSubscribers(uris: readonly [string, ...string[]]): void {
    const told = new Set(uris.flatMap((uri) => [...(this.#byUri.get(uri) ?? [])]));
    for (const member of told) send(member, "resourceUpdated", { uri: uris[0] });
    this.listeners.tellUpdated(uris);
  }

  async close(): Promise<void> {
    const members = [...this.#members.values()].map(({ connection }) => connection.close());
    await Promise.all([...members, this.listeners.close()]);
  }

  #leave(session: Session): void {
    const member = this.#members.get(session);
    if (!member) return;
    this.#members.delete(session);
    for (const uri of member.uris) this.#forget(member, uri);
  }

  #forget(member: Member, uri: string): void {
    const members = this.#byUri.get(uri);
    members?.delete(member);
    if (members?.size === 0) this.#byUri.delete(uri);
  }
}

/** The refusal of more subscriptions than one client may have. */
export function tooMany(limit: number): RpcError {
  return new RpcError(refusalCodes.tooMany, `Too many subscriptions: a session may have ${limit}`, { data: { limit } });
}

/** A session that is about to end may not get it any more: that is nobody's failure. */
function send({ connection, session }: Member, handler: string, params: object | undefined): void {
  const row: NotificationRow | undefined = findRow(session.revision.serverNotifications, handler);
  if (row) connection.notify(row, params).catch(() => {});
}
