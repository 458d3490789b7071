import type { Role } from "./model.ts";

/** The part of an overlay that describes behaviour and is passed on to the generated tables. */
export interface Rules {
  /** Two lifecycles exist: `handshake` (initialize, initialized) and `per-request` (every request carries version and capabilities). */
  readonly lifecycle: "handshake" | "per-request";
  /** JSON-RPC batches must be accepted. */
  readonly batching: boolean;
  /** Methods that may not be part of a batch. */
  readonly neverBatched: readonly string[];
  /** Clients come back for the rest of a stream whose connection the server has closed in order. */
  readonly polling: boolean;
  /** Dialect that a tool schema without `$schema` is read in, when the revision fixes one. */
  readonly jsonSchemaDialect: string | undefined;
  /** Error codes of the revision, standard ones included. */
  readonly errors: readonly ErrorRule[];
  /** HTTP header rules of the revision. */
  readonly headers: readonly HeaderRule[];
  /** Keys of `_meta` with a meaning fixed by the protocol. */
  readonly reservedMeta: readonly ReservedMeta[];
  /** Values of `resultType`; absent where results carry none. */
  readonly resultTypes: ResultTypeRule | undefined;
  /** Capabilities whose empty object stands for one member: client `elicitation: {}` means `form`. */
  readonly emptyCapabilities: readonly EmptyCapability[];
}

/** The part of an extension's overlay that is passed on to its generated table. */
export interface ExtensionRules {
  /** Identifier on the wire. */
  readonly id: string;
  /** Lifecycles of the revisions that it can be used with. */
  readonly lifecycles: readonly Rules["lifecycle"][];
  /** Types of what each side declares about it; a client that need not declare it has none. */
  readonly declared: { readonly client?: string; readonly server: string };
  readonly headers: readonly HeaderRule[];
  /** Further results of methods of the core, by the value of `resultType` that marks them. */
  readonly results: readonly { readonly method: string; readonly kind: string; readonly type: string }[];
  /** Further members of objects in params of the core. */
  readonly members: readonly { readonly method: string; readonly at: readonly string[]; readonly type: string }[];
  /** Members that revisions lack and that programs have again through it: `Tool.execution`. */
  readonly provides: readonly string[];
}

/** An error code. */
export interface ErrorRule {
  /** Camel-case name, the same in every revision: `resourceNotFound`. */
  readonly name: string;
  readonly code: number;
  /** `false`: understood when received, never sent at this revision. */
  readonly emitted: boolean;
  /** HTTP status that the revision fixes for it. */
  readonly status?: number;
}

/** A header that mirrors or accompanies a message. */
export interface HeaderRule {
  readonly name: string;
  /** Where the value comes from: `session`, `revision`, `method`, or a path into the message such as `params.name`. */
  readonly source: string;
  /** Methods that need it; absent means every message after the first. */
  readonly methods?: readonly string[];
  readonly required: boolean;
}

/** A `_meta` key with fixed meaning. */
export interface ReservedMeta {
  readonly key: string;
  readonly on: "request" | "notification" | "result" | "any";
  /** Declaration or keyword of its value. */
  readonly type: string;
  readonly required: boolean;
}

/** What `resultType` may be. */
export interface ResultTypeRule {
  readonly known: readonly string[];
  /** Assumed when a peer leaves it out. */
  readonly absentMeans: string;
}

/** A capability object whose emptiness has a meaning. */
export interface EmptyCapability {
  readonly side: Role;
  readonly path: readonly string[];
  readonly means: string;
}

/** What happens to something that this revision does not know. It holds for older revisions as well, unless they have a rule of their own. */
export interface ConversionRule {
  readonly rule: RuleName;
  /**
   * What it is for, by names of newer revisions: a declaration (`AudioContent`), a property of it or of a base
   * (`BaseMetadata.title`), any further key (`RequestMetaObject.*`), or an alternative at one place
   * (`SamplingMessage.content:AudioContent`).
   */
  readonly at: readonly string[];
  /** Why, or what to do instead: one sentence that users read. */
  readonly reason: string;
}

/**
 * `keep`: it stays. `omit`: it is left out, and nothing is lost. `drop`: it is left out. `error`: it cannot be sent. The others
 * are functions of `templates/convert-support.ts` under the same name in camel case.
 */
export type RuleName =
  | "keep"
  | "omit"
  | "drop"
  | "error"
  | "audio-to-resource"
  | "audio-to-text"
  | "elicitation-id"
  | "link-to-text"
  | "object-schema"
  | "schema-objects"
  | "single-item"
  | "structured-object"
  | "structured-to-text"
  | "title-to-annotations"
  | "titles-to-names";
