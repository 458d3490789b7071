import type { Awaitable } from "../../generated/support.ts";
import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import type { SessionKey, SessionRecord } from "../../runtime/stores/session-store.ts";

/** State of a session changed by requests, in addition to its record. */
export interface SharedSessionState {
  /** Least severe log level wanted by the client; absent until the client sets it. */
  readonly logLevel?: string;
  /** URIs of the resources the client has subscribed to. Default: none. */
  readonly subscriptions?: readonly string[];
  /** Stream opened by the client by GET, and the node writing it. */
  readonly listener?: SessionListener;
}

/** Stream of a session for messages outside of any request of the client. */
export interface SessionListener {
  readonly node: string;
  readonly stream: string;
  /** Fence of the node. A change with a lower fence of the same stream changes nothing. */
  readonly fence: number;
}

/** Change of the state of a session. Absent members stay unchanged. */
export interface SessionChange {
  readonly logLevel?: string;
  /** URIs to add to the subscriptions. */
  readonly subscribe?: readonly string[];
  /** URIs to remove from the subscriptions. */
  readonly unsubscribe?: readonly string[];
  readonly listener?: SessionListener;
}

/** Session as a node finds it. */
export interface SharedSession {
  readonly record: SessionRecord;
  /** Number of changes so far. */
  readonly version: number;
  /** State; absent when the node already knows this version. */
  readonly state?: SharedSessionState;
  /** Ids of the access that were reserved before, here or on another node. Their requests must not run again. */
  readonly used: readonly RequestId[];
}

/** Access to a session by one HTTP request. */
export interface SessionAccess {
  /** Node handling the HTTP request. */
  readonly node: string;
  /** Ids of the requests the node is about to run. All unused ones become reservations of the node, in one step. Default: none. */
  readonly reserve?: readonly RequestId[];
  /** Ids of ended requests of the node: their reservations are released first. Default: none. */
  readonly ended?: readonly RequestId[];
  /**
   * Text common to this access and its repetitions, but to no other access: reservations of the same node and attempt are not reported as used.
   * Default: every reservation is reported.
   */
  readonly attempt?: string;
  /** Version of the state known to the node. Default: none. */
  readonly version?: number;
}

/** End of reservations. */
export interface SessionRelease {
  /** Node with the reservations. Reservations of other nodes stay. */
  readonly node: string;
  readonly ids: readonly RequestId[];
  /** True if the requests were rejected before they ran: their ids may be reserved again. Default `false`. */
  readonly isUnused?: boolean;
}

/**
 * Stores sessions served by several nodes. No node owns a session; the node of a request reserves the request's id. Every operation is idempotent. A
 * session is never found with the key of another owner.
 */
export interface SharedSessionStore {
  /** Lifetime of an unused session in milliseconds: nodes renew sessions in use before it is over. Default: the option `sessions.ttl` of the node. */
  readonly ttl?: number;
  /** Stores a new session. Returns `false` when no more sessions are accepted, of this owner or at all. */
  add(record: SessionRecord): Awaitable<boolean>;
  /** Returns the session of this owner, if it lives, extends its lifetime, and reserves request ids. */
  access(key: SessionKey, access: SessionAccess): Awaitable<SharedSession | undefined>;
  /** Ends reservations of a node. The ids stay used, up to the last 1,024, unless the requests were rejected before they ran. */
  release(key: SessionKey, release: SessionRelease): Awaitable<void>;
  /** Returns the node of a running request; `undefined` if there is none. */
  findNode(key: SessionKey, id: RequestId): Awaitable<string | undefined>;
  /** Returns the nodes that run requests of a session or write its streams. */
  findNodes(key: SessionKey): Awaitable<readonly string[]>;
  /** Changes the state. Returns the new version; `undefined` when there is no such session, or when its subscriptions exceed the limit. */
  change(key: SessionKey, change: SessionChange): Awaitable<number | undefined>;
  /** Returns the state without extending the lifetime. */
  readState(key: SessionKey): Awaitable<SharedSessionState | undefined>;
  /** Ends a session. Returns the nodes that run requests of it or write its streams. */
  end(key: SessionKey): Awaitable<readonly string[]>;
}
