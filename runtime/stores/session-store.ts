import type { Awaitable } from "../../generated/support.ts";
import type { PeerInfo } from "../protocol/session.ts";

/** Names a session, and whose it is: to anybody else it does not exist. */
export interface SessionKey {
  /** Unguessable. */
  readonly id: string;
  /** Who is authenticated; absent where nobody is. */
  readonly owner: string | undefined;
}

/** What is known of a session: enough for another process to go on with it. */
export interface SessionRecord extends SessionKey {
  /** What was agreed on; absent for a session that lives and ends with one connection. */
  readonly agreement?: Agreement;
}

/** What client and server agreed on in their handshake. */
export interface Agreement {
  /** Name of the revision. */
  readonly revision: string;
  readonly client: PeerInfo;
}

/**
 * Remembers sessions. It decides how many there may be and how long an unused one lives. Every operation may be repeated without harm, and
 * every value is small: a store may be a database that several processes share.
 */
export interface SessionStore {
  /** Remembers a session; `false` when no more are accepted. */
  add(record: SessionRecord): Awaitable<boolean>;
  /** The session of this owner, if it lives; being asked for lets it live on. */
  find(key: SessionKey): Awaitable<SessionRecord | undefined>;
  /** Forgets a session of this owner. */
  remove(key: SessionKey): Awaitable<void>;
}
