import type {
  ConversionRule,
  EmptyCapability,
  ErrorRule,
  ExtensionRules,
  HeaderRule,
  ReservedMeta,
  ResultTypeRule,
  Role,
} from "./model.ts";

/**
 * `spec/<revision>/overlay.json`: what the schema of a revision cannot say and only prose does. Types only.
 * `spec/overlay.schema.json` says the same to editors and is what every overlay is checked against.
 */
export interface Overlay {
  readonly $schema?: string;
  /** How a connection starts and what every request carries. */
  readonly lifecycle: Clause & { readonly kind: "handshake" | "per-request" };
  /** Whether JSON-RPC batches must be accepted, and which methods may not be in one. */
  readonly batching: Clause & { readonly accepted: boolean; readonly never?: readonly string[] };
  /** Left out where clients do not come back for the rest of a stream whose connection the server has closed in order. */
  readonly polling?: Clause;
  /** Dialect of tool schemas that do not name one, where the revision fixes it. */
  readonly jsonSchemaDialect?: Clause & { readonly uri: string };
  /** Facts about single methods that do not follow from the declarations. */
  readonly methods: { readonly [method: string]: MethodOverlay };
  /** Methods whose params type lost the base `_meta`; it is merged back into them. */
  readonly mergeMeta?: Clause & { readonly methods: readonly string[] };
  /** How to tell the members of a union apart where no literal property does. */
  readonly tags?: readonly TagOverlay[];
  /** Numbers that prose restricts to integers: `"RequestId"` (an alias) or `"Error.code"` (a property, also of types that inherit it). */
  readonly integers?: readonly (Clause & { readonly at: string })[];
  /** Inline objects whose unlisted members prose allows but the type leaves out: `"Tool.inputSchema"`. */
  readonly openObjects?: readonly (Clause & { readonly at: string })[];
  /** Rules over several properties of one object. */
  readonly constraints?: readonly ConstraintOverlay[];
  /** Required properties that a peer may leave out; the receiver assumes the value given. `Declaration.property`, inherited by derived types. */
  readonly tolerances?: readonly (Clause & { readonly at: string; readonly absentMeans: string | number })[];
  /** Optional properties in whose place a peer may send `null`: the receiver takes it for their absence. */
  readonly nulls?: readonly (Clause & { readonly at: string })[];
  /** Error codes with their rules. `constant` names the schema's constant and must have the same value. */
  readonly errors: readonly (Clause & ErrorRule & { readonly constant?: string })[];
  /** HTTP headers. */
  readonly headers?: readonly (Clause & HeaderRule)[];
  /** Keys of `_meta` whose meaning is fixed. */
  readonly reservedMeta?: readonly (Clause & ReservedMeta)[];
  /** Values of `resultType`. */
  readonly resultTypes?: Clause & ResultTypeRule;
  /** Capability objects whose emptiness stands for one member. */
  readonly emptyCapabilities?: readonly (Clause & EmptyCapability)[];
  /** What happens to things of newer revisions that this one does not know. Every difference needs a rule. */
  readonly conversions?: readonly ({ readonly clause?: string } & ConversionRule)[];
}

/** The part of an overlay that is about declarations and methods: revisions and extensions have it alike. */
export type DeclarationOverlay = Pick<
  Overlay,
  | "$schema"
  | "methods"
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
 * `spec/extensions/<name>/overlay.json`. Types only; `spec/extension.schema.json` says the same to editors and is what every one of
 * them is checked against.
 */
export interface ExtensionOverlay extends DeclarationOverlay {
  readonly id: string;
  readonly lifecycles: Clause & { readonly kinds: ExtensionRules["lifecycles"] };
  readonly declared: Clause & ExtensionRules["declared"];
  /** Maps whose values can be checked only by who knows what they are about: `"UpdateTaskRequest.params.inputResponses"`. */
  readonly unchecked?: readonly (Clause & { readonly at: string })[];
  readonly results?: readonly (Clause & ExtensionRules["results"][number])[];
  readonly members?: readonly (Clause & ExtensionRules["members"][number])[];
  readonly provides?: readonly (Clause & { readonly member: string })[];
}

/** Where the specification says so: an absolute URL of the revision's page, with its anchor where one exists. */
export interface Clause {
  readonly clause: string;
}

/** Facts about one method. */
export interface MethodOverlay extends Clause {
  /** `embedded`: the method is a payload inside a result, never a message. */
  readonly kind?: "embedded";
  /** Who sends it, where no role union says so: in extensions. */
  readonly senders?: readonly Role[];
  /** Replaces the derived capability gate; `null` for a method that needs none. Applies to every sender. */
  readonly gate?: { readonly side: Role; readonly path: readonly string[] } | null;
  /** Result type of a request for which neither `XResultResponse` nor `XResult` exists. */
  readonly result?: string;
  /** Other names of a notification, under which implementations of this revision send it. They are understood and never sent. */
  readonly aliases?: readonly string[];
  /** Further results that are possible when the params carry a member. */
  readonly alternatives?: readonly { readonly type: string; readonly whenParam: string }[];
}

/** How to tell the members of a union apart. Exactly one of `property` and `presence` is given. */
export interface TagOverlay extends Clause {
  /** The members, by declaration name, as a set: the rule holds for every union of exactly these. */
  readonly of: readonly string[];
  /** Tag property whose listed values pick a member; every other value picks `otherwise`. */
  readonly property?: string;
  readonly cases?: { readonly [value: string]: string };
  readonly otherwise?: string;
  /** The first member whose keys are all present. Keys by member, in the order of testing. */
  readonly presence?: readonly { readonly type: string; readonly keys: readonly string[] }[];
}

/** A rule over several properties of one object. */
export interface ConstraintOverlay extends Clause {
  readonly type: string;
  /** `atLeastOne`: one of the properties must be present. `exclusive`: no two may be. */
  readonly rule: "atLeastOne" | "exclusive";
  readonly properties: readonly string[];
}
