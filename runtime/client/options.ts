import type { Extension, Revision } from "../../generated/support.ts";
import type { PeerOptions } from "../protocol/peer-options.ts";
import type { Profile } from "../protocol/profile.ts";
import type { ImplementationInfo } from "../protocol/session.ts";
import type { Fields, MissingMethod, Unavailable } from "../protocol/missing.ts";
import type { ListKind } from "../protocol/list-kinds.ts";
import type { JsonSchemaValidator } from "../protocol/schema-issue.ts";
import type { ReconnectOptions as ReconnectDelays } from "../transport/http-client/reconnect-delay.ts";
import type { TaskOptions } from "../tasks/task-options.ts";
import type { ClientEvent } from "./events.ts";
import type { AnyElicitationOption } from "./any-definition.ts";
import type { CacheOptions } from "./lists/result-cache.ts";
import type { ClientTypes, ElicitationOption, RootsOption, SamplingOption } from "./protocol-types.ts";

/** What a client is, what it answers its servers, and how it behaves. Capabilities follow from it. */
export type ClientOptions<P extends ClientTypes> = ClientSettings & {
  readonly info: Fields<P, "Implementation"> & ImplementationInfo;
  /** Where servers may work. Every URI begins with `file://`. Tell servers of changes with `roots.changed()`. */
  readonly roots?: RootsOption<P>;
  readonly sampling?: SamplingOption<P>;
  /** Least severe level that servers shall log, from the first moment. Default: what they choose. */
  readonly logLevel?: P["LoggingLevel"];
  /** Takes what a server logs. Its data comes from a stranger. */
  onLog?(entry: P["LoggingMessageNotification"]["params"]): unknown;
} & (P extends { ElicitRequest: object }
    ? { readonly elicitation?: ElicitationOption<P> }
    : { readonly elicitation?: Unavailable<MissingMethod<P, "ElicitRequest">> & AnyElicitationOption });

/** How a client behaves, whatever it speaks. */
export interface ClientSettings extends PeerOptions {
  /** The revisions that are spoken; the first is proposed, and its declarations should be the type parameter. */
  readonly revisions: readonly Revision[];
  /** Speak only revisions of this kind: `handshake` asks servers for nothing newer, `per-request` opens no sessions. Default: what the server can. */
  readonly lifecycle?: Revision["lifecycle"];
  /** Capabilities outside of the protocol, by name, with their settings: `{ "com.example/search": {} }`. Declared as `experimental`. */
  readonly experimental?: { readonly [name: string]: object };
  /** Checks structured results of tools against their output schemas. Default: they are not checked. */
  readonly validator?: JsonSchemaValidator;
  /**
   * Keep lists: in a session until the server says that they changed, if it promises to say so; without one for as long as the server
   * says, and no longer than until it tells of a change. Default `true`.
   */
  readonly cacheLists?: boolean;
  /** How results are kept that the server lets clients keep for a time. */
  readonly cache?: CacheOptions;
  /** Most pages of a list: one that goes on beyond them is an `IncompleteListError`. Default 1000. */
  readonly maxPages?: number;
  /**
   * Rounds after which a call is given up whose server asks for more and more input, where it asks inside of results. `0` answers nothing:
   * such calls fail with an `InputRequiredError`, which has the questions. Default 10.
   */
  readonly maxInputRounds?: number;
  /** Ask the server from time to time whether it is still there. Default: no. */
  readonly keepAlive?: KeepAliveOptions;
  /** Connect again when the connection is lost. Needs a source that can be opened again. Default: no. */
  readonly reconnect?: ReconnectOptions;
  /**
   * Extensions that this client understands, with settings where they have some: `{ ...extension, settings }`. Each is declared to every
   * server, and used with those that declare it as well. Default: none.
   */
  readonly extensions?: readonly Extension[];
  /** Habits of a community that are added to the protocol, such as `communityProfile`. Default: none. */
  readonly profile?: Profile;
  /** How tasks are kept that servers ask for, where `sampling` or `elicitation` allows them. */
  readonly tasks?: TaskOptions;
  /** A list of the server changed. */
  onListChanged?(list: ListKind): unknown;
  /** A resource changed, whoever subscribed to it. */
  onResourceUpdated?(uri: string): unknown;
  /** Learns what happens to the connection. */
  onEvent?(event: ClientEvent): unknown;
}

/**
 * How often a server is pinged, and what a missing answer means.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
 */
export interface KeepAliveOptions {
  /** Milliseconds from one answer to the next ping. */
  readonly interval: number;
  /** Milliseconds to wait for an answer. Default: the connection's. */
  readonly timeout?: number;
  /** Missing answers in a row after which the connection counts as lost and is closed. Default 2. */
  readonly failures?: number;
}

/** How a lost connection is replaced. Subscriptions and the log level are set again, lists are forgotten. */
export interface ReconnectOptions extends ReconnectDelays {
  /** Milliseconds that a connection must last for the delays to begin anew. Default 10 s. */
  readonly stableAfter?: number;
  /**
   * What becomes of calls that are cut off. `never`: they fail with a `ClosedError`. `safe`: those that change nothing (lists,
   * reads, prompts, completions, tools that declare themselves read-only or idempotent) are sent once more. Default `never`.
   */
  readonly retry?: Retry;
}

/** Whether a call that was cut off is sent once more; `safe` where doing it twice is as good as once. */
export type Retry = "never" | "safe";
