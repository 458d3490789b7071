import type { Extension, Revision } from "../../generated/support.ts";
import type { PeerOptions } from "../protocol/peer/peer-options.ts";
import type { Profile } from "../protocol/profile.ts";
import type { ImplementationInfo } from "../protocol/session/session.ts";
import type { Fields, MissingMethod, Unavailable } from "../protocol/revision/missing.ts";
import type { ListKind } from "../protocol/methods/list-kinds.ts";
import type { JsonSchemaValidator } from "../protocol/methods/schema-issue.ts";
import type { ReconnectDelayOptions as ReconnectDelays } from "../transport/http-client/reconnect-delay.ts";
import type { TaskOptions } from "../tasks/task-options.ts";
import type { ClientEvent } from "./events.ts";
import type { ClientMethods } from "./methods/method-types.ts";
import type {
  ClientRequestContext,
  AnyElicitationOption,
  AnyRootsOption,
  AnySamplingOption,
  ClientTypes,
  ElicitationOption,
  RootsOption,
  SamplingOption,
} from "./protocol-types.ts";
import type { CacheOptions } from "./lists/result-cache.ts";

/** Options of a client: its info, its handlers and its settings. Its capabilities follow from them. */
export type ClientOptions<P extends ClientTypes> = ClientSettings & {
  readonly info: Fields<P, "Implementation"> & ImplementationInfo;
  /** Roots in which servers may work. Every URI begins with `file://`. Notify servers of changes with `roots.notifyListChanged()`. */
  readonly roots?: RootsOption<P>;
  readonly sampling?: SamplingOption<P>;
  /** Least severe level for servers to log, from the start of a session. Default: the server's choice. */
  readonly logLevel?: P["LoggingLevel"];
  /** Receives log messages of a server. Their data is untrusted. */
  onLog?(entry: P["LoggingMessageNotification"]["params"]): unknown;
} & ClientMethods<P> &
  (P extends { ElicitRequest: object }
    ? { readonly elicitation?: ElicitationOption<P> }
    : { readonly elicitation?: Unavailable<MissingMethod<P, "ElicitRequest">> & AnyElicitationOption });

/** Settings of a client which do not depend on a revision. */
export interface ClientSettings extends PeerOptions {
  /** Revisions of the client. The first is proposed, and its declarations should be the type parameter. */
  readonly revisions: readonly Revision[];
  /**
   * Kind of revisions to speak: `handshake` requests nothing newer of servers, `per-request` opens no sessions. Default: what the server supports.
   */
  readonly lifecycle?: Revision["lifecycle"];
  /** Capabilities outside of the protocol, by name, with their settings: `{ "com.example/search": {} }`. Declared as `experimental`. */
  readonly experimental?: { readonly [name: string]: object };
  /**
   * Checks structured results of tools against their output schemas, which the specification recommends. Default: no check, because a validator of
   * JSON Schema is a package of its own: pass `createCfworkerValidator()`, which is small and runs in browsers, or `createAjvValidator()`. Without
   * one, `structuredContent` may be anything, whatever its type says.
   */
  readonly validator?: JsonSchemaValidator;
  /**
   * True to cache lists. In a session, a list is kept until the server notifies of a change, if the server promises to. Without a session, a
   * list is kept for as long as the server states, and no longer than until it notifies of a change. Default `true`.
   */
  readonly cacheLists?: boolean;
  /** Options of the cache for results, as far as the server allows clients to keep them for a time. */
  readonly cache?: CacheOptions;
  /** Maximum number of pages of a list. A longer list is an `IncompleteListError`. Default 1000. */
  readonly maxPages?: number;
  /**
   * Maximum number of rounds of a call whose server requests input inside of results; the call fails after them. With `0`, the client
   * responds to no such input request: the calls fail with an `InputRequiredError`, which has the input requests. Default 10.
   */
  readonly maxInputRounds?: number;
  /** Pings the server at an interval to check that it is still there. Default: no pings. */
  readonly keepAlive?: KeepAliveOptions;
  /** Connects again when the connection is lost. Needs a source which can be opened again. Default: no reconnection. */
  readonly reconnect?: ReconnectOptions;
  /**
   * Extensions of this client, with settings where they have some: `{ ...extension, settings }`. Each is declared to every server, and used with
   * servers which declare it as well. Default: none.
   */
  readonly extensions?: readonly Extension[];
  /** Community conventions in addition to the protocol, such as `communityProfile`. Default: none. */
  readonly profile?: Profile;
  /** Options of tasks requested by servers, where `sampling` or `elicitation` allows tasks. */
  readonly tasks?: TaskOptions;
  /** Called when a list of the server changed. */
  onListChanged?(list: ListKind): unknown;
  /** Called when a resource changed, regardless of which caller subscribed to it. */
  onResourceUpdated?(uri: string): unknown;
  /** Receives the events of the connection. */
  onEvent?(event: ClientEvent): unknown;
}

/**
 * Options as the runtime sees them, without the types of a revision. Options written for any revision fit, because methods compare their
 * parameters in both directions. The arguments of their functions are checked before each call.
 */
export interface AnyClientOptions extends ClientSettings {
  readonly info: ImplementationInfo;
  readonly roots?: AnyRootsOption;
  readonly sampling?: AnySamplingOption;
  readonly elicitation?: AnyElicitationOption;
  readonly logLevel?: string;
  onLog?(entry: object): unknown;
  /** Handlers of methods by name, such as `createMessage`. */
  readonly handlers?: object;
  /** Handles requests of methods outside of a revision. */
  fallback?(request: { readonly method: string; readonly params: unknown }, context: ClientRequestContext): unknown;
}

/**
 * Options of keep-alive pings: their interval, and the number of missing responses which ends a connection.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
 */
export interface KeepAliveOptions {
  /** Milliseconds from one response to the next ping. */
  readonly interval: number;
  /** Milliseconds to wait for a response. Default: the timeout of the connection. */
  readonly timeout?: number;
  /** Number of missing responses in a row after which the connection counts as lost and is closed. Default 2. */
  readonly failures?: number;
}

/** Options for replacing a lost connection. Subscriptions and the log level are set again, cached lists are dropped. */
export interface ReconnectOptions extends ReconnectDelays {
  /** Milliseconds a connection must last before the delays and the count of attempts start over. Default 10 s. */
  readonly stableAfter?: number;
  /**
   * Policy for interrupted calls. `never`: they fail with a `ClosedError`. `safe`: calls which change nothing (lists, reads, prompts, completions,
   * read-only or idempotent tools by their own declaration) are sent once more. Default `never`.
   */
  readonly retry?: Retry;
}

/** Policy for an interrupted call: `safe` sends it once more if doing it twice is as good as once, `never` does not. */
export type Retry = "never" | "safe";
