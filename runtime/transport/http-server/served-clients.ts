import type { ListKind } from "../../protocol/methods/list-kinds.ts";
import type { Session } from "../../protocol/session/session.ts";

/** Clients of a server: with a session, or listening for changes without one. */
export interface ServedClients extends NotificationTarget {
  /** Subscriptions of the clients, by the features of the server that have some. */
  readonly audiences: readonly SubscribedAudience[];
  /** Adds a receiver of the notifications that the server sends to all of its clients. */
  attach(receiver: NotificationTarget & SharedReceiver): void;
  /** Sets the log level of a session, as its client has done on another node. */
  setLogLevel(session: Session, level: string): void;
  /** Returns what clients see of the lists that may change, as JSON texts. Default: there are no such lists. */
  describeLists?(): ReadonlyMap<ListKind, string>;
}

/** Clients that subscribe to resources. */
export interface SubscribedAudience {
  /** URIs of the resources that any of them has subscribed to. */
  readonly subscribedUris?: Iterable<string>;
  /** Subscribes a session to a resource, as its client has done on another node. */
  subscribe?(session: Session, uri: string): void;
  unsubscribe?(session: Session, uri: string): void;
}

/** Receiver of notifications for clients. */
export interface NotificationTarget {
  /** Notifies of a change that any client may see. */
  notify(handler: string, params: object | undefined): void;
  /** Notifies of a change to the resource at the first URI. The other URIs contain it. */
  notifyUpdated(uris: readonly [string, ...string[]]): void;
  /** Notifies of a change that only subscribers of its topic may see. */
  notifyTopic(topic: string, handler: string, params: object): void;
}

/** Receiver that passes notifications on to other nodes. */
export interface SharedReceiver {
  readonly isShared: true;
  /** Called at each change of a list, before clients are notified. */
  listChanged(kind: ListKind): void;
}
