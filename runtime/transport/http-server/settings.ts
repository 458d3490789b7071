import type { Revision } from "../../../generated/support.ts";
import type { ParamHeader } from "../../framing/param-headers.ts";
import type { Channel } from "../../jsonrpc/channel.ts";
import type { Counting } from "../../jsonrpc/counted-channel.ts";
import { toLimits, type Limits } from "../../jsonrpc/limits.ts";
import type { Connection } from "../../protocol/peer.ts";
import type { Profile } from "../../protocol/profile.ts";
import { createFail, type OnError } from "../../jsonrpc/error-report.ts";
import type { Agreement, PeerInfo } from "../../protocol/session.ts";
import { systemClock, type Clock } from "../../internal/timers.ts";
import type { EventStore } from "../../stores/event-store.ts";
import { MemoryEventStore } from "../../stores/memory-event-store.ts";
import { MemorySessionStore } from "../../stores/memory-session-store.ts";
import type { SessionStore } from "../../stores/session-store.ts";
import { defaultPatience } from "../first-message.ts";
import type { CorsOptions } from "./cors.ts";
import { createHostRules, type HostOptions, type HostRules } from "./hosts.ts";
import { toGuard, type Authenticate, type Guard, type Identity } from "./identity.ts";
import type { ResponseMode } from "./session-response.ts";
import type { SpokenRevisions } from "./revisions.ts";

/** What is served over HTTP. */
export interface HttpService {
  /** Newest first. */
  readonly revisions: readonly Revision[];
  /** Serves a connection; with an agreement, one whose handshake took place elsewhere. */
  accept(channel: Channel, agreement?: Agreement): Connection;
  /** Which parts of a request's arguments have to be in its headers, too, as far as its sender may know of them. Default: none. */
  readParamHeaders?(method: string, params: unknown, sender: MetadataSender): readonly ParamHeader[];
  /** True if another session may be opened now; otherwise it is refused with 503. Default: it may, as far as sessions can be kept. */
  takesSessions?(): boolean;
  /** Which scopes the sender of a request needs. Default: none. */
  readScopes?(method: string, params: unknown): readonly string[];
}

/** Who sends a request that stands alone. */
export interface MetadataSender {
  readonly revision: Revision;
  readonly identity: Identity | undefined;
  readonly client: PeerInfo;
}

/** Options of a server over HTTP. */
export interface HttpOptions extends HostOptions {
  /** Path of the endpoint; others are answered with 404. Default: every path, so that the handler can be mounted anywhere. */
  readonly path?: string;
  /** Default `"auto"`. */
  readonly answers?: ResponseMode;
  /** `false`: every POST stands alone, no session ids are given out, and clients cannot be asked anything. */
  readonly sessions?: SessionOptions | false;
  /** Remembers what was streamed. Default: in memory, bounded. `false`: streams cannot be resumed. */
  readonly events?: EventStore | false;
  /**
   * Where the revision lets clients come back for the rest of a stream whose connection the server has closed, streams begin with an
   * event that only carries an id. `false`: they do not, and no connection is let go. Default `true`.
   */
  readonly polling?: boolean;
  /** Milliseconds that clients are told to wait before they come back. Default 1 s. */
  readonly retry?: number;
  /** Milliseconds between comments on idle streams. A call that takes longer is answered by a stream. Default 15 s. */
  readonly keepAlive?: number;
  /** Bytes that wait for the reader of a stream before it is broken off. Default 8 MiB. */
  readonly maxStreamBytes?: number;
  /** Milliseconds in which the next part of a body has to arrive; then the request is answered with 408. Default 10 s. */
  readonly bodyTimeout?: number;
  /** Refuse a version header that names another revision than the session's. Default: the session's counts. */
  readonly strictVersion?: boolean;
  /** `maxMessageBytes` is 4 MiB by default, for the body of each POST. */
  readonly limits?: Partial<Limits>;
  /** Default: nobody is asked who they are. */
  readonly authenticate?: Authenticate | Guard;
  /** Lets pages of the allowed origins use this server from a browser. Default: not. */
  readonly cors?: CorsOptions;
  /**
   * The two endpoints of HTTP with SSE. Default: they are served beside the endpoint where a revision is served whose transport that is, and
   * there are sessions. `false`: they are not. One process has to see all requests of such a client.
   */
  readonly sse?: SseOptions | false;
  /** Habits of a community that concern HTTP: how errors of refused requests are written. Default: none. */
  readonly profile?: Profile;
  readonly onError?: OnError;
  /** Counts what is turned away or given up. Default: nothing is counted. */
  readonly metrics?: Counting;
  readonly clock?: Clock;
}

/** How sessions are kept. */
export interface SessionOptions {
  /** Milliseconds that an unused session lives. Default 30 min. */
  readonly ttl?: number;
  /** Sessions at a time, shared by principals. Beyond them the oldest one that was never used gives way, else 503. Default 10,000. */
  readonly maxSessions?: number;
  /** Knows the sessions of other processes too. Default: in memory. */
  readonly store?: SessionStore;
}

/** The endpoints of HTTP with SSE. */
export interface SseOptions {
  /** Default `/sse`. */
  readonly path?: string;
  /** Default `/messages`. */
  readonly messagesPath?: string;
  /** Where clients find it, if a proxy shows it elsewhere: a path or a URL of the same origin. Default: `messagesPath`. */
  readonly endpoint?: string;
  /** Milliseconds for a client's first message; then its stream ends. Afterwards it may be silent for as long as it likes. Default 30 s. */
  readonly handshakeTimeout?: number;
}

/** Options with their defaults. */
export interface HttpSettings extends Required<
  Pick<HttpOptions, "answers" | "polling" | "retry" | "keepAlive" | "maxStreamBytes" | "bodyTimeout" | "strictVersion">
> {
  readonly path: string | undefined;
  readonly sessions: { readonly ttl: number; readonly store: SessionStore } | undefined;
  readonly events: EventStore | undefined;
  readonly limits: Limits;
  readonly hosts: HostRules;
  readonly guard: Guard | undefined;
  readonly cors: CorsOptions | undefined;
  readonly sse: Required<SseOptions> | undefined;
  readonly profile: Profile | undefined;
  readonly metrics: Counting | undefined;
  readonly clock: Clock;
  /** Sets this process's event ids apart from those of others that serve the same session. */
  readonly nonce: string;
  /** Reports what failed without anybody waiting for it. */
  readonly fail: (thrown: unknown) => undefined;
}

/** Bytes of the body of a POST unless `maxMessageBytes` says otherwise: nearly everything that is sent to a server is small. */
const bodyBytes = 4 * 1024 * 1024;

/** Given options over the defaults, for a server of these revisions. */
export function toSettings(options: HttpOptions, revisions: Pick<SpokenRevisions, "hasSse">): HttpSettings {
  const { answers = "auto", sessions = {}, metrics, onError } = options;
  const { sse = sessions !== false && revisions.hasSse ? {} : false } = options;
  const { events = new MemoryEventStore(metrics && { metrics }) } = options;
  let nonce: string | undefined;
  return {
    path: options.path,
    answers,
    polling: options.polling ?? true,
    retry: options.retry ?? 1_000,
    keepAlive: options.keepAlive ?? 15_000,
    maxStreamBytes: options.maxStreamBytes ?? 8 * 1024 * 1024,
    bodyTimeout: options.bodyTimeout ?? 10_000,
    strictVersion: options.strictVersion ?? false,
    sessions: sessions === false ? undefined : toSessions(sessions, options.clock),
    events: events === false ? undefined : events,
    limits: toLimits({ maxMessageBytes: bodyBytes, ...options.limits }),
    hosts: createHostRules(options),
    guard: toGuard(options.authenticate),
    cors: options.cors,
    sse: sse === false ? undefined : toSse(sse),
    profile: options.profile,
    metrics,
    clock: options.clock ?? systemClock,
    // Made when it is first needed: edge workers give no random values before there is a request.
    get nonce() {
      return (nonce ??= crypto.randomUUID().slice(0, 6));
    },
    fail: createFail(onError),
  };
}

function toSessions(
  { ttl = 30 * 60_000, maxSessions, store }: SessionOptions,
  clock: Clock | undefined,
): { readonly ttl: number; readonly store: SessionStore } {
  const bounds = { ttl, ...(maxSessions !== undefined && { maxSessions }), ...(clock && { clock }) };
  return { ttl, store: store ?? new MemorySessionStore(bounds) };
}

function toSse({
  path = "/sse",
  messagesPath = "/messages",
  endpoint = messagesPath,
  handshakeTimeout = defaultPatience,
}: SseOptions): Required<SseOptions> {
  return { path, messagesPath, endpoint, handshakeTimeout };
}
