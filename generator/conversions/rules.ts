import type { Change } from "./difference.ts";
import type { RuleName } from "../model.ts";

/** Kinds of changes covered by a rule, and the value it works on. */
export interface RuleFacts {
  /** Kinds of changes for the rule. */
  readonly covers: readonly Change["kind"][];
  /**
   * Argument of the rule's function; absent for rules without one. `object`: the object in which something has changed. `value`: the value of another
   * kind. `content`: the value of an unknown alternative, with the alternative's name. `guard`: the object as well; the function returns true if the
   * object may stay.
   */
  readonly works?: "object" | "value" | "content" | "guard";
  /** True if the rule never loses information. The rule `as` loses none if the value has only another name. */
  readonly lossless?: true;
  /** The only member the rule is written for. */
  readonly member?: string;
  /** Members required of an alternative, and the value of `type` of its replacement. */
  readonly needs?: readonly string[];
  readonly makes?: string;
}

/** Every rule an overlay may name. */
export const conversionRules: { readonly [name in RuleName]: RuleFacts } = {
  keep: { covers: ["member", "open", "shape"], lossless: true },
  omit: { covers: ["member"], lossless: true },
  drop: { covers: ["member"] },
  error: { covers: ["member", "missing", "option", "shape"] },
  as: { covers: ["option"] },
  default: { covers: ["missing"], lossless: true },
  "audio-to-resource": { covers: ["option"], works: "value", member: "AudioContent" },
  "audio-to-text": { covers: ["option"], works: "value", member: "AudioContent" },
  "content-to-resource": {
    covers: ["option"],
    works: "content",
    needs: ["type", "data", "mimeType"],
    makes: "resource",
  },
  "content-to-text": { covers: ["option"], works: "content", needs: ["type"], makes: "text" },
  "elicitation-id": { covers: ["missing"], works: "object", lossless: true, member: "elicitationId" },
  "link-to-text": { covers: ["option"], works: "value", needs: ["type", "name", "uri"], makes: "text" },
  "object-schema": { covers: ["missing", "shape"], works: "guard", member: "type" },
  "schema-objects": { covers: ["shape"], works: "value", lossless: true, member: "properties" },
  "single-item": { covers: ["option"] },
  "structured-object": { covers: ["shape"], works: "object", member: "structuredContent" },
  "structured-to-text": { covers: ["member"], works: "object", member: "structuredContent" },
  "title-to-annotations": { covers: ["member"], works: "object", member: "title" },
  "titles-to-names": { covers: ["option"], works: "value", lossless: true, needs: ["oneOf"] },
};

/** Names of all rules. */
export const ruleNames: readonly RuleName[] = Object.keys(conversionRules).filter(isRuleName);

function isRuleName(name: string): name is RuleName {
  return Object.hasOwn(conversionRules, name);
}

/** Returns the name of the function behind a rule: `audio-to-text` is `audioToText`, the guard `object-schema` is `isObjectSchema`. */
export function ruleFunction(rule: RuleName): string {
  const isGuard = conversionRules[rule].works === "guard";
  return (isGuard ? `is-${rule}` : rule).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
