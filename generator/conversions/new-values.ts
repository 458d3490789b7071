import {
  innerDifferences,
  type Change,
  type Difference,
  type OptionDifference,
  type UnionDifference,
} from "./difference.ts";
import type { ConversionRule, LiteralShape } from "../model.ts";

/** This revision's value in place of a new one. */
export interface OlderValue {
  readonly value: LiteralShape["value"] | null;
  /** True if the new value is another name of it: nothing is lost. */
  readonly isRename: boolean;
}

/**
 * Returns, for each new value of a union, the older one it becomes by the rule `as`, through other new values if necessary; `undefined` if it becomes
 * none.
 */
export function findOlderValues(
  { options }: UnionDifference,
  ruleOf: (change: Change) => ConversionRule | undefined,
): ReadonlyMap<Change, OlderValue | undefined> {
  const found = new Map<Change, OlderValue | undefined>();
  /** Renamed values, each with the alternatives its new name has passed. */
  const renamed = new Map<unknown, readonly OptionDifference[]>();
  for (const option of options) {
    if (!option.change || ruleOf(option.change)?.rule !== "as") continue;
    const path = pathOf(option, { options, ruleOf }, []);
    const end = path?.at(-1)?.outline.plain;
    if (!path || end?.kind !== "value" || option.outline.plain?.kind !== "value") {
      found.set(option.change, undefined);
      continue;
    }
    const { value } = end;
    const isReplaced = path.every(({ change }) => !change || change.replaces?.some((one) => one === value));
    // Several new values may become one: the first is its new name.
    const isRename = isReplaced && (renamed.get(value) ?? []).every((other) => path.includes(other));
    if (isRename) renamed.set(value, [...(renamed.get(value) ?? []), option]);
    found.set(option.change, { value, isRename });
  }
  return found;
}

/** Returns the alternatives from a new value to the known one it becomes; `undefined` if there is none. */
function pathOf(
  option: OptionDifference,
  ruled: {
    readonly options: readonly OptionDifference[];
    readonly ruleOf: (change: Change) => ConversionRule | undefined;
  },
  passed: readonly OptionDifference[],
): readonly OptionDifference[] | undefined {
  if (!option.change) return [...passed, option];
  const rule = ruled.ruleOf(option.change);
  if (rule?.rule !== "as" || passed.includes(option)) return undefined;
  const next = ruled.options.find(({ outline: { plain } }) => plain?.kind === "value" && plain.value === rule.value);
  return next && pathOf(next, ruled, [...passed, option]);
}

/** Returns every union inside the differences of methods, once: most of them occur at many places. */
export function unionsOf(
  methods: readonly { readonly params?: Difference; readonly result?: Difference }[],
): readonly UnionDifference[] {
  const visited = new Set<Difference>();
  const visit = (difference: Difference | undefined): void => {
    if (!difference || visited.has(difference)) return;
    visited.add(difference);
    if (difference.kind !== "recursive") innerDifferences(difference).forEach(visit);
  };
  for (const { params, result } of methods) {
    visit(params);
    visit(result);
  }
  return [...visited].filter((difference) => difference.kind === "union");
}
