/** Types and functions that generated modules share. Copied verbatim next to them; has no imports. */

/** The first problem found in a value. */
export interface Issue {
  /** JSON Pointer without the leading slash: `content/1/type`; empty for the value itself. */
  readonly path: string;
  /** Description of a valid value. */
  readonly expected: string;
}

/** Validates a value and returns the first problem, or undefined for a valid value. Does not throw and does not copy. */
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
 * Duration of a response. `initialize`: as long as the handshake. `work`: the receiver computes it. `wait`: it may wait for a person or another
 * system. `task`: it is sent when a task ends. `endless`: it is sent when one side ends the request.
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
  /** Further capability that the sender must have declared. */
  readonly needs?: Gate;
  /** Further values of `resultType` in its results. */
  readonly kinds?: readonly string[];
  /** Members of its params and its result for which a peer may send `null`, which is read as absent. */
  readonly nulls?: readonly string[];
  /** Numbers of its result for which a peer may send a lower one, which is read as this one. */
  readonly minimums?: Readonly<Record<string, number>>;
  /** Duration of its response. Default: no longer than the transport takes. */
  readonly duration?: Duration;
  /** True if the request is idempotent and may be retried when it is unknown whether it was handled. */
  readonly safe?: true;
  /** Types of the row, for the compiler only. Never set. */
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

/** An input request inside an input-required result, which is never sent as a separate message. */
export interface EmbeddedRow<Params = unknown, Result = unknown> {
  readonly kind: "embedded";
  readonly method: string;
  readonly handler: string;
  readonly params: Check;
  readonly paramsOptional: boolean;
  readonly result: Check;
  readonly gate?: Gate;
  /** Duration of the response when it is sent as a request. */
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
  /** HTTP status that the revision specifies for it. */
  readonly status?: number;
}

/** A header that mirrors or accompanies a message. */
export interface HeaderRule {
  readonly name: string;
  /** `session`, `revision`, `method`, or a path into the message such as `params.name`. */
  readonly source: string;
  /** Methods that require it; absent means every message after the first. */
  readonly methods?: readonly string[];
  readonly required: boolean;
}

/** A `_meta` key that the protocol specifies. */
export interface ReservedMeta {
  readonly key: string;
  readonly on: "request" | "notification" | "result" | "any";
  readonly type: string;
  readonly required: boolean;
}

/** Capability object that implies one member when it is empty. */
export interface EmptyCapability {
  readonly side: Role;
  readonly path: readonly string[];
  readonly means: string;
}

/** Data of one revision. The runtime has no code for a specific revision. */
export interface Revision {
  /** Identifier on the wire, for example the value of `protocolVersion` in `initialize`. */
  readonly id: string;
  readonly status: "released" | "draft";
  /** `handshake`: initialize and initialized open a session. `per-request`: every request has a version and capabilities. */
  readonly lifecycle: "handshake" | "per-request";
  /** Rules for JSON-RPC batches, if batches must be accepted, with the methods that must not be in one. */
  readonly batching: boolean;
  readonly neverBatched: readonly string[];
  /** True if clients resume a stream whose connection the server has closed in order. */
  readonly polling: boolean;
  /** Dialect of tool schemas without `$schema`, where the revision specifies one. */
  readonly jsonSchemaDialect?: string;
  readonly clientRequests: Table<RequestRow>;
  readonly serverRequests: Table<RequestRow>;
  readonly clientNotifications: Table<NotificationRow>;
  readonly serverNotifications: Table<NotificationRow>;
  /** Input requests that a server returns inside a result. */
  readonly embeddedRequests: Table<EmbeddedRow>;
  /** Error codes by name: `parseError`, `invalidRequest`, `methodNotFound`, `invalidParams`, `internalError`, `resourceNotFound`, ... */
  readonly errors: Table<ErrorRule>;
  readonly headers: readonly HeaderRule[];
  readonly reservedMeta: readonly ReservedMeta[];
  /** Values of `resultType` and the one assumed when it is absent; absent where results have none. */
  readonly resultTypes?: { readonly known: readonly string[]; readonly absentMeans: string };
  /** Levels of log messages, least severe first; empty where the revision has none. */
  readonly logLevels: readonly string[];
  readonly emptyCapabilities: readonly EmptyCapability[];
  /** Capabilities that each side can declare, inner ones too: `sampling.tools`. */
  readonly capabilities: { readonly [Side in Role]: readonly string[] };
  /** Members of this revision that other revisions lack, such as `Tool.outputSchema`. Members of other revisions have no meaning in its messages. */
  readonly knownMembers: readonly string[];
  /** Members of the declarations by which servers describe themselves and what they offer. Other members of a definition are not sent. */
  readonly descriptionMembers: {
    readonly [
      Declaration in "Implementation" | "Tool" | "Resource" | "ResourceTemplate" | "Prompt" | "PromptArgument"
    ]?: readonly string[];
  };
  /** Conversions of values of newer revisions to this one; absent in the newest revision. */
  readonly conversions?: Conversions;
  /** Conversions of what peers of this revision send, for code that is written for a newer one, oldest first; absent where it stays. */
  readonly received?: readonly ReceivedConversions[];
  /** Declarations of the extensions added to the revision, by identifier, and the revision without them. */
  readonly extensions?: Readonly<Record<string, object>>;
  readonly core?: Revision;
}

/** Tables of the messages of an extension, by method. */
export interface ExtensionTables {
  readonly clientRequests: Table<RequestRow>;
  readonly serverRequests: Table<RequestRow>;
  readonly clientNotifications: Table<NotificationRow>;
  readonly serverNotifications: Table<NotificationRow>;
}

/** Table without rows, whose type has no methods either. */
export type NoRows = { readonly [method in never]: never };

/** Data of an extension: its additions to revisions, and their conditions. `Tables` has the types of its messages. */
export interface Extension<Tables extends ExtensionTables = ExtensionTables> {
  /** Identifier on the wire: its key in the `extensions` that either side declares. */
  readonly id: string;
  readonly status: "released" | "draft";
  /** Lifecycles of the revisions that it can be used with. */
  readonly lifecycles: readonly Revision["lifecycle"][];
  /** Checks of the settings that each side declares; a client that need not declare it has none. */
  readonly declared: { readonly [Side in Role]?: Check };
  /** Settings that this side declares. Default: an empty object. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly clientRequests: Tables["clientRequests"];
  readonly serverRequests: Tables["serverRequests"];
  readonly clientNotifications: Tables["clientNotifications"];
  readonly serverNotifications: Tables["serverNotifications"];
  readonly headers: readonly HeaderRule[];
  /** Further results of methods of the core, by the value of `resultType` that marks them. */
  readonly results: readonly { readonly method: string; readonly kind: string; readonly check: Check }[];
  /** Further members of objects in params of the core; `at` is where the object is in them. */
  readonly members: readonly { readonly method: string; readonly at: readonly string[]; readonly check: Check }[];
}

/** Converts a value of one revision to another one. Returns an unaffected value as it is; does not modify it. */
export type Convert = (value: unknown, onLoss?: OnLoss) => unknown;

/** Called for every value that is lost in a conversion. */
export type OnLoss = (loss: Loss) => void;

/** A value that an older revision cannot represent. */
export interface Loss {
  /** Name of the declaration, or the place of an unnamed type. */
  readonly type: string;
  /** Affected property or alternative. */
  readonly member: string;
  /** Applied rule: `drop`, or the name of a conversion. */
  readonly rule: string;
}

/** Conversions of one method; a part that is identical in newer revisions has none. */
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

/** Conversions of values of a revision to newer ones. They apply to code that is written for `since` or a later revision, until the next ones. */
export interface ReceivedConversions {
  readonly since: string;
  readonly conversions: Conversions;
}

/** Error for a value that an older revision cannot represent and whose omission would change the meaning. */
export class ConversionError extends Error {
  override readonly name = "ConversionError";
  readonly type: string;
  readonly member: string | undefined;
  readonly revision: string;

  constructor(problem: {
    readonly type: string;
    readonly member?: string;
    readonly revision: string;
    /** Reason, and the alternative. */
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
  /** Cancels the call and notifies the peer. */
  readonly signal?: AbortSignal;
  /** Milliseconds without a response (or progress) before the call fails. Default: the timeout of the connection. */
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

/** Params of a request as its sender gives them: the connection adds the metadata that a revision requires. */
export type Sent<Params extends { readonly _meta: object }> = Omit<Params, "_meta"> & {
  readonly _meta?: Partial<Params["_meta"]>;
};

/** Sends requests and notifications; implemented by the runtime. */
export interface Caller {
  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: CallOptions): Promise<Result>;
  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void>;
}

/** A value or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** Handlers of one role, with the revision whose tables they follow. */
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

/** A number that JSON can represent: `NaN` and infinities are rejected. */
export function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** An integer within the safe range of a double or beyond it, but never a fraction. */
export function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

/** True for a string whose number of characters is within the bounds, which are included. A character is a code point, as in JSON Schema. */
export function isStringOf(value: unknown, minimum: number, maximum: number): value is string {
  if (typeof value !== "string" || value.length < minimum || value.length > 2 * maximum) return false;
  if (value.length >= 2 * minimum && value.length <= maximum) return true;
  let length = 0;
  for (const _character of value) length += 1;
  return length >= minimum && length <= maximum;
}

/** True for a string with these texts in this order and anything between them: the first is its start, and the last its end. */
export function fitsTemplate(value: unknown, texts: readonly string[]): value is string {
  const [start = "", ...others] = texts;
  const end = others.pop() ?? "";
  if (typeof value !== "string" || value.length < start.length + end.length) return false;
  if (!value.startsWith(start) || !value.endsWith(end)) return false;
  const rest = value.slice(start.length, value.length - end.length);
  let at = 0;
  // The first place of a text leaves the most for the others: no other place must be tried.
  for (const text of others) {
    const found = rest.indexOf(text, at);
    if (found < 0) return false;
    at = found + text.length;
  }
  return true;
}

/** Reports the expected value, at the value itself or at one of its members: `segment` is an index, or the key as {@link escapeKey} returns it. */
export function fail(expected: string, segment: string | number = ""): Issue {
  return { path: `${segment}`, expected };
}

/**
 * Moves an issue one level out, below `segment`: an index, or a key as {@link escapeKey} returns it. The issue itself is changed: with a new one for each
 * level, rejecting a message takes an eighth longer.
 */
export function under(segment: string | number, issue: { path: string; readonly expected: string }): Issue {
  issue.path = issue.path === "" ? `${segment}` : `${segment}/${issue.path}`;
  return issue;
}

/** Returns a key as JSON Pointer writes it. Generated checks call it for keys of messages only: those of the protocol are escaped in their text. */
export function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Reports a value that is nested deeper than {@link maxDepth}. */
export function tooDeep(): Issue {
  return { path: "", expected: `nesting of at most ${maxDepth} levels` };
}

/** Accepts any object: the check of params that the protocol does not specify. */
export function checkAnyObject(value: unknown): Issue | undefined {
  return isObject(value) ? undefined : fail("object");
}
