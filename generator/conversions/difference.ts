import type { RevisionModel, Shape } from "../model.ts";

/** Something that a newer revision can say and an older one cannot, or must say and a newer one need not. */
export interface Change {
  /**
   * `member`: an object has a property that is not known. `missing`: a property is required here and may be absent there.
   * `open`: any key is allowed there and only listed ones here. `option`: a union has a member that is not known.
   * `shape`: a value may be of another kind than here.
   */
  readonly kind: "member" | "missing" | "open" | "option" | "shape";
  /** Names by which a rule may call it, the most specific first. All are those of the newer revisions. */
  readonly names: readonly string[];
  /** Type or place that it concerns. */
  readonly type: string;
  /** Property of that type, or the alternative. */
  readonly member?: string;
  /** The oldest of the newer revisions that has it. */
  readonly since: string;
}

/** How values of newer revisions differ from a shape of this one; nothing where they do not. */
export type Difference = ObjectDifference | ArrayDifference | UnionDifference | ShapeDifference;

/** Properties differ, or their values do. */
export interface ObjectDifference {
  readonly kind: "object";
  /** Declaration, or place of an object that is written inline. */
  readonly type: string;
  /** `type` is a declaration of this revision. */
  readonly declared: boolean;
  /** Names of all properties that this revision declares. */
  readonly known: readonly string[];
  /** Further keys are allowed. */
  readonly open: boolean;
  readonly changes: readonly Change[];
  readonly members: readonly { readonly name: string; readonly difference: Difference }[];
  /** Difference of the values under keys without a name. */
  readonly index?: Difference;
}

/** Items differ. */
export interface ArrayDifference {
  readonly kind: "array";
  readonly items: Difference;
}

/** Alternatives differ, or there are more of them. */
export interface UnionDifference {
  readonly kind: "union";
  readonly type: string;
  readonly declared: boolean;
  readonly options: readonly OptionDifference[];
}

/** One alternative: with a change when it is unknown here, with a difference when it is known and differs. */
export interface OptionDifference {
  /** What tells its values from those of others. */
  readonly outline: Outline;
  readonly change?: Change;
  readonly difference?: Difference;
}

/** What can be seen of an alternative without looking into it. */
export interface Outline {
  readonly kind: "object" | "array" | "other";
  /** Keys of an object. */
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Properties of an object that have one of a few values; `undefined` among them where the property is optional. */
  readonly literals: ReadonlyMap<string, readonly (string | number | boolean | undefined)[]>;
}

/** The value as a whole may be of another kind. */
export interface ShapeDifference {
  readonly kind: "shape";
  readonly change: Change;
}

/** A shape of a newer revision at the place that is being compared. */
export interface Newer {
  readonly model: RevisionModel;
  readonly shape: Shape;
  /** Names of the place or type, the most specific first. */
  readonly names: readonly string[];
}

/** What comparing has at hand. */
export interface Comparison {
  readonly model: RevisionModel;
  /** Oldest first, all newer than `model`. */
  readonly newer: readonly RevisionModel[];
  readonly known: Map<string, Difference | undefined>;
  readonly open: Set<string>;
}

/** Where two shapes meet: the declaration of this revision, or the place of something written inline. */
export interface Place {
  readonly type: string;
  readonly declared: boolean;
}

/** Describes a change at a place. */
export function changeOf(kind: Change["kind"], { model, names }: Newer, { type }: Place): Change {
  return { kind, names, type, since: model.id };
}

/** The same change in several newer revisions is one, since the oldest of them. */
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
