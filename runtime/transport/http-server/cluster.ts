import type { Revision } from "../../../generated/support.ts";
import type { Clock } from "../../internal/timers.ts";
import type { Channel } from "../../jsonrpc/channel.ts";
import type { ConnectionMetrics } from "../../jsonrpc/counted-channel.ts";
import type { RequestId, Incoming } from "../../jsonrpc/message.ts";
import type { ListKind } from "../../protocol/methods/list-kinds.ts";
import type { CloseOptions, Connection } from "../../protocol/session/connection.ts";
import type { NegotiatedSession, Session } from "../../protocol/session/session.ts";
import type { StreamPosition } from "../../stores/event-store.ts";
import type { SessionKey, SessionStore } from "../../stores/session-store.ts";
import type { TaskNode } from "../../stores/task-node.ts";
import type { SharedParts } from "../../stores/shared-parts.ts";
import type { SharedSession } from "../../stores/shared-session-store.ts";
import type { SessionSearches } from "../session-searches.ts";
import type { DispatchTarget } from "./dispatch-messages.ts";
import type { Exchange } from "./exchange/exchange.ts";
import type { Guard, Identity } from "./identity.ts";
import type { PostBody } from "./post-body.ts";
import type { RejectedRequest } from "./rejection.ts";
import type { SessionStream } from "./session/event-stream.ts";
import type { Maintained } from "./session/maintenance.ts";
import type { SessionParts } from "./session/session-streams.ts";

/** Nodes that serve the same sessions. */
export interface HttpCluster {
  /** Stores and keys for the parts of a server that have state of their own. */
  readonly shared: SharedParts;
  /** Returns a guard that uses the cluster, and rejects revoked principals and tokens. */
  protect(guard: Guard): Guard;
  /** Adds an HTTP handler to the cluster as a node. */
  createNode(): HttpNode;
  /** Returns the state of the engine. */
  status?(): { readonly state: "ready" | "degraded" | "lost" };
  /** Disconnects from the engine. Programs of `runHttp` and `runServer` call it when they have closed everything else. */
  close?(): Promise<void>;
}

/** Node of a cluster, as its HTTP handler uses it. Operations reject with an `EngineError` when the shared stores cannot be reached. */
export interface HttpNode extends Required<SessionParts> {
  /** Name of the node, unique in the cluster: `[0-9a-z]{13}`. */
  readonly name: string;
  /** Sessions of all nodes. */
  readonly store: SessionStore;
  /** Tasks of all nodes. */
  readonly tasks?: TaskNode;
  /** Begins to receive what other nodes send for the sessions of this handler, and for the clients of its service. */
  start(sessions: LiveSessions, streams: ReadonlyMap<string, LiveStream>, clients?: ServedClients): void;
  /**
   * Sends the clients of these sessions to other nodes, and waits for running requests: messages of their clients still reach them, through other nodes.
   */
  drain(sessions: Iterable<LiveSession>, options: CloseOptions | undefined): Promise<void>;
  /** Requests of sessions that only one node can serve. */
  readonly relays: HttpRelays;
  /** Returns a session, extends its lifetime, and reserves request ids for a node; by default for this one. */
  access(key: SessionKey, reserve: readonly RequestId[], node?: string): Promise<SharedSession | undefined>;
  /** True if a session has not ended. Its lifetime is not extended. */
  isStored(key: SessionKey): Promise<boolean>;
  /** Applies the state that an access has found to a session of this handler. */
  update(session: LiveSession, found: SharedSession): void;
  /** Hands a message of a client of HTTP with SSE to the node that has its stream. Returns `false` when no node has. */
  forwardPost(key: SessionKey, post: ForwardedPost): Promise<boolean>;
  /** Ends reservations, in the background. */
  release(key: SessionKey, ids: readonly RequestId[], options?: ReleaseOptions): void;
  /** Ends a session on all nodes. */
  end(key: SessionKey): Promise<void>;
  /** Hands a message that belongs to a request of another node to that node. Returns `false` when it belongs here. */
  forward(session: ForwardingSession, incoming: Incoming): Promise<boolean>;
  /** Ends the lease of this node, after its streams have ended. */
  leave(): Promise<void>;
}

/** Options of ending reservations. */
export interface ReleaseOptions {
  /** True if the requests were rejected before they ran. Default `false`. */
  readonly isUnused?: boolean;
  /** Node that has the reservations. Default: this one. */
  readonly node?: string;
}

/** Requests of sessions that only one node can serve: the other nodes relay them to it. */
export interface HttpRelays {
  /** Returns the node that the id of a session, or a request state, names, if it is another node. */
  findOwner(id: string): string | undefined;
  /** Passes the messages of a POST on to the node of their session. Returns a rejection that is still to be sent. */
  post(exchange: Exchange, post: RemotePost): Promise<RejectedRequest | undefined>;
  /** Opens or resumes a stream that the node of its session writes. Returns a rejection that is still to be sent. */
  listen(exchange: Exchange, listener: RemoteListener): Promise<RejectedRequest | undefined>;
  /** Passes a stateless request on to the node that can continue it. Returns `false` when that node has stopped, so that its state is lost. */
  stateless(exchange: Exchange, relay: StatelessRelay): Promise<boolean>;
}

/** Session that only another node can serve. */
export interface RemoteKey {
  readonly key: SessionKey;
  readonly node: string;
}

/** Session that only another node can serve, as the store has it. */
export interface RemoteSession extends RemoteKey {
  readonly revision: Revision;
}

/** POST of a session that another node serves. */
export interface RemotePost {
  readonly session: RemoteSession;
  readonly identity: Identity | undefined;
  readonly postBody: PostBody;
  /** Ids of the POST that were reserved before. */
  readonly used: readonly RequestId[];
}

/** GET of a session that another node serves. */
export interface RemoteListener {
  readonly session: RemoteSession;
  /** Last event that the client has; absent for a new stream. */
  readonly position: StreamPosition | undefined;
}

/** Stateless request that continues something on another node. */
export interface StatelessRelay {
  readonly identity: Identity | undefined;
  readonly message: StateRequest;
  /** Node that has issued the state. */
  readonly node: string;
}

/** Session whose messages may belong to another node. */
export interface ForwardingSession {
  readonly key: SessionKey;
  isRunning(id: RequestId): boolean;
}

/** Request of the client that may change the state of its session. */
export type StateRequest = Incoming & { readonly kind: "request" };

/** Body of a POST of HTTP with SSE, and its authenticated sender. */
export interface ForwardedPost {
  readonly value: unknown;
  readonly identity: Identity | undefined;
}

/** Clients of a server: those with a session, and those that listen for changes without one. */
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

/** Sessions that one handler serves. */
export interface LiveSessions {
  readonly revisions: readonly Revision[];
  readonly settings: StreamSettings;
  /** Returns a session that this handler serves now. */
  findLive(key: SessionKey): LiveSession | undefined;
  /** Searches in progress: a session that has ended must not be found by them. */
  readonly searches: Pick<SessionSearches, "end">;
  /** Returns a session that this handler can serve, and marks it as used; `undefined` when it has ended, or when the handler closes. */
  use(key: SessionKey): Promise<LiveSession | undefined>;
  /** Serves a stateless request; returns `undefined` when the handler closes. */
  acceptStateless(channel: Channel, agreement: NegotiatedSession): Connection | undefined;
  /** Keeps a connection alive until it closes. */
  adopt(maintained: Maintained): void;
}

/** Settings of an HTTP handler for streams. */
export interface StreamSettings {
  readonly retry: number;
  readonly polling: boolean;
  readonly maxStreamBytes: number;
  readonly metrics: ConnectionMetrics | undefined;
  readonly clock: Clock;
}

/** Session of HTTP with SSE whose stream ends in this process. */
export interface LiveStream {
  readonly key: SessionKey;
  readonly connection: Connection;
  receive(value: unknown, origin: unknown): void;
}

/** Session that a handler serves. */
export interface LiveSession extends DispatchTarget {
  readonly key: SessionKey;
  /** Connection of the server over this session. */
  readonly connection: Connection;
  /** Opens a stream of this name for messages that belong to no request of the client. */
  openListener(name: string): SessionStream;
  /** True if the client has opened a stream by GET. */
  readonly hasListeners: boolean;
  /** True if the client is connected here to this stream opened by GET. */
  isListening(stream: string): boolean;
  /** Closes the connections of the streams that clients resume at other nodes. */
  releaseStreams(): void;
  /** Sets a callback for each time that the last running request has its response, and calls it at once when none is running. */
  whenIdle(run: () => void): void;
  /** Sends a message on the stream opened by GET. Returns `false` when there is none here. */
  sendToListener(text: string): boolean;
  /** Closes the connection to a stream, because the client has resumed it elsewhere. */
  releaseStream(name: string): void;
  /** Notifies the server that the session has ended on every node. */
  markEnded(): void;
}
