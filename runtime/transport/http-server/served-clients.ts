import type { ListKind } from "../../protocol/methods/list-kinds.ts";
import type { Session } from "../../protocol/session/session.ts";

/** Clients of a server: with a session, or listening for changes without one. */
export interface ServedClients extends NotificationTarget {
  /** Subscriptions of the clients, by feature of the server. */
  readonly audiences: readonly SubscribedAudience[];
  /** Adds a receiver of the notifications sent to all clients of the server. */
  attach(receiver: NotificationTarget & SharedReceiver): void;
  /** Sets the log level of a session, as its client has done on another node. */
  setLogLevel(session: Session, level: string): void;
  /** Returns what clients see of the changeable lists, as JSON texts. Default: there are no such lists. */
  describeLists?(): ReadonlyMap<ListKind, string>;
}

/** Clients with subscriptions to resources. */
export interface SubscribedAudience {
  /** URIs of all resources with a subscription. */
  readonly subscribedUris?: Iterable<string>;
  /** Subscribes a session to a resource, as its client has done on another node. */
  subscribe?(session: Session, uri: string): void;
  unsubscribe?(session: Session, uri: string): void;
}

/** Receiver of notifications for clients. */
export interface NotificationTarget {
  /** Notifies of a change any client may see. */
  notify(handler: string, params: object | undefined): void;
  /** Notifies of a change to the resource at the first URI. The other URIs contain it. */
  notifyUpdated(uris: readonly [string, ...string[]]): void;
  /** Notifies of a change only subscribers of its topic may see. */
  notifyTopic(topic: string, handler: string, params: object): void;
}

/** Receiver with the task to pass notifications on to other nodes. */
export interface SharedReceiver {
  readonly isShared: true;
  /** Called at each change of a list, before clients are notified. */
  listChanged(kind: ListKind): void;
  /** Called when the server closes. */
  close(): Promise<void>;
}
