import type { Revision } from "../../../generated/support.ts";
import { createEncoder } from "../../framing/json.ts";
import type { ParamHeader } from "../../framing/param-headers.ts";
import type { Channel } from "../../jsonrpc/channel.ts";
import type { ReportOptions } from "../../jsonrpc/counted-channel.ts";
import { toLimits, type Limits } from "../../jsonrpc/limits.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import type { ConnectStateless } from "../../protocol/peer/stateless-connection.ts";
import type { Profile } from "../../protocol/profile.ts";
import { createFail } from "../../jsonrpc/error-report.ts";
import type { NegotiatedSession, PeerInfo } from "../../protocol/session/session.ts";
import { systemClock, type Clock } from "../../internal/timers.ts";
import type { EventStore } from "../../stores/event-store.ts";
import type { TaskNode } from "../../stores/task-node.ts";
import { MemoryEventStore } from "../../stores/memory-event-store.ts";
import { MemorySessionStore } from "../../stores/memory-session-store.ts";
import type { SessionStore } from "../../stores/session-store.ts";
import type { SharedParts } from "../../stores/shared-parts.ts";
import { defaultFirstMessageTimeout } from "../first-message.ts";
import type { SessionDirectory } from "./session/session-directory.ts";
import type { ServedClients } from "./served-clients.ts";
import type { CorsOptions } from "./cors.ts";
import type { BodyLimits, HttpResponse } from "./exchange/exchange.ts";
import { createHostRules, type HostRules } from "./host-rules.ts";
import { toGuard, type Guard, type GuardOptions, type Identity } from "./identity.ts";
import type { SessionSettings, StreamOptions } from "./session/session.ts";
import type { SessionRevisions } from "./revisions.ts";
import { checkFinite, checkNumbers } from "../../jsonrpc/check-numbers.ts";
import { SetupError } from "../../jsonrpc/errors.ts";

/** Service behind an HTTP handler. */
export interface HttpService {
  /** Served revisions, the newest first. */
  readonly revisions: readonly Revision[];
  /** Serves a connection; with an agreement, one whose handshake took place before, or one of a stateless request. */
  accept(channel: Channel, agreement?: NegotiatedSession, connect?: ConnectStateless): Connection;
  /** Returns the arguments of a request its headers have to repeat, as far as its sender may know of them. */
  readParamHeaders(method: string, params: unknown, sender: MetadataSender): readonly ParamHeader[];
  /** True if another session of this principal may be opened now; otherwise the request is rejected with 503. Default: limited only by the session store. */
  takesSessions?(principal: string | undefined): boolean;
  /** Clients of the service, which a cluster notifies. Default: none are. */
  readonly clients?: ServedClients;
  /** Returns the scopes the sender of a request needs. Default: none. */
  readScopes?(method: string, params: unknown): readonly string[];
  /** Shares the tasks of the service with other nodes of a cluster. Default: tasks are not shared. */
  startTasks?(node: TaskNode): void;
  /** Receives the stores of a cluster. Default: the service needs none of them. */
  useCluster?(shared: SharedParts): void;
  /** True if a session can only be served by the node of a cluster which opened it. Other nodes relay its requests. Default `false`. */
  readonly areSessionsBound?: boolean;
  /**
   * Returns the state a stateless request brings back, if only one node of a cluster can continue: the one which issued the state. The state ends
   * with the name of this node, as the ids of bound sessions do. Default: every node can continue.
   */
  readBoundState?(params: unknown): string | undefined;
}

/** Sender of a stateless request. */
export interface MetadataSender {
  readonly revision: Revision;
  readonly identity: Identity | undefined;
  readonly client: PeerInfo;
}

/** State that outlives a request: the sessions of clients, and the events of their streams. */
interface StateOptions {
  /** Options of sessions. `false`: every POST is stateless, no session ids are issued, and the server cannot send requests to clients. */
  readonly sessions?: SessionOptions | false;
  /** Store of streamed events. Default: in memory, with bounds. `false`: streams cannot be resumed. */
  readonly events?: EventStore | false;
  /**
   * Cluster of nodes with the same sessions, created with `joinCluster`. It replaces the stores of sessions and events. Default: this process serves
   * its sessions without others.
   */
  readonly cluster?: HttpCluster;
}

/** Requirements that a message must meet before the server handles it. */
interface MessageOptions {
  /** Limits of messages. `maxMessageBytes` is 4 MiB by default, for the body of each POST. */
  readonly limits?: Partial<Limits>;
  /** Milliseconds within which the next part of a body has to arrive; then the request gets 408. Default 10 s. */
  readonly bodyTimeout?: number;
  /** Reject requests whose version header names another revision than the session's. Default `false`: the revision of the session applies. */
  readonly strictVersion?: boolean;
}

/** Options of a server over HTTP. */
export interface HttpOptions extends GuardOptions, MessageOptions, StateOptions, StreamOptions, ReportOptions {
  /** Path of the endpoint; other paths get 404. Default: every path, so that the handler can be mounted anywhere. */
  readonly path?: string;
  /**
   * Public documents by path, such as those of `createServerCard`: they are served without authentication, also to pages of any origin.
   * Default: none.
   */
  readonly documents?: ReadonlyMap<string, HttpResponse>;
  /** Allows pages of the allowed origins to use this server from a browser. Default: no CORS. */
  readonly cors?: CorsOptions;
  /**
   * Options of the two endpoints of HTTP with SSE. Default: they are served beside the endpoint if there are sessions and a revision with this
   * transport is served. `false`: they are not served. One process has to receive all requests of such a client.
   */
  readonly sse?: SseOptions | false;
  /** Conventions of a community for HTTP: the form of errors for rejected requests. Default: none. */
  readonly profile?: Profile;
  readonly clock?: Clock;
}

/** Nodes with the same sessions. */
export interface HttpCluster {
  /** Stores and keys for the stateful parts of a server. */
  readonly shared: SharedParts;
  /** Returns a guard with the stores of the cluster. It rejects revoked principals and tokens. */
  protect(guard: Guard): Guard;
  /** Creates the directory of the sessions of an HTTP handler, which becomes a node of the cluster. */
  createNode(): SessionDirectory;
  /** Returns the state of the engine. */
  status?(): { readonly state: "ready" | "degraded" | "lost" };
  /** Disconnects from the engine. Programs of `runHttp` and `runServer` call it when they have closed everything else. */
  close?(): Promise<void>;
}

/** Lifetime, number and storage of sessions. */
export interface SessionOptions {
  /** Milliseconds for which an unused session lives, no more than in the store. Default: the time of the store, else 30 min. */
  readonly ttl?: number;
  /**
   * Sessions at a time, shared among principals. Beyond the limit, the oldest session of the principal is ended if it was never used; otherwise the
   * response is 503. Default 10,000. A store or the engine of a cluster has a limit of its own.
   */
  readonly maxSessions?: number;
  /** Session store; it may also hold the sessions of other processes. Default: in memory. */
  readonly store?: SessionStore;
}

/** Options of the endpoints of HTTP with SSE. */
export interface SseOptions {
  /** Path of the stream. Default `/sse`. */
  readonly path?: string;
  /** Path for messages of clients. Default `/messages`. */
  readonly messagesPath?: string;
  /** URL of the messages endpoint for clients, if a proxy changes it: a path or a URL of the same origin. Default: `messagesPath`. */
  readonly endpoint?: string;
  /** Milliseconds for a client's first message; then its stream ends. Later the client may be silent indefinitely. Default 30 s. */
  readonly handshakeTimeout?: number;
}

/** Options of a server over HTTP with every default filled in. */
export interface HttpSettings extends SessionSettings {
  readonly strictVersion: boolean;
  readonly path: string | undefined;
  readonly sessions: { readonly ttl: number; readonly store: SessionStore } | undefined;
  /** Event store of this process; absent where processes share the events of their sessions. */
  readonly events: EventStore | undefined;
  readonly limits: Limits;
  readonly bodyLimits: BodyLimits;
  readonly hosts: HostRules;
  readonly guard: Guard | undefined;
  /** Public documents by path, with those of the guard. */
  readonly documents: ReadonlyMap<string, HttpResponse>;
  readonly cors: CorsOptions | undefined;
  readonly sse: Required<SseOptions> | undefined;
  readonly clock: Clock;
  /** Distinguishes the event ids of this process from those of other processes with the same session. */
  readonly nonce: string;
}

/** Default of `maxMessageBytes` for the body of a POST: nearly all messages to a server are small. */
const bodyBytes = 4 * 1024 * 1024;

/**
 * Fills in the defaults of options, for a server of these revisions.
 *
 * @param shared - directory of the sessions, if other processes share them
 * @throws {SetupError} when a value of `allowedOrigins` is not an origin, a number is negative or `NaN`, a number to be sent is `Infinity`, or an
 * option of `sessions` does not apply to the store
 */
export function toSettings(
  options: HttpOptions,
  revisions: Pick<SessionRevisions, "hasSse">,
  shared?: Pick<SessionDirectory, "store">,
): HttpSettings {
  const { responseMode = "auto", sessions = {}, metrics, onError } = options;
  const { sse = sessions !== false && revisions.hasSse ? {} : false } = options;
  checkNumbers(options, sessions, sse, options.cors);
  checkFinite({ retry: options.retry, "cors.maxAge": options.cors?.maxAge });
  const guard = toGuard(options.authenticate);
  const events = shared ? false : (options.events ?? new MemoryEventStore(metrics && { metrics }));
  const limits = toLimits({ maxMessageBytes: bodyBytes, ...options.limits });
  let nonce: string | undefined;
  return {
    path: options.path,
    responseMode,
    polling: options.polling ?? true,
    retry: Math.ceil(options.retry ?? 1_000),
    keepAlive: options.keepAlive ?? 15_000,
    maxStreamBytes: options.maxStreamBytes ?? 8 * 1024 * 1024,
    strictVersion: options.strictVersion ?? false,
    sessions: sessions === false ? undefined : toSessions(sessions, shared?.store, options.clock),
    events: events === false ? undefined : events,
    limits,
    bodyLimits: { maxBytes: limits.maxMessageBytes, timeout: options.bodyTimeout ?? 10_000 },
    hosts: createHostRules(options),
    guard,
    documents: new Map([...(options.documents ?? []), ...(guard?.documents ?? [])]),
    cors: options.cors,
    sse: sse === false ? undefined : toSse(sse),
    profile: options.profile,
    metrics,
    clock: options.clock ?? systemClock,
    // Created on first use: edge workers provide no random values before the first request.
    get nonce() {
      return (nonce ??= crypto.randomUUID().slice(0, 6));
    },
    encode: createEncoder(),
    fail: createFail(onError),
  };
}

function toSessions(
  { ttl, maxSessions, store: given }: SessionOptions,
  shared: SessionStore | undefined,
  clock: Clock | undefined,
): { readonly ttl: number; readonly store: SessionStore } {
  if (shared && given)
    throw new SetupError("sessions.store does not apply to a node of a cluster; remove it: the engine stores sessions");
  const store = shared ?? given;
  if (!store) {
    const bounds = {
      ttl: ttl ?? defaultTtl,
      ...(maxSessions !== undefined && { maxSessions }),
      ...(clock && { clock }),
    };
    return { ttl: bounds.ttl, store: new MemorySessionStore(bounds) };
  }
  if (maxSessions !== undefined)
    throw new SetupError(
      "sessions.maxSessions does not apply to a store; set the limit of the store or engine instead",
    );
  if ((ttl ?? 0) > (store.ttl ?? Infinity))
    throw new SetupError(`sessions.ttl is ${ttl}, more than the ${store.ttl} of the store; use at most as much`);
  return { ttl: ttl ?? store.ttl ?? defaultTtl, store };
}

/** Default of `sessions.ttl` in milliseconds. */
const defaultTtl = 30 * 60_000;

/** Returns the milliseconds after which a session in use is renewed in the store. */
export function toRenewalInterval(sessions: HttpSettings["sessions"]): number {
  return Math.min((sessions?.ttl ?? Infinity) / 4, longestRenewalInterval);
}

const longestRenewalInterval = 60_000;

function toSse({
  path = "/sse",
  messagesPath = "/messages",
  endpoint = messagesPath,
  handshakeTimeout = defaultFirstMessageTimeout,
}: SseOptions): Required<SseOptions> {
  return { path, messagesPath, endpoint, handshakeTimeout };
}
