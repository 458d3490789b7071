/**
 * The intermediate model: what the reader produces and every emitter consumes. Types only.
 * `create-mcp-server model <revision>` prints it as JSON, so other tools and languages can generate from it.
 */
import type { ConversionRule, ExtensionRules, Rules } from "./model-rules.ts";

export type * from "./model-rules.ts";

/** One protocol revision, complete: declarations, constants and the protocol layer on top of them. */
export interface RevisionModel {
  /** Version of this model's own layout; raised when a field changes meaning. */
  readonly format: 1;
  /** Revision identifier as it appears on the wire, a date. Comes from the pin, never from the schema. */
  readonly id: string;
  /** Released revisions are frozen; a draft may still change. */
  readonly status: "released" | "draft";
  /** Where the declarations come from. */
  readonly source: Source;
  /** Value of `LATEST_PROTOCOL_VERSION` as found in the file. Informative: released files have carried wrong values. */
  readonly declaredVersion: string | undefined;
  /** Exported constants in source order. */
  readonly constants: readonly Constant[];
  /** Exported interfaces and type aliases in source order, which is also the order of emission. */
  readonly declarations: readonly Declaration[];
  /** Every method of the revision in order of first appearance in the role unions, embedded ones last. */
  readonly methods: readonly Method[];
  /** What only prose says about the revision, taken from its overlay. */
  readonly rules: Rules;
  /** How values of newer revisions are brought to this one; absent where the overlay has no such rules. */
  readonly conversions?: readonly ConversionRule[];
}

/** An extension: what it adds to revisions of the core. Types and constants of its own, with those of the core behind them. */
export interface ExtensionModel {
  /** Version of this model's own layout; raised when a field changes meaning. */
  readonly format: 1;
  /** Name of its folder. */
  readonly name: string;
  readonly status: "released" | "draft";
  readonly source: Source;
  readonly constants: readonly Constant[];
  /** Its own declarations in source order. */
  readonly declarations: readonly Declaration[];
  /** The revision whose declarations it uses: the newest. */
  readonly core: RevisionModel;
  /** Declarations of the core and its own, in this order: what names are looked up in. */
  readonly scope: readonly Declaration[];
  readonly methods: readonly Method[];
  readonly rules: ExtensionRules;
}

/** The file that a model was read from. */
export interface Source {
  /** Path relative to the spec folder's parent, with forward slashes: `spec/<revision>/schema.ts`. */
  readonly path: string;
  /** Lower-case hex SHA-256 of the file read, after line endings were normalised to `\n`. */
  readonly sha256: string;
  /** Upstream commit that the file was proven equal to or taken from; absent when it was pinned from a local file. */
  readonly commit?: string;
}

/** A place in a source file; both numbers start at 1. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** A documentation comment, taken apart. */
export interface Doc {
  /** Paragraphs of prose, Markdown, without tags. */
  readonly text: string;
  /** The method or topic that the declaration belongs to, for example `` `tools/call` ``. */
  readonly category?: string;
  /** Not meant for library users. */
  readonly internal?: true;
  /** Reason and replacement, or an empty string when none is given. */
  readonly deprecated?: string;
  /** References to read further. */
  readonly see?: readonly string[];
}

/** `export const NAME = value;` */
export interface Constant {
  readonly name: string;
  readonly value: string | number;
  readonly doc?: Doc;
  readonly location: Location;
}

/** An exported interface or type alias. */
export interface Declaration {
  readonly name: string;
  readonly kind: "interface" | "alias";
  /** Base types as written; always empty for an alias. */
  readonly extends: readonly (ReferenceShape | OmitShape)[];
  /** Own members of an interface (an object shape), or the target of an alias. */
  readonly shape: Shape;
  /** Rules over several properties, from the overlay. */
  readonly constraints?: readonly Constraint[];
  readonly doc?: Doc;
  readonly location: Location;
}

/** A rule over several properties of one object. */
export interface Constraint {
  /** `atLeastOne`: one of the properties must be present. `exclusive`: no two may be. */
  readonly rule: "atLeastOne" | "exclusive";
  readonly properties: readonly string[];
}

/** Every type expression that a schema may use. Discriminated by `kind`; a reader must refuse anything else. */
export type Shape =
  | StringShape
  | NumberShape
  | { readonly kind: "boolean" }
  | { readonly kind: "null" }
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

/** Any JSON value: `unknown` or `any`. */
export interface UnknownShape {
  readonly kind: "unknown";
  /** Written as `any`. It is kept, because interfaces extend a map of `any` but not a map of `unknown`. */
  readonly any?: true;
}

/** `string`. */
export interface StringShape {
  readonly kind: "string";
  /** `@format` tag. An annotation: checks do not assert it. */
  readonly format?: string;
}

/** `number`. Checks always require a finite value. */
export interface NumberShape {
  readonly kind: "number";
  /** `@minimum` tag, inclusive. */
  readonly minimum?: number;
  /** `@maximum` tag, inclusive. */
  readonly maximum?: number;
  /** `@TJS-type number` tag: fractions are explicitly wanted. Its absence does not mean integer. */
  readonly fractional?: true;
  /** Only integers are valid: set from the overlay where the specification's prose says so. */
  readonly integer?: true;
}

/** A single allowed value. */
export interface LiteralShape {
  readonly kind: "literal";
  readonly value: string | number | boolean;
  /** Constant that the source names through `typeof NAME`. */
  readonly constant?: string;
}

/** A declaration of the same revision, by name. */
export interface ReferenceShape {
  readonly kind: "reference";
  readonly name: string;
}

/** `T[]` or `Array<T>`. */
export interface ArrayShape {
  readonly kind: "array";
  readonly items: Shape;
  /** `@maxItems` tag. */
  readonly maxItems?: number;
}

/** An object with named properties, a map (`{ [key: string]: T }`, `Record<string, T>`), or both. Always open: unknown keys are kept. */
export interface ObjectShape {
  readonly kind: "object";
  readonly properties: readonly Property[];
  /** Shape of every value under a key that is not among `properties`. */
  readonly index?: Shape;
}

/** `A | B`. */
export interface UnionShape {
  readonly kind: "union";
  /** Alternatives in source order. */
  readonly of: readonly Shape[];
  /** The literals in `of` are suggestions: any string is valid (`"a" | "b" | string`). */
  readonly open?: true;
  /** `@nullable` tag: the official JSON Schema keeps `null` only where this is present. */
  readonly nullable?: true;
  /** How to pick the alternative without trying each; absent when nothing tells them apart. */
  readonly tag?: Tag;
}

/** `A & B`: properties meet one by one, the narrower shape wins, required wins over optional. */
export interface IntersectionShape {
  readonly kind: "intersection";
  readonly of: readonly Shape[];
}

/** `Omit<Base, "key">`. */
export interface OmitShape {
  readonly kind: "omit";
  readonly base: ReferenceShape;
  readonly keys: readonly string[];
}

/** One named member of an object. */
export interface Property {
  readonly name: string;
  readonly optional: boolean;
  readonly shape: Shape;
  readonly doc?: Doc;
  readonly location: Location;
  /** Set from the overlay: a peer may leave this required property out, and the receiver assumes this value. */
  readonly absentMeans?: string | number;
  /** Set from the overlay: a peer may send `null` instead of leaving this optional property out. */
  readonly nullMeansAbsent?: true;
  /** Merged back from the base params by the overlay although the derived literal dropped it. */
  readonly merged?: true;
}

/** How to pick one alternative of a union. Numbers are indexes into the union's `of`. */
export type Tag =
  /** By the value of one literal property. `absent` and `otherwise` name the alternative for a missing and an unlisted value. */
  | {
      readonly kind: "literal";
      readonly property: string;
      readonly cases: readonly { readonly value: string | number | boolean; readonly members: readonly number[] }[];
      readonly absent?: readonly number[];
      readonly otherwise?: number;
    }
  /** By which keys are there: the first case whose keys are all present wins. */
  | {
      readonly kind: "presence";
      readonly cases: readonly { readonly keys: readonly string[]; readonly member: number }[];
    };

/** The two ends of a connection. */
export type Role = "client" | "server";

/** A method of the protocol. */
export interface Method {
  /** Name on the wire, for example `"tools/call"`. */
  readonly name: string;
  /** Name in code, derived from the type: `CallToolRequest` → `callTool`. */
  readonly handler: string;
  /** Declaration that carries the method: `CallToolRequest`. */
  readonly type: string;
  /** `embedded` methods never travel as messages: they are payloads inside a result that asks for input. */
  readonly kind: "request" | "notification" | "embedded";
  /** Who may send it. */
  readonly senders: readonly Role[];
  /** Other names under which peers send it. */
  readonly aliases?: readonly string[];
  /** Its parameters; absent when the type has none at all. */
  readonly params?: Params;
  /** Its plain result: a reference, or a union of references. Absent for notifications. */
  readonly result?: Shape;
  /** Results that answer only requests with a certain member in their params. */
  readonly alternatives: readonly ResultAlternative[];
  /** What must have been declared before this may be sent, by sender. A missing entry means that nothing must. */
  readonly gates: { readonly [sender in Role]?: Gate };
  /** What its sender must have declared besides, or else it is refused with the name of what is missing. */
  readonly needs?: Gate;
  readonly doc?: Doc;
}

/** Parameters of a method. */
export interface Params {
  readonly optional: boolean;
  /** A reference for a named params type, an object for one written inline. */
  readonly shape: Shape;
}

/** A further result of a request. */
export interface ResultAlternative {
  readonly type: string;
  /** Member of the params that asks for it. */
  readonly whenParam: string;
  /** Required member of this result that tells it from the plain one. */
  readonly mark: string;
}

/** A capability that one side must have declared. */
export interface Gate {
  readonly side: Role;
  /** Path inside that side's capabilities: `["resources", "subscribe"]`. */
  readonly path: readonly string[];
}
