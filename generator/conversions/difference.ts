import type { LiteralShape, RevisionModel, Shape } from "../model.ts";

/** Property or value a newer revision can send and an older one cannot; or a property the older one requires and the newer one does not. */
export interface Change {
  /**
   * `member`: an object has an unknown property. `missing`: a property is required here and optional or absent there.
   * `open`: any key is allowed there and only listed keys here. `option`: a union has an unknown member.
   * `shape`: a value may be of another kind than here.
   */
  readonly kind: "member" | "missing" | "open" | "option" | "shape";
  /** Names by which a rule may refer to the change, the most specific first. All are names of the newer revisions. */
  readonly names: readonly string[];
  /** Changed type or place. */
  readonly type: string;
  /** Property of the type, or the alternative. */
  readonly member?: string;
  /** Id of the oldest newer revision with the change. */
  readonly since: string;
  /** Shape of a missing property. */
  readonly shape?: Shape;
  /**
   * Values of this revision, in the order of the schema. No newer revision with the unknown value has them at the same place: this value may be the
   * new name of one of them.
   */
  readonly replaces?: readonly LiteralShape["value"][];
}

/** Difference between a shape of this revision and the values of newer revisions. Functions return `undefined` if there is none. */
export type Difference = WholeDifference | RecursiveDifference;

/** Difference of a shape, with the differences of what it contains. */
export type WholeDifference = ObjectDifference | ArrayDifference | UnionDifference | ShapeDifference;

/** Difference of a type at a place inside of itself. */
export interface RecursiveDifference {
  readonly kind: "recursive";
  /** Returns the difference of the type, when the whole of it has been compared. */
  readonly whole: () => WholeDifference | undefined;
}

/** Difference in the properties of an object, or in their values. */
export interface ObjectDifference {
  readonly kind: "object";
  /** Name of the declaration, or the place of an object written inline. */
  readonly type: string;
  /** True if `type` is a declaration of this revision. */
  readonly declared: boolean;
  /** Names of all properties declared by this revision. */
  readonly known: readonly string[];
  /** True if this revision allows undeclared keys. */
  readonly open: boolean;
  readonly changes: readonly Change[];
  readonly members: readonly { readonly name: string; readonly difference: Difference }[];
  /** Difference of the values under undeclared keys. */
  readonly index?: Difference;
}

/** Difference in the items of an array. */
export interface ArrayDifference {
  readonly kind: "array";
  readonly items: Difference;
}

/** Difference in the alternatives of a union, or additional alternatives. */
export interface UnionDifference {
  readonly kind: "union";
  readonly type: string;
  readonly declared: boolean;
  readonly options: readonly OptionDifference[];
}

/** One alternative. It has a `change` if it is unknown here, and a `difference` if it is known and differs. */
export interface OptionDifference {
  /** Properties that distinguish its values from other alternatives. */
  readonly outline: Outline;
  readonly change?: Change;
  readonly difference?: Difference;
}

/** Description of an alternative by its kind and its own properties, without nested values. */
export interface Outline {
  readonly kind: "object" | "array" | "other";
  /** Values of kind `other`. Absent if they are not of one kind. */
  readonly plain?: PlainOutline;
  /** Required keys of an object, empty for other kinds. */
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Properties of an object with one of a few values. The values include `undefined` if the property is optional. */
  readonly literals: ReadonlyMap<string, readonly (string | number | boolean | undefined)[]>;
}

/** Difference in the kind of a value as a whole. */
export interface ShapeDifference {
  readonly kind: "shape";
  readonly change: Change;
  /** Values of this revision: of one kind, or of any of several. */
  readonly own: readonly Outline[];
  /** Difference in the values of the same kind as here. */
  readonly inner?: Difference;
}

/** Returns the differences directly inside of another. */
export function innerDifferences(difference: Difference): readonly Difference[] {
  switch (difference.kind) {
    case "object":
      return [...difference.members.map((member) => member.difference), ...present(difference.index)];
    case "array":
      return [difference.items];
    case "union":
      return difference.options.flatMap((option) => present(option.difference));
    case "shape":
      return present(difference.inner);
    case "recursive":
      return present(difference.whole());
  }
}

function present(difference: Difference | undefined): readonly Difference[] {
  return difference ? [difference] : [];
}

/** Plain value, or any plain value of a JSON type. */
export type PlainOutline =
  | { readonly kind: "value"; readonly value: string | number | boolean | null }
  | { readonly kind: "type"; readonly type: "string" | "number" | "boolean"; readonly integer?: true };

/** Shape of a newer revision at the compared place. */
export interface Newer {
  readonly model: RevisionModel;
  readonly shape: Shape;
  /** Names of the place or type, the most specific first. */
  readonly names: readonly string[];
}

/** State of one comparison. */
export interface Comparison {
  readonly model: RevisionModel;
  /** Newer revisions than `model`, oldest first. */
  readonly newer: readonly RevisionModel[];
  readonly known: Map<string, WholeDifference | undefined>;
  readonly open: Set<string>;
  /** Compares a shape of `model` with the shapes at the same place of newer revisions. `type` names the place. */
  readonly compare: (
    shape: Shape,
    newer: readonly Newer[],
    type: string,
    comparison: Comparison,
  ) => Difference | undefined;
}

/** Place where two shapes meet: a declaration of this revision, or the place of an inline shape. */
export interface Place {
  readonly type: string;
  readonly declared: boolean;
}

/** Describes a change at a place. */
export function changeOf(kind: Change["kind"], { model, names }: Newer, { type }: Place): Change {
  return { kind, names, type, since: model.id };
}

/** Merges equal changes of several newer revisions into one, dated by the oldest of them. */
export function mergeChanges(changes: readonly Change[]): Change[] {
  const merged = new Map<string, Change>();
  for (const change of changes) {
    const key = JSON.stringify([change.kind, change.type, change.member]);
    const known = merged.get(key);
    const names = [...new Set([...(known?.names ?? []), ...change.names])];
    merged.set(key, { ...change, ...known, names });
  }
  return [...merged.values()];
}
