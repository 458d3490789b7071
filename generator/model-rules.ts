/** Side of a connection. */
export type Role = "client" | "server";

/** Sender of a method: a side of a connection, or, on a connection of their own, a view and the host that shows it. */
export type Sender = Role | "view" | "host";

/** Part of an overlay about behaviour, for the generated tables. */
export interface Rules {
  /** Lifecycle of the revision: `handshake` (initialize, initialized) or `per-request` (every request carries version and capabilities). */
  readonly lifecycle: "handshake" | "per-request";
  /** True if peers must accept JSON-RPC batches. */
  readonly batching: boolean;
  /** Methods never permitted in a batch. */
  readonly neverBatched: readonly string[];
  /** True if clients resume a stream whose connection the server has closed cleanly. */
  readonly polling: boolean;
  /** Dialect of tool schemas without `$schema`, if the revision defines one. */
  readonly jsonSchemaDialect: string | undefined;
  /** Error codes of the revision, standard ones included. */
  readonly errors: readonly ErrorRule[];
  /** HTTP header rules of the revision. */
  readonly headers: readonly HeaderRule[];
  /** Keys of `_meta` whose meaning the protocol defines. */
  readonly reservedMeta: readonly ReservedMeta[];
  /** Rules for `resultType`. Absent if results have no such member. */
  readonly resultTypes: ResultTypeRule | undefined;
  /** Capabilities whose empty object implies one member: `elicitation: {}` of a client means `form`. */
  readonly emptyCapabilities: readonly EmptyCapability[];
}

/** Part of an extension's overlay for its generated table. */
export interface ExtensionRules {
  /** Identifier of the extension on the wire. */
  readonly id: string;
  /** Lifecycles of the revisions it works with. */
  readonly lifecycles: readonly Rules["lifecycle"][];
  /** Types of the settings declared by each side for the extension. Absent for a client if it need not declare it. */
  readonly declared: { readonly client?: string; readonly server: string };
  readonly headers: readonly HeaderRule[];
  /** Additional results of core methods, by the value of `resultType` for them. */
  readonly results: readonly { readonly method: string; readonly kind: string; readonly type: string }[];
  /** Additional members of objects in the params of core methods. */
  readonly members: readonly { readonly method: string; readonly at: readonly string[]; readonly type: string }[];
  /** Members missing from revisions but provided by the extension, such as `Tool.execution`. */
  readonly provides: readonly string[];
}

/** Error code of a revision with its rules. */
export interface ErrorRule {
  /** Camel-case name, the same in every revision, such as `resourceNotFound`. */
  readonly name: string;
  readonly code: number;
  /** False if peers of this revision accept the code but never send it. */
  readonly emitted: boolean;
  /** HTTP status of the error, if the revision defines one. */
  readonly status?: number;
}

/** HTTP header that mirrors or accompanies a message. */
export interface HeaderRule {
  readonly name: string;
  /** Source of the value: `session`, `revision`, `method`, or a path into the message such as `params.name`. */
  readonly source: string;
  /** Methods whose messages need the header. Absent if every message after the first needs it. */
  readonly methods?: readonly string[];
  readonly required: boolean;
}

/** Key of `_meta` with a meaning defined by the protocol. */
export interface ReservedMeta {
  readonly key: string;
  readonly on: "request" | "notification" | "result" | "any";
  /** Declaration or keyword of its value. */
  readonly type: string;
  readonly required: boolean;
}

/** Rules for the member `resultType` of results. */
export interface ResultTypeRule {
  readonly known: readonly string[];
  /** Value to assume if a peer omits the member. */
  readonly absentMeans: string;
}

/** Capability object with a meaning when it is empty. */
export interface EmptyCapability {
  readonly side: Role;
  readonly path: readonly string[];
  readonly means: string;
}

/** Rule for a feature missing in this revision. It also applies to older revisions, unless they have their own rule. */
export interface ConversionRule {
  readonly rule: RuleName;
  /**
   * Features under the rule, by names of newer revisions: a declaration (`AudioContent`), a property of it or of a base (`BaseMetadata.title`), any
   * further key (`RequestMetaObject.*`), an alternative at one place (`SamplingMessage.content:AudioContent`), or a value at one place
   * (`LoggingLevel:emergency`).
   */
  readonly at: readonly string[];
  /** Value of the rules `as` and `default`. Other rules have none. */
  readonly value?: unknown;
  /** Reason, or advice what to do instead: one sentence for users. */
  readonly reason: string;
}

/**
 * Name of a conversion rule. `keep`: the value stays. `omit`: it is removed, without a loss. `drop`: it is removed, with a loss. `error`: it cannot
 * be sent. `as`: it becomes the given value of this revision. The reverse applies if the newer revision does not have the given value. `default`:
 * the given value is added, in either direction, where the member is required and a peer may omit it. The other rules are functions
 * of `templates/convert-support.ts` with the same name in camel case.
 */
export type RuleName =
  | "keep"
  | "omit"
  | "drop"
  | "error"
  | "as"
  | "default"
  | "audio-to-resource"
  | "audio-to-text"
  | "content-to-resource"
  | "content-to-text"
  | "elicitation-id"
  | "link-to-text"
  | "object-schema"
  | "schema-objects"
  | "single-item"
  | "structured-object"
  | "structured-to-text"
  | "title-to-annotations"
  | "titles-to-names";
