import type { RuleName } from "../model.ts";
import { innerDifferences, type Change, type Difference, type ObjectDifference } from "./difference.ts";
import type { Conversions } from "./found-rule.ts";
import { conversionRules } from "./rules.ts";

type Rules = Pick<Conversions, "ruleOf">;

/** Creates the decision whether values of a difference need a conversion: whether any change in it, at any depth, has a rule to apply. */
export function createDecision(rules: Rules): (difference: Difference) => boolean {
  const known = new Map<Difference, boolean>();
  return (difference) => {
    const needs = known.get(difference) ?? reachesRule(difference, rules);
    known.set(difference, needs);
    return needs;
  };
}

/** A type may contain itself, so each difference is visited once: the set grows while it is iterated. */
function reachesRule(difference: Difference, rules: Rules): boolean {
  const reached = new Set([difference]);
  for (const each of reached) {
    if (hasRule(each, rules)) return true;
    for (const inner of innerDifferences(each)) reached.add(inner);
  }
  return false;
}

/** True if a rule applies to the value itself, whatever is inside. */
function hasRule(difference: Difference, rules: Rules): boolean {
  const isChanged = (change: Change): boolean => rules.ruleOf(change).rule !== "keep";
  switch (difference.kind) {
    case "object":
      return difference.changes.some(isChanged) || objectRules(difference, rules).length > 0;
    case "union":
      return difference.options.some(({ change }) => change && isChanged(change));
    case "shape": {
      // Rules of other kinds apply to the surrounding object.
      const { rule } = rules.ruleOf(difference.change);
      return rule === "error" || conversionRules[rule].works === "value";
    }
    case "array":
    case "recursive":
      return false;
  }
}

/** Returns the rules for an object as a whole, guards included. They belong to its own changes or to the kinds of its members' values. */
export function objectRules({ changes, members }: ObjectDifference, { ruleOf }: Rules): readonly RuleName[] {
  const shapes = members.flatMap(({ difference }) => (difference.kind === "shape" ? [difference.change] : []));
  const rules = new Set([...changes, ...shapes].map((change) => ruleOf(change).rule));
  return [...rules].filter((rule) => ["object", "guard"].includes(conversionRules[rule].works ?? ""));
}
