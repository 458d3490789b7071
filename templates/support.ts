/** What generated modules share. Copied verbatim next to them; imports nothing. */

/** The first problem found in a value. */
export interface Issue {
  /** JSON Pointer without the leading slash: `content/1/type`; empty for the value itself. */
  readonly path: string;
  /** What would have been valid there, in words. */
  readonly expected: string;
}

/** Looks at any value and returns the first problem, or nothing when the value is valid. Never throws, never copies. */
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
 * How long a response takes. `initialize`: as long as the handshake. `work`: the receiver works for it. `wait`: it may wait for a person or another
 * system. `task`: it comes when a task ends. `endless`: it comes when one side ends the request.
 */
export type Duration = "initialize" | "work" | "wait" | "task" | "endless";

/** A request of the protocol: one row of a dispatch table. */
export interface RequestRow<Params = unknown, Result = unknown> {
  readonly kind: "request";
  readonly method: string;
  /** Name of the function that answers it, in handlers and in proxies. */
  readonly handler: string;
  readonly params: Check;
  readonly paramsOptional: boolean;
  readonly result: Check;
  readonly gate?: Gate;
  /** What its sender must have declared besides. */
  readonly needs?: Gate;
  /** Further values of `resultType` that its results may have. */
  readonly kinds?: readonly string[];
  /** Members of its params and its result in whose place a peer may send `null`, which means that they are absent. */
  readonly nulls?: readonly string[];
  /** Numbers of its result in whose place a peer may send a lower one, which is read as this one. */
  readonly minimums?: Readonly<Record<string, number>>;
  /** How long its response takes. Default: no longer than its way. */
  readonly duration?: Duration;
  /** Set if it changes nothing: it may be sent again when nobody knows whether it was handled. */
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

/** A request-like payload that travels inside a result which asks for input, never as a message of its own. */
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
  /** `false`: understood when received, never sent at this revision. */
  readonly emitted: boolean;
  /** HTTP status that the revision fixes for it. */
  readonly status?: number;
}

/** A header that mirrors or accompanies a message. */
export interface HeaderRule {
  readonly name: string;
  /** `session`, `revision`, `method`, or a path into the message such as `params.name`. */
  readonly source: string;
  /** Methods that need it; absent means every message after the first. */
  readonly methods?: readonly string[];
  readonly required: boolean;
}

/** A `_meta` key whose meaning the protocol fixes. */
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

/** Everything that a runtime needs to know about one revision. Data only: the runtime itself knows no revision. */
export interface Revision {
  /** Identifier on the wire, for example the value of `protocolVersion` in `initialize`. */
  readonly id: string;
  readonly status: "released" | "draft";
  /** `handshake`: initialize and initialized open a session. `per-request`: every request carries version and capabilities. */
  readonly lifecycle: "handshake" | "per-request";
  /** Whether JSON-RPC batches must be accepted, and which methods may never be in one. */
  readonly batching: boolean;
  readonly neverBatched: readonly string[];
  /** Whether clients come back for the rest of a stream whose connection the server has closed in order. */
  readonly polling: boolean;
  /** Dialect of tool schemas without `$schema`, where the revision fixes one. */
  readonly jsonSchemaDialect?: string;
  readonly clientRequests: Table<RequestRow>;
  readonly serverRequests: Table<RequestRow>;
  readonly clientNotifications: Table<NotificationRow>;
  readonly serverNotifications: Table<NotificationRow>;
  /** Payloads that ask the client for input inside a result. */
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
  /** Of the members that only some revisions have, those of this one: `Tool.outputSchema`. The others mean nothing in its messages. */
  readonly knownMembers: readonly string[];
  /** How values written for newer revisions become values of this one; missing in the newest revision. */
  readonly conversions?: Conversions;
  /** What is declared of extensions that a program has put on it, by identifier; and the revision without them. */
  readonly extensions?: Readonly<Record<string, object>>;
  readonly core?: Revision;
}

/** What an extension adds to revisions, and on which terms. Data only, as a revision is. */
export interface Extension {
  /** Identifier on the wire: its key in the `extensions` that either side declares. */
  readonly id: string;
  readonly status: "released" | "draft";
  /** Lifecycles of the revisions that it can be used with. */
  readonly lifecycles: readonly Revision["lifecycle"][];
  /** Checks of what each side declares about it; a client that need not declare it has none. */
  readonly declared: { readonly [Side in Role]?: Check };
  /** What this side declares about it. Default: an empty object. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly clientRequests: Table<RequestRow>;
  readonly serverRequests: Table<RequestRow>;
  readonly clientNotifications: Table<NotificationRow>;
  readonly serverNotifications: Table<NotificationRow>;
  readonly headers: readonly HeaderRule[];
  /** Further results of methods of the core, by the value of `resultType` that marks them. */
  readonly results: readonly { readonly method: string; readonly kind: string; readonly check: Check }[];
  /** Further members of objects in params of the core; `at` is where the object is in them. */
  readonly members: readonly { readonly method: string; readonly at: readonly string[]; readonly check: Check }[];
}

/** Brings a value of any newer revision to an older one. Returns it as it is where nothing is to be done; never changes it. */
export type Convert = (value: unknown, onLoss?: OnLoss) => unknown;

/** Is told about everything that gets lost on the way. */
export type OnLoss = (loss: Loss) => void;

/** Something that an older revision cannot say. */
export interface Loss {
  /** Declaration, or place of something that has no name. */
  readonly type: string;
  /** Property or alternative that is concerned. */
  readonly member: string;
  /** What has happened to it: `drop`, or the name of a conversion. */
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

/** Something cannot be said at an older revision, and leaving it out would change the meaning of the whole. */
export class ConversionError extends Error {
  override readonly name = "ConversionError";
  readonly type: string;
  readonly member: string | undefined;
  readonly revision: string;

  constructor(problem: {
    readonly type: string;
    readonly member?: string;
    readonly revision: string;
    /** Why, and what to do instead. */
    readonly reason: string;
  }) {
    const { type, member, revision, reason } = problem;
    super(`${member === undefined ? type : `${type}.${member}`} does not match revision ${revision}: ${reason}`);
    this.type = type;
    this.member = member;
    this.revision = revision;
  }
}

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call and tells the peer. */
  readonly signal?: AbortSignal;
  /** Milliseconds without an answer (or without progress) before the call fails. Default: the connection's. */
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

/** A number that JSON can carry: `NaN` and the infinities are refused. */
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

/** Moves an issue one level out, below `key`. */
export function under(key: string | number, issue: Issue): Issue {
  return { path: issue.path === "" ? segment(key) : `${segment(key)}/${issue.path}`, expected: issue.expected };
}

/** Reports a value that is nested deeper than {@link maxDepth}. */
export function tooDeep(): Issue {
  return { path: "", expected: `nesting of at most ${maxDepth} levels` };
}

/** Accepts any object: the check of params that the protocol says nothing about. */
export function checkAnyObject(value: unknown): Issue | undefined {
  return isObject(value) ? undefined : fail("object");
}

function segment(key: string | number): string {
  if (typeof key === "number") return String(key);
  return /[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;
}
