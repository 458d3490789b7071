/** Types and functions that generated modules share. Copied verbatim next to them; imports nothing. */

/** The first problem found in a value. */
export interface Issue {
  /** JSON Pointer without the leading slash: `content/1/type`; empty for the value itself. */
  readonly path: string;
  /** Description of a valid value, in words. */
  readonly expected: string;
}

/** Checks any value and returns the first problem, or `undefined` when the value is valid. Never throws, never copies. */
export type Check = (value: unknown) => Issue | undefined;

/** The two ends of a connection. */
export type Role = "client" | "server";

/** A capability that one side must have declared. */
export interface Gate {
  readonly side: Role;
  /** Path inside that side's capabilities, for example `["resources", "subscribe"]`. */
  readonly path: readonly string[];
}

/**
 * How long a response takes. `initialize`: as long as the handshake. `work`: the receiver computes it. `wait`: it may wait for a user or another
 * system. `task`: it comes when a task ends. `endless`: it comes when one side ends the request.
 */
export type Duration = "initialize" | "work" | "wait" | "task" | "endless";

/** A request of the protocol: one row of a dispatch table. */
export interface RequestRow<Params = unknown, Result = unknown> {
  readonly kind: "request";
  readonly method: string;
  /** Name of the function that handles it, in handlers and in proxies. */
  readonly handler: string;
  readonly params: Check;
  readonly paramsOptional: boolean;
  readonly result: Check;
  readonly gate?: Gate;
  /** Capabilities that its sender must declare. */
  readonly needs?: Gate;
  /** Further values of `resultType` that its results may have. */
  readonly kinds?: readonly string[];
  /** Members of its params and its result for which a peer may send `null`, which means that they are absent. */
  readonly nulls?: readonly string[];
  /** Minimums of numbers in its result: a lower number of a peer is read as this one. */
  readonly minimums?: Readonly<Record<string, number>>;
  /** How long its response takes. Default: the round trip only. */
  readonly duration?: Duration;
  /** Set if it changes nothing: it may be retried when it is unknown whether it was handled. */
  readonly safe?: true;
  /** Exists for the compiler only: carries the types of the row. Never set. */
  readonly "~types"?: { readonly params: Params; readonly result: Result };
}

/** A notification of the protocol: one row of a dispatch table. */
export interface NotificationRow<Params = unknown> {
  readonly kind: "notification";
  readonly method: string;
  readonly handler: string;
  readonly params: Check;
  readonly paramsOptional: boolean;
  readonly gate?: Gate;
  /** Other names under which peers send it. */
  readonly aliases?: readonly string[];
  readonly "~types"?: { readonly params: Params };
}

/** A request-like payload inside a result that requires input, never a separate message. */
export interface EmbeddedRow<Params = unknown, Result = unknown> {
  readonly kind: "embedded";
  readonly method: string;
  readonly handler: string;
  readonly params: Check;
  readonly paramsOptional: boolean;
  readonly result: Check;
  readonly gate?: Gate;
  /** How long it takes when it is sent as a request. */
  readonly duration?: Duration;
  readonly "~types"?: { readonly params: Params; readonly result: Result };
}

/** Rows by method name. Look up with `Object.hasOwn` or copy into a `Map`: method names come from peers. */
export interface Table<Row> {
  readonly [method: string]: Row;
}

/** An error code of a revision. */
export interface ErrorRule {
  readonly code: number;
  /** `false`: accepted when received, never sent at this revision. */
  readonly emitted: boolean;
  /** HTTP status that the revision defines for it. */
  readonly status?: number;
}

/** A header that repeats or accompanies a message. */
export interface HeaderRule {
  readonly name: string;
  /** `session`, `revision`, `method`, or a path into the message such as `params.name`. */
  readonly source: string;
  /** Methods that require it; absent means every message after the first. */
  readonly methods?: readonly string[];
  readonly required: boolean;
}

/** A `_meta` key whose meaning the protocol defines. */
export interface ReservedMeta {
  readonly key: string;
  readonly on: "request" | "notification" | "result" | "any";
  readonly type: string;
  readonly required: boolean;
}

/** A capability object whose emptiness stands for one member. */
export interface EmptyCapability {
  readonly side: Role;
  readonly path: readonly string[];
  readonly means: string;
}

/** Everything that a runtime needs to know about one revision. Data only: the runtime itself has no knowledge of revisions. */
export interface Revision {
  /** Identifier on the wire, for example the value of `protocolVersion` in `initialize`. */
  readonly id: string;
  readonly status: "released" | "draft";
  /** `handshake`: initialize and initialized open a session. `per-request`: every request carries version and capabilities. */
  readonly lifecycle: "handshake" | "per-request";
  /** Whether JSON-RPC batches must be accepted, and which methods may never be in one. */
  readonly batching: boolean;
  readonly neverBatched: readonly string[];
  /** Whether clients reconnect for the rest of a stream after the server has closed its connection in order. */
  readonly polling: boolean;
  /** Dialect of tool schemas without `$schema`, where the revision defines one. */
  readonly jsonSchemaDialect?: string;
  readonly clientRequests: Table<RequestRow>;
  readonly serverRequests: Table<RequestRow>;
  readonly clientNotifications: Table<NotificationRow>;
  readonly serverNotifications: Table<NotificationRow>;
  /** Payloads of results that require input of the client. */
  readonly embeddedRequests: Table<EmbeddedRow>;
  /** Error codes by name: `parseError`, `invalidRequest`, `methodNotFound`, `invalidParams`, `internalError`, `resourceNotFound`, ... */
  readonly errors: Table<ErrorRule>;
  readonly headers: readonly HeaderRule[];
  readonly reservedMeta: readonly ReservedMeta[];
  /** Values of `resultType` and the one assumed when it is absent; missing where results carry none. */
  readonly resultTypes?: { readonly known: readonly string[]; readonly absentMeans: string };
  readonly emptyCapabilities: readonly EmptyCapability[];
  /** Capabilities that each side can declare, inner ones too: `sampling.tools`. */
  readonly capabilities: { readonly [Side in Role]: readonly string[] };
  /** Of the members that only some revisions have, those of this one: `Tool.outputSchema`. The others have no meaning in its messages. */
  readonly knownMembers: readonly string[];
  /** Conversions of values of newer revisions to this one; missing in the newest revision. */
  readonly conversions?: Conversions;
  /** Declarations of extensions that a program has added to it, by identifier; and the revision without them. */
  readonly extensions?: Readonly<Record<string, object>>;
  readonly core?: Revision;
}

/** Additions of an extension to revisions, and their conditions. Data only, like a revision. */
export interface Extension {
  /** Identifier on the wire: its key in the `extensions` that either side declares. */
  readonly id: string;
  readonly status: "released" | "draft";
  /** Lifecycles of the revisions that it can be used with. */
  readonly lifecycles: readonly Revision["lifecycle"][];
  /** Checks of the declaration of each side; missing for a client that need not declare the extension. */
  readonly declared: { readonly [Side in Role]?: Check };
  /** Declaration of this side. Default: an empty object. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly clientRequests: Table<RequestRow>;
  readonly serverRequests: Table<RequestRow>;
  readonly clientNotifications: Table<NotificationRow>;
  readonly serverNotifications: Table<NotificationRow>;
  readonly headers: readonly HeaderRule[];
  /** Further results of methods of the core, by the value of `resultType` that marks them. */
  readonly results: readonly { readonly method: string; readonly kind: string; readonly check: Check }[];
  /** Further members of objects in params of the core; `at` is the path of the object in them. */
  readonly members: readonly { readonly method: string; readonly at: readonly string[]; readonly check: Check }[];
}

/** Converts a value of any newer revision to an older one. Returns an unaffected value unchanged; never modifies its argument. */
export type Convert = (value: unknown, onLoss?: OnLoss) => unknown;

/** Receives each loss of a conversion. */
export type OnLoss = (loss: Loss) => void;

/** Something that an older revision cannot express. */
export interface Loss {
  /** Declaration, or path of something without a name. */
  readonly type: string;
  /** Affected property or alternative. */
  readonly member: string;
  /** Effect on it: `drop`, or the name of a conversion. */
  readonly rule: string;
}

/** Conversions of one method; a part that is the same in newer revisions has none. */
export interface Conversion {
  readonly params?: Convert;
  readonly result?: Convert;
}

/** Conversions by method, one table for each table of the revision. Look up as in {@link Table}. */
export interface Conversions {
  readonly clientRequests: Table<Conversion>;
  readonly serverRequests: Table<Conversion>;
  readonly clientNotifications: Table<Conversion>;
  readonly serverNotifications: Table<Conversion>;
  readonly embeddedRequests: Table<Conversion>;
}

/** Error about a value that an older revision cannot express, and whose omission would change the meaning of the whole. */
export class ConversionError extends Error {
  override readonly name = "ConversionError";
  readonly type: string;
  readonly member: string | undefined;
  readonly revision: string;

  constructor(problem: {
    readonly type: string;
    readonly member?: string;
    readonly revision: string;
    /** Reason, and an alternative. */
    readonly reason: string;
  }) {
    const { type, member, revision, reason } = problem;
    super(`${member === undefined ? type : `${type}.${member}`} does not fit revision ${revision}. ${reason}`);
    this.type = type;
    this.member = member;
    this.revision = revision;
  }
}

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call and notifies the peer. */
  readonly signal?: AbortSignal;
  /** Milliseconds without a response or progress before the call fails. Default: the connection's. */
  readonly timeout?: number;
  /** Receives progress notifications of this call, in wire order, before its result. */
  readonly onProgress?: (progress: Progress) => void;
}

/** One progress report. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Sends requests and notifications; implemented by the runtime. */
export interface Caller {
  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: CallOptions): Promise<Result>;
  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void>;
}

/** A value or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** Handlers of one role together with the revision whose tables they follow. */
export interface Implementation<Handlers> {
  readonly role: Role;
  readonly revision: Revision;
  readonly handlers: Handlers;
}

/** Deepest nesting that the checks of recursive types accept. */
export const maxDepth = 128;

/** Any JSON object: not an array, not `null`. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A number that JSON can represent: `NaN` and the infinities are rejected. */
export function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** An integer within the safe range of a double or beyond it, but never a fraction. */
export function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

/** Reports what was expected, at the value itself or at one of its members. */
export function fail(expected: string, key?: string | number): Issue {
  return { path: key === undefined ? "" : segment(key), expected };
}

/** Prefixes the path of an issue with `key`. */
export function under(key: string | number, issue: Issue): Issue {
  return { path: issue.path === "" ? segment(key) : `${segment(key)}/${issue.path}`, expected: issue.expected };
}

/** Reports a value that is nested deeper than {@link maxDepth}. */
export function tooDeep(): Issue {
  return { path: "", expected: `nesting of at most ${maxDepth} levels` };
}

/** Accepts any object: the check of params that the protocol does not define. */
export function checkAnyObject(value: unknown): Issue | undefined {
  return isObject(value) ? undefined : fail("object");
}

function segment(key: string | number): string {
  if (typeof key === "number") return String(key);
  return /[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;
}
