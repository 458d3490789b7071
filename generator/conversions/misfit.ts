import type { OptionDifference, UnionDifference } from "./difference.ts";
import { conversionRules } from "./rules.ts";
import type { RuleName } from "../model.ts";

/** Returns why a rule cannot convert an unknown alternative of a union, if it cannot. */
export function findMisfit(
  rule: RuleName,
  { outline, change }: OptionDifference,
  { type, options }: UnionDifference,
): string | undefined {
  if (rule === "single-item" && outline.kind !== "array")
    return `the rule single-item needs a list, which ${change?.member ?? type} is not; use another rule`;
  const { needs = [], makes } = conversionRules[rule];
  const missing = needs.find((name) => !outline.required.includes(name));
  if (missing !== undefined)
    return `the rule ${rule} needs the member ${missing}, which ${change?.member ?? type} does not require; use another rule`;
  const isMade = options.some((option) => !option.change && option.outline.literals.get("type")?.includes(makes));
  if (makes === undefined || isMade) return undefined;
  return `the rule ${rule} makes content of the type ${makes}, which ${type} does not have; use another rule`;
}
