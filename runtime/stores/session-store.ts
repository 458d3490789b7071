import type { Awaitable } from "../../generated/support.ts";
import type { PeerInfo } from "../protocol/session/session.ts";

/** Identifies a session and its owner. For other owners the session does not exist. */
export interface SessionKey {
  /** Unguessable id of the session. */
  readonly id: string;
  /** Authenticated principal; absent without authentication. */
  readonly owner: string | undefined;
}

/** Stored state of a session: enough for another process to continue it. */
export interface SessionRecord extends SessionKey {
  /** Result of the handshake; absent for a session tied to one connection. */
  readonly agreement?: Agreement;
}

/** Result of the handshake between client and server. */
export interface Agreement {
  /** Name of the protocol revision. */
  readonly revision: string;
  readonly client: PeerInfo;
}

/**
 * Stores sessions. The store limits their number and the lifetime of unused ones. Every operation is idempotent, and every value is small: a store
 * may be a database shared by several processes.
 */
export interface SessionStore {
  /** Lifetime of an unused session in milliseconds: servers renew sessions in use before it is over. Default: the option `sessions.ttl`. */
  readonly ttl?: number | undefined;
  /** Stores a session. Returns `false` when no more sessions are accepted. */
  add(record: SessionRecord): Awaitable<boolean>;
  /** Returns the session of this owner, if it lives, and extends its lifetime. */
  find(key: SessionKey): Awaitable<SessionRecord | undefined>;
  /** Removes a session of this owner. */
  remove(key: SessionKey): Awaitable<void>;
}
