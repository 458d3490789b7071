/**
 * Intermediate model between the reader and the emitters. Types only.
 * `create-mcp-server model <revision>` prints it as JSON, so other tools and languages can generate from it.
 */
import type { ConversionRule, ExtensionRules, Role, Rules, Sender } from "./model-rules.ts";

export type * from "./model-rules.ts";

/** Complete protocol revision: declarations, constants and the protocol layer above them. */
export interface RevisionModel {
  /** Version of the model's layout. It increases when a field changes its meaning. */
  readonly format: 1;
  /** Revision identifier as it appears on the wire, a date. It comes from the pin, never from the schema. */
  readonly id: string;
  /** Status of the revision. Released revisions are frozen; a draft may still change. */
  readonly status: "released" | "draft";
  /** File with the declarations. */
  readonly source: Source;
  /** Value of `LATEST_PROTOCOL_VERSION` in the file. It is informative, because released files have had wrong values. */
  readonly declaredVersion: string | undefined;
  /** Exported constants in source order. */
  readonly constants: readonly Constant[];
  /** Exported interfaces and type aliases in source order, which is also the order of emission. */
  readonly declarations: readonly Declaration[];
  /** Every method of the revision in order of first appearance in the role unions, embedded ones last. */
  readonly methods: readonly Method[];
  /** Rules that only prose defines, from the overlay of the revision. */
  readonly rules: Rules;
  /** Names used in code, present in the revision before and gone from this one. Absent if the overlay has none. */
  readonly removed?: readonly string[];
  /** Rules for converting values of newer revisions to this one. Absent if the overlay has none. */
  readonly conversions?: readonly ConversionRule[];
}

/** Extension of core revisions: its own types and constants, and after them the ones of the core. */
export interface ExtensionModel {
  /** Version of the model's layout. It increases when a field changes its meaning. */
  readonly format: 1;
  /** Name of the folder of the extension. */
  readonly name: string;
  readonly status: "released" | "draft";
  readonly source: Source;
  readonly constants: readonly Constant[];
  /** Declarations of the extension, in source order. */
  readonly declarations: readonly Declaration[];
  /** Newest revision, whose declarations the extension uses. */
  readonly core: RevisionModel;
  /** Declarations of the core, followed by the extension's. Names are looked up in this list. */
  readonly scope: readonly Declaration[];
  readonly methods: readonly Method[];
  readonly rules: ExtensionRules;
}

/** File a model was read from. */
export interface Source {
  /** Path relative to the spec folder's parent, with forward slashes: `spec/<revision>/schema.ts`. */
  readonly path: string;
  /** Lower-case hex SHA-256 of the file, with line endings normalised to `\n`. */
  readonly sha256: string;
  /** Upstream commit the file was verified against or copied from. Absent if it was pinned from a local file. */
  readonly commit?: string;
}

/** Place in a source file. Both numbers start at 1. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** Parsed documentation comment. */
export interface Doc {
  /** Prose in Markdown, without tags. */
  readonly text: string;
  /** Method or topic of the declaration, for example `` `tools/call` ``. */
  readonly category?: string;
  /** True if the declaration is not meant for library users. */
  readonly internal?: true;
  /** Reason and replacement, or an empty string if none is given. */
  readonly deprecated?: string;
  /** References from `@see` tags. */
  readonly see?: readonly string[];
  /** Tags that change no check, such as `@default "none"`, as written. */
  readonly tags?: readonly string[];
}

/** Exported constant: `export const NAME = value;` */
export interface Constant {
  readonly name: string;
  readonly value: string | number;
  readonly doc?: Doc;
  readonly location: Location;
}

/** Exported interface or type alias. */
export interface Declaration {
  readonly name: string;
  readonly kind: "interface" | "alias";
  /** Base types as written; always empty for an alias. */
  readonly extends: readonly (ReferenceShape | OmitShape)[];
  /** Own members of an interface (an object shape), or the target of an alias. */
  readonly shape: Shape;
  /** Rules across several properties, from the overlay. */
  readonly constraints?: readonly Constraint[];
  readonly doc?: Doc;
  readonly location: Location;
}

/** Rule across several properties of one object. */
export interface Constraint {
  /** `atLeastOne`: at least one of the properties must be present. `exclusive`: at most one may be. */
  readonly rule: "atLeastOne" | "exclusive";
  readonly properties: readonly string[];
}

/** Type expression of a schema, discriminated by `kind`. A reader must reject any other type. */
export type Shape =
  | StringShape
  | NumberShape
  | { readonly kind: "boolean" }
  | { readonly kind: "null" }
  /** No value, declared as `never`: a property that must be absent, or an item after the last one of a tuple. */
  | { readonly kind: "never" }
  | UnknownShape
  /** Any JSON object: the `object` keyword. */
  | { readonly kind: "anyObject" }
  | LiteralShape
  | ReferenceShape
  | ArrayShape
  | ObjectShape
  | UnionShape
  | IntersectionShape
  | OmitShape;

/** Any JSON value, declared as `unknown` or `any`. */
export interface UnknownShape {
  readonly kind: "unknown";
  /** True if the source declares `any`. The distinction matters, because interfaces extend a map of `any` but not a map of `unknown`. */
  readonly any?: true;
}

/** Shape of the type `string`. */
export interface StringShape {
  readonly kind: "string";
  /** Value of the `@format` tag. It is an annotation: checks do not assert it. */
  readonly format?: string;
  /** Minimum number of characters, from the `@minLength` tag. A character is a code point. */
  readonly minLength?: number;
  /** Maximum number of characters, from the `@maxLength` tag. A character is a code point. */
  readonly maxLength?: number;
  /** Regular expression from the `@pattern` tag, for a part of the text. It takes linear time and has the flag `u`. */
  readonly pattern?: string;
  /** Fixed texts of a template literal, in order, with any text between two of them: `["data:", ";base64,", ""]`. */
  readonly template?: readonly string[];
}

/** Shape of the type `number`. Checks always require a finite value. */
export interface NumberShape {
  readonly kind: "number";
  /** Value of the `@minimum` tag, inclusive. */
  readonly minimum?: number;
  /** Value of the `@maximum` tag, inclusive. */
  readonly maximum?: number;
  /** True if there is a `@TJS-type number` tag, which explicitly allows fractions. Its absence does not mean integer. */
  readonly fractional?: true;
  /** True if only integers are valid. It comes from the overlay, if the prose of the specification requires it. */
  readonly integer?: true;
}

/** Shape with a single allowed value. */
export interface LiteralShape {
  readonly kind: "literal";
  readonly value: string | number | boolean;
  /** Constant referenced in the source as `typeof NAME`. */
  readonly constant?: string;
}

/** Reference by name to a declaration of the same revision. */
export interface ReferenceShape {
  readonly kind: "reference";
  readonly name: string;
}

/** Shape of `T[]`, `Array<T>` or a tuple. */
export interface ArrayShape {
  readonly kind: "array";
  /** Shape of every item, or of the items after `prefix`. In a tuple without a rest it is `never`. */
  readonly items: Shape;
  /** Shapes of the first items of a tuple. Those at and after `minItems` may be missing. */
  readonly prefix?: readonly Shape[];
  /** Minimum number of items, from the `@minItems` tag or of a tuple. */
  readonly minItems?: number;
  /** Maximum number of items, from the `@maxItems` tag or of a tuple. */
  readonly maxItems?: number;
}

/** Object with named properties, a map (`{ [key: string]: T }`, `Record<string, T>`), or both. It is always open: unknown keys are kept. */
export interface ObjectShape {
  readonly kind: "object";
  readonly properties: readonly Property[];
  /** Shape of every value under a key outside `properties`. */
  readonly index?: Shape;
}

/** Shape of `A | B`. */
export interface UnionShape {
  readonly kind: "union";
  /** Alternatives, in source order. */
  readonly of: readonly Shape[];
  /** True if the literals in `of` are suggestions and any string is valid (`"a" | "b" | string`). */
  readonly open?: true;
  /** True if there is a `@nullable` tag. The official JSON Schema keeps `null` only in such unions. */
  readonly nullable?: true;
  /** Rule for choosing the alternative without trying each. Absent if no property distinguishes them. */
  readonly tag?: Tag;
}

/** Intersection `A & B`. Properties of both are combined one by one: the narrower shape wins, and required wins over optional. */
export interface IntersectionShape {
  readonly kind: "intersection";
  readonly of: readonly Shape[];
}

/** Shape of `Omit<Base, "key">`. */
export interface OmitShape {
  readonly kind: "omit";
  readonly base: ReferenceShape;
  readonly keys: readonly string[];
}

/** Named member of an object. */
export interface Property {
  readonly name: string;
  readonly optional: boolean;
  readonly shape: Shape;
  readonly doc?: Doc;
  readonly location: Location;
  /** Value to assume if a peer omits this required property. It comes from the overlay. */
  readonly absentMeans?: string | number;
  /** True if a peer may send `null` instead of omitting this optional property. It comes from the overlay. */
  readonly nullMeansAbsent?: true;
  /** True if a peer may send a number below the minimum, which is read as the minimum. It comes from the overlay. */
  readonly lowMeansMinimum?: true;
  /** True if the overlay merged the property from the base params because it is missing from the derived literal. */
  readonly merged?: true;
}

/** Rule for choosing one alternative of a union. Numbers are indexes into the union's `of`. */
export type Tag =
  /** Choice by the value of one literal property. `absent` and `otherwise` name the alternative for a missing and an unlisted value. */
  | {
      readonly kind: "literal";
      readonly property: string;
      readonly cases: readonly { readonly value: string | number | boolean; readonly members: readonly number[] }[];
      readonly absent?: readonly number[];
      readonly otherwise?: number;
    }
  /** Choice by the keys that are present: the first case whose keys are all present wins. */
  | {
      readonly kind: "presence";
      readonly cases: readonly { readonly keys: readonly string[]; readonly member: number }[];
    };

/** Method of the protocol, with its types and the capabilities it needs. */
export interface Method {
  /** Name on the wire, such as `"tools/call"`. */
  readonly name: string;
  /** Name in code, derived from the type: `callTool` for `CallToolRequest`. */
  readonly handler: string;
  /** Declaration of the whole message, such as `CallToolRequest`. */
  readonly type: string;
  /** Kind of the method. `embedded` methods are never sent as messages: they are payloads inside a result that requires input. */
  readonly kind: "request" | "notification" | "embedded";
  /** Those who may send the method. */
  readonly senders: readonly Sender[];
  /** Other names under which peers send the method. */
  readonly aliases?: readonly string[];
  /** Parameters of the method. Absent if the type declares none. */
  readonly params?: Params;
  /** Plain result: a reference, or a union of references. Absent for notifications. */
  readonly result?: Shape;
  /** Results for requests with a certain member in their params only. */
  readonly alternatives: readonly ResultAlternative[];
  /** Capability that must be declared before the method may be sent, by sender. A missing entry means none is needed. */
  readonly gates: { readonly [sender in Sender]?: Gate };
  /** Capability the sender must declare in addition. Otherwise the request is rejected with the name of the missing capability. */
  readonly needs?: Gate;
  /** Time until the response. Absent if the receiver has no work with it. It comes from the overlay. */
  readonly duration?: Duration;
  /** True if the request changes nothing. It comes from the overlay. */
  readonly safe?: true;
  readonly doc?: Doc;
}

/**
 * Time until a response. `initialize`: the time of the handshake. `work`: the receiver computes it. `wait`: it may wait for a user or another system.
 * `task`: it is sent when a task ends. `endless`: it is sent when one side ends the request.
 */
export type Duration = "initialize" | "work" | "wait" | "task" | "endless";

/** Declared parameters of a method. */
export interface Params {
  readonly optional: boolean;
  /** Reference to a named params type, or an object written inline. */
  readonly shape: Shape;
}

/** Additional result of a request. */
export interface ResultAlternative {
  readonly type: string;
  /** Member of the params by which a client requests this result. */
  readonly whenParam: string;
  /** Required member of this result, missing in the plain one. */
  readonly mark: string;
}

/** Capability that one side must have declared. */
export interface Gate {
  readonly side: Role;
  /** Path inside the side's capabilities, such as `["resources", "subscribe"]`. */
  readonly path: readonly string[];
}
