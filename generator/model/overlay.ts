import type {
  ConversionRule,
  Duration,
  EmptyCapability,
  ErrorRule,
  ExtensionRules,
  HeaderRule,
  ReservedMeta,
  ResultTypeRule,
  Role,
  Sender,
} from "../model.ts";

/**
 * Content of `spec/<revision>/overlay.json`: the facts about a revision found only in prose, because its schema cannot express them. Types only.
 * `spec/overlay.schema.json` describes the same for editors. Every overlay is checked against it.
 */
export interface Overlay {
  readonly $schema?: string;
  /** Rule for the start of a connection and the content of every request. */
  readonly lifecycle: Clause & { readonly kind: "handshake" | "per-request" };
  /** Rule for JSON-RPC batches: true for `accepted` if peers must accept them, and the methods excluded from them. */
  readonly batching: Clause & { readonly accepted: boolean; readonly never?: readonly string[] };
  /** Present if clients resume a stream whose connection the server has closed cleanly. */
  readonly polling?: Clause;
  /** Dialect of tool schemas that do not name one, if the revision defines it. */
  readonly jsonSchemaDialect?: Clause & { readonly uri: string };
  /** Facts about individual methods beyond their declarations. */
  readonly methods: { readonly [method: string]: MethodOverlay };
  /** Time until responses. Methods not listed need no work of their receiver. */
  readonly durations?: readonly (Clause & { readonly duration: Duration; readonly methods: readonly string[] })[];
  /** Requests without effects: they may be sent again when it is unknown whether they were handled. */
  readonly safe?: Clause & { readonly methods: readonly string[] };
  /** Methods whose params type lost the base `_meta`. The generator merges it into them again. */
  readonly mergeMeta?: Clause & { readonly methods: readonly string[] };
  /** Rules for distinguishing the members of a union that has no literal property for it. */
  readonly tags?: readonly TagOverlay[];
  /** Numbers restricted to integers by prose: `"RequestId"` (an alias) or `"Error.code"` (a property, also of derived types). */
  readonly integers?: readonly (Clause & { readonly at: string })[];
  /** Inline objects for which prose allows unlisted members but the type does not: `"Tool.inputSchema"`. */
  readonly openObjects?: readonly (Clause & { readonly at: string })[];
  /** Rules across several properties of one object. */
  readonly constraints?: readonly ConstraintOverlay[];
  /** Required properties a peer may omit. The receiver assumes the given value. Written as `Declaration.property`, and inherited by derived types. */
  readonly tolerances?: readonly (Clause & { readonly at: string; readonly absentMeans: string | number })[];
  /** Optional properties for which a peer may send `null`. The receiver treats it as absent. */
  readonly nulls?: readonly (Clause & { readonly at: string })[];
  /** Numbers with a minimum, for which a peer may send a lower value. The receiver reads it as the minimum. */
  readonly minimums?: readonly (Clause & { readonly at: string })[];
  /** Error codes with their rules. `constant` names the schema's constant, which must have the same value. */
  readonly errors: readonly (Clause & ErrorRule & { readonly constant?: string })[];
  /** HTTP headers defined by the revision. */
  readonly headers?: readonly (Clause & HeaderRule)[];
  /** Keys of `_meta` whose meaning the protocol defines. */
  readonly reservedMeta?: readonly (Clause & ReservedMeta)[];
  /** Rules for the member `resultType` of results. */
  readonly resultTypes?: Clause & ResultTypeRule;
  /** Capability objects with one implied member when they are empty. */
  readonly emptyCapabilities?: readonly (Clause & EmptyCapability)[];
  /** Names used in code and gone from this revision, as `tools/list` or `Tool.inputSchema`. A declaration stands for all below it. */
  readonly removed?: readonly (Clause & { readonly names: readonly string[] })[];
  /** Rules for features of newer revisions missing in this one. Every difference needs a rule. */
  readonly conversions?: readonly ({ readonly clause?: string } & ConversionRule)[];
}

/** Part of an overlay about declarations and methods, common to revisions and extensions. */
export type DeclarationOverlay = Pick<
  Overlay,
  | "$schema"
  | "methods"
  | "durations"
  | "safe"
  | "mergeMeta"
  | "tags"
  | "integers"
  | "openObjects"
  | "constraints"
  | "tolerances"
  | "headers"
  | "reservedMeta"
>;

/**
 * Content of `spec/extensions/<name>/overlay.json`. Types only. `spec/extension.schema.json` describes the same for editors. Every such overlay is
 * checked against it.
 */
export interface ExtensionOverlay extends DeclarationOverlay {
  readonly id: string;
  readonly lifecycles: Clause & { readonly kinds: ExtensionRules["lifecycles"] };
  readonly declared: Clause & ExtensionRules["declared"];
  /** Maps whose values only code with their context can check: `"UpdateTaskRequest.params.inputResponses"`. */
  readonly unchecked?: readonly (Clause & { readonly at: string })[];
  readonly results?: readonly (Clause & ExtensionRules["results"][number])[];
  readonly members?: readonly (Clause & ExtensionRules["members"][number])[];
  readonly provides?: readonly (Clause & { readonly member: string })[];
}

/** Source in the specification: an absolute URL of the revision's page, with its anchor if there is one. */
export interface Clause {
  readonly clause: string;
}

/** Facts about one method of the protocol. */
export interface MethodOverlay extends Clause {
  /** `embedded` marks a payload inside a result, never sent as a message. */
  readonly kind?: "embedded";
  /** Senders of the method, if no role union contains it, as in extensions. */
  readonly senders?: readonly Sender[];
  /**
   * Replaces the derived capability gate. `null`: the method needs none. Without a side, it is the receiver of a request, or the sender of a
   * notification.
   */
  readonly gate?: { readonly side?: Role; readonly path: readonly string[] } | null;
  /** Result type of a request for which neither `XResultResponse` nor `XResult` exists. */
  readonly result?: string;
  /** Other names under which implementations of this revision send a notification. They are accepted but never sent. */
  readonly aliases?: readonly string[];
  /** Additional results, possible if the params have a member. */
  readonly alternatives?: readonly { readonly type: string; readonly whenParam: string }[];
}

/** Rule for distinguishing the members of a union. Exactly one of `property` and `presence` is given. */
export interface TagOverlay extends Clause {
  /** Members by declaration name, as a set. The rule applies to every union of exactly these members. */
  readonly of: readonly string[];
  /** Property whose listed values choose a member. Every other value chooses `otherwise`. */
  readonly property?: string;
  readonly cases?: { readonly [value: string]: string };
  readonly otherwise?: string;
  /** Keys by member, in the order of testing. The first member whose keys are all present is chosen. */
  readonly presence?: readonly { readonly type: string; readonly keys: readonly string[] }[];
}

/** Rule across several properties of one object. */
export interface ConstraintOverlay extends Clause {
  readonly type: string;
  /** `atLeastOne`: at least one of the properties must be present. `exclusive`: at most one may be. */
  readonly rule: "atLeastOne" | "exclusive";
  readonly properties: readonly string[];
}
