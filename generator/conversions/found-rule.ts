import type { MethodDifference } from "./compare-revisions.ts";
import type { Change } from "./difference.ts";
import type { ConversionRule, RevisionModel } from "../model.ts";

/** Conversion of values between one revision and newer ones. */
export interface Conversions {
  /** The older revision, whose overlay has the rules. */
  readonly model: RevisionModel;
  readonly methods: readonly MethodDifference[];
  /** Returns the rule of a change. Every change has one. */
  ruleOf(change: Change): FoundRule;
}

/** Rule with the name under which it was found. */
export interface FoundRule extends ConversionRule {
  readonly name: string;
  /** True if the rule loses no information of the change. */
  readonly isLossless: boolean;
}

/** Rule of a change without a conversion: the value stays. */
export const kept: FoundRule = { rule: "keep", at: [], reason: "", name: "", isLossless: true };

/** The overlay of the revision itself comes first, then the next newer one's. Within each, the most specific name wins. */
export function findRule(
  names: readonly string[],
  models: readonly RevisionModel[],
  isAbout: (rule: ConversionRule) => boolean,
): (ConversionRule & { readonly name: string }) | undefined {
  for (const { conversions = [] } of models) {
    for (const name of names) {
      const found = conversions.find((rule) => rule.at.includes(name) && isAbout(rule));
      if (found) return { ...found, name };
    }
  }
  return undefined;
}

/** Path of the overlay of a revision, relative to the same root as the path of its schema. */
export function overlayPath({ source }: Pick<RevisionModel, "source">): string {
  return source.path.replace(/[^/]*$/, "overlay.json");
}
