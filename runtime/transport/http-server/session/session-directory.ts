import type { Awaitable, Revision } from "../../../../generated/support.ts";
import type { Clock } from "../../../internal/timers.ts";
import type { Channel } from "../../../jsonrpc/channel.ts";
import type { Incoming, RequestId } from "../../../jsonrpc/message.ts";
import type { CloseOptions, Connection } from "../../../protocol/session/connection.ts";
import type { NegotiatedSession } from "../../../protocol/session/session.ts";
import type { StreamPosition } from "../../../stores/event-store.ts";
import type { SessionKey, SessionRecord, SessionStore } from "../../../stores/session-store.ts";
import type { TaskNode } from "../../../stores/task-node.ts";
import type { SessionSearches } from "../../session-searches.ts";
import type { MessageDispatch } from "../dispatch-messages.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Identity } from "../identity.ts";
import type { PostBody } from "../post-body.ts";
import type { RejectedRequest } from "../rejection.ts";
import type { ServedClients } from "../served-clients.ts";
import type { Maintained } from "./maintenance.ts";
import type { HttpSession, SessionSettings } from "./session.ts";
import type { SessionParts } from "./session-streams.ts";

/**
 * Sessions of a handler, wherever they are stored and served: all of them in this process, or by several processes with a shared store. Operations
 * reject with an `EngineError` when the shared engine cannot be reached.
 */
export interface SessionDirectory extends SessionParts {
  /** Store of the sessions; absent for a handler without sessions. */
  readonly store: SessionStore | undefined;
  /** Begins to serve the sessions of a handler, and to receive what other processes send for them. Called once, before the first request. */
  start(sessions: LiveSessions, streams: ReadonlyMap<string, LiveStream>, service: SharedService): void;
  /** Returns the id of a new session, which names this process if only it can serve the session. */
  createId(options: { readonly isBound: boolean }): string;
  /** Returns the session of this owner, if it lives, and extends its lifetime. Reserves the ids of requests before they run. */
  access(key: SessionKey, reserve: readonly RequestId[]): Awaitable<FoundSession | undefined>;
  /** True if a session has not ended. */
  isStored(key: SessionKey): Promise<boolean>;
  /** Removes the rest of a session if a process was killed while ending it. Default: there is none. */
  endUnknown?(key: SessionKey): Promise<void>;
  /**
   * Forwards a message of a client of HTTP with SSE to the process with its stream. Returns `false` when none has it. Default: all streams are here.
   */
  forwardPost?(key: SessionKey, post: ForwardedPost): Promise<boolean>;
  /** Passes a stateless request on to the process named in its state. Returns `false` if this one has to continue. Default: it always has to. */
  relayStateless?(exchange: Exchange, request: BoundRequest): Awaitable<boolean>;
  /**
   * Sends the clients of these sessions to other processes, and waits for running requests: messages of their clients still reach them. Default: no
   * other process serves the sessions, and their connections wait.
   */
  drain?(sessions: Iterable<HttpSession>, options: CloseOptions | undefined): Promise<void>;
  /** Leaves the other processes, after all streams have ended. */
  close?(): Promise<void>;
}

/** Session found for a request. */
export interface FoundSession {
  readonly key: SessionKey;
  readonly revision: Revision | undefined;
  /** Passes the messages of a POST to the session, which responds. Returns a rejection for the caller to send. */
  deliver(exchange: Exchange, post: IdentifiedPost): Awaitable<RejectedRequest | undefined>;
  /** Opens a stream, or resumes one after an event. Returns a rejection for the caller to send. */
  listen(exchange: Exchange, position: StreamPosition | undefined): Promise<RejectedRequest | undefined>;
  /** Ends the session on request of its client. */
  end(): Promise<void>;
  /**
   * Releases the reservations of the access, when a POST is rejected: its requests may be sent again with the same ids. Default: nothing is reserved.
   */
  release?(): void;
}

/** POST with its authenticated sender. */
export interface IdentifiedPost {
  readonly identity: Identity | undefined;
  readonly postBody: PostBody;
}

/** Stateless request with a state to continue from. The state may name a process. */
export interface BoundRequest {
  readonly identity: Identity | undefined;
  readonly message: Incoming & { readonly kind: "request" };
  readonly state: string;
}

/** Body of a POST of HTTP with SSE, and its authenticated sender. */
export interface ForwardedPost {
  readonly value: unknown;
  readonly identity: Identity | undefined;
}

/** Parts of a service shared by several processes. */
export interface SharedService {
  readonly clients?: ServedClients;
  readonly areSessionsBound?: boolean;
  startTasks?(node: TaskNode): void;
}

/** Sessions of one handler. */
export interface LiveSessions {
  readonly revisions: readonly Revision[];
  readonly settings: StreamSettings;
  /** True when the handler closes: it begins no requests. */
  readonly isClosed: boolean;
  /** Returns a session served by this handler now. */
  findLive(key: SessionKey): HttpSession | undefined;
  /** Returns the revision of a stored session, if this handler serves it. */
  findRevision(record: SessionRecord | undefined): Revision | undefined;
  /** Searches in progress. They must not find a session which has ended meanwhile. */
  readonly searches: SessionSearches;
  /** Returns the session of a record, and marks it as used. A session of another process is continued here. Without a record it has ended. */
  continue(key: SessionKey, record: SessionRecord | undefined): HttpSession | undefined;
  /** Returns a session for this handler to serve, and marks it as used; `undefined` when it has ended, or when the handler closes. */
  use(key: SessionKey): Promise<HttpSession | undefined>;
  /** Passes the messages of a POST to their session. Returns a rejection for the caller to send. */
  deliver(exchange: Exchange, dispatch: MessageDispatch): RejectedRequest | undefined;
  /** Creates the rejection of a request whose session has closed since it was found. */
  rejectClosed(): RejectedRequest;
  /** Ends a session on request of the client or the server, and removes it from the store. */
  end(session: HttpSession): Promise<void>;
  /** Serves a stateless request; returns `undefined` when the handler closes. */
  acceptStateless(channel: Channel, agreement: NegotiatedSession): Connection | undefined;
  /** Keeps a connection alive until it closes. */
  adopt(maintained: Maintained): void;
}

/** Settings of an HTTP handler for streams. */
export interface StreamSettings extends Pick<SessionSettings, "retry" | "polling" | "maxStreamBytes" | "metrics"> {
  readonly clock: Clock;
}

/** Session of HTTP with SSE whose stream ends in this process. */
export interface LiveStream {
  readonly key: SessionKey;
  readonly connection: Connection;
  receive(value: unknown, origin: unknown): void;
}
