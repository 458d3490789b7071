import type { RequestId, Incoming } from "../../jsonrpc/message.ts";
import type { StreamPosition } from "../../stores/event-store.ts";
import type { SessionKey, SessionStore } from "../../stores/session-store.ts";
import type { TaskNode } from "../../stores/task-node.ts";
import type { SharedParts } from "../../stores/shared-parts.ts";
import type { SharedSession } from "../../stores/shared-session-store.ts";
import type { EventWriter } from "./exchange/exchange.ts";
import type { Guard } from "./identity.ts";
import type { SessionStream, StreamHost } from "./event-stream.ts";

/** Nodes that serve the same sessions. */
export interface HttpCluster {
  /** Stores and keys for the parts of a server that have state of their own. */
  readonly shared: SharedParts;
  /** Returns a guard that uses the cluster, and rejects revoked principals and tokens. */
  protect(guard: Guard): Guard;
  /** Adds an HTTP handler to the cluster as a node. */
  createNode(): HttpNode;
  /** Disconnects from the engine. Programs of `runHttp` and `runServer` call it when they have closed everything else. */
  close?(): Promise<void>;
}

/** Node of a cluster, as its HTTP handler uses it. Operations reject with an `EngineError` when the shared stores cannot be reached. */
export interface HttpNode {
  /** Name of the node, unique in the cluster: `[0-9a-z]{13}`. It changes when the node has lost its lease. */
  readonly name: string;
  /** Sessions of all nodes. */
  readonly store: SessionStore;
  /** Tasks of all nodes. */
  readonly tasks?: TaskNode;
  /** Begins to receive what other nodes send for the sessions of this handler. */
  start(sessions: LiveSessions): void;
  /** Returns a session, extends its lifetime and reservations request ids for this node. */
  access(key: SessionKey, reserve: readonly RequestId[]): Promise<SharedSession | undefined>;
  /** Ends reservations, in the background. `isUnused`: the requests were rejected before they ran. */
  release(key: SessionKey, ids: readonly RequestId[], options?: { readonly isUnused?: boolean }): void;
  /** Ends a session on all nodes. */
  end(key: SessionKey): Promise<void>;
  /** Creates a stream that this node writes. */
  createStream(key: SessionKey, stream: NewStream): SessionStream;
  /** Continues a stream that any node writes on a new connection; `undefined` when the position is unknown. */
  resume(key: SessionKey, position: StreamPosition, resumption: Resumption): Promise<SessionStream | undefined>;
  /** Registers the stream that the client has opened by GET, in the background. */
  listen(key: SessionKey, stream: string): void;
  /** Sends a message of the server to the node that writes the stream opened by GET. Rejects when the session has no such stream. */
  sendToListener(key: SessionKey, text: string): Promise<void>;
  /** Hands a message that belongs to a request of another node to that node. Returns `false` when it belongs here. */
  forward(session: ForwardingSession, incoming: Incoming): Promise<boolean>;
  /** Ends the lease of this node, after its streams have ended. */
  leave(): Promise<void>;
}

/** Stream that a node creates. */
export interface NewStream {
  readonly name: string;
  readonly host: StreamHost;
  /** Requests that the stream responds to; none for a stream opened by GET. */
  readonly requests: readonly RequestId[];
}

/** New connection to a stream. */
export interface Resumption {
  readonly host: StreamHost;
  /** Stream, if this node writes it. */
  readonly local: SessionStream | undefined;
  /** Begins the response. */
  open(): EventWriter;
}

/** Session whose messages may belong to another node. */
export interface ForwardingSession {
  readonly key: SessionKey;
  isRunning(id: RequestId): boolean;
}

/** Sessions that one handler serves. */
export interface LiveSessions {
  /** Returns a session that this handler serves now. */
  findLive(key: SessionKey): LiveSession | undefined;
  /** Closes the sessions of this handler without ending them: other nodes may continue them. */
  abandonAll(): void;
}

/** Session that a handler serves. */
export interface LiveSession {
  /** Handles a message of the client that another node has received. */
  receive(incoming: Incoming, origin: unknown): void;
  /** Sends a message on the stream opened by GET. Returns `false` when there is none here. */
  sendToListener(text: string): boolean;
  /** Closes the connection to a stream, because the client has resumed it elsewhere. */
  releaseStream(name: string): void;
  /** Notifies the server that the session has ended on every node. */
  markEnded(): void;
  /** Closes this node's half of the session. */
  drop(): void;
}
