import type { Change } from "./difference.ts";
import type { RuleName } from "../model.ts";

/** Kinds of changes that a rule covers, and the value that it works on. */
export interface RuleFacts {
  /** Kinds of changes that the rule can handle. */
  readonly covers: readonly Change["kind"][];
  /**
   * Argument of the rule's function; absent for rules without one.
   * `object`: the object in which something has changed. `value`: the value that is of another kind.
   * `guard`: the object as well; the function returns true if the object may stay.
   */
  readonly works?: "object" | "value" | "guard";
  /** True if the rule loses no information. */
  readonly lossless?: true;
}

/** Every rule that an overlay may name. */
export const conversionRules: { readonly [name in RuleName]: RuleFacts } = {
  keep: { covers: ["member", "open", "shape"], lossless: true },
  omit: { covers: ["member"], lossless: true },
  drop: { covers: ["member"] },
  error: { covers: ["member", "missing", "option", "shape"] },
  "audio-to-resource": { covers: ["option"], works: "value" },
  "audio-to-text": { covers: ["option"], works: "value" },
  "elicitation-id": { covers: ["missing"], works: "object", lossless: true },
  "link-to-text": { covers: ["option"], works: "value" },
  "object-schema": { covers: ["missing", "shape"], works: "guard" },
  "schema-objects": { covers: ["shape"], works: "value", lossless: true },
  "single-item": { covers: ["option"] },
  "structured-object": { covers: ["shape"], works: "object" },
  "structured-to-text": { covers: ["member"], works: "object" },
  "title-to-annotations": { covers: ["member"], works: "object" },
  "titles-to-names": { covers: ["option"], works: "value", lossless: true },
};

/** Returns the name of the function behind a rule: `audio-to-text` is `audioToText`, the guard `object-schema` is `isObjectSchema`. */
export function ruleFunction(rule: RuleName): string {
  const isGuard = conversionRules[rule].works === "guard";
  return (isGuard ? `is-${rule}` : rule).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
