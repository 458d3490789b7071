import type { NumberShape, Shape, StringShape } from "../model.ts";
import { countText } from "../internal/text.ts";
import { resolveAlias, type Declared } from "../model/resolve.ts";
import { templateText } from "./type-text.ts";

/** Tests of a shape in a single expression, without a call to another check. */
export interface Condition {
  /** Expression that is true for an invalid value. */
  readonly invalid: string;
  /** Expression that is true for a valid value. */
  readonly valid: string;
  /** Description of a valid value for error messages. */
  readonly expected: string;
  /** Functions of the support module that both expressions call. */
  readonly guards: readonly SupportName[];
}

/** Name of the support module, imported by checks. */
export type SupportName =
  | "escapeKey"
  | "fail"
  | "fitsTemplate"
  | "isInteger"
  | "isNumber"
  | "isObject"
  | "isStringOf"
  | "maxDepth"
  | "tooDeep"
  | "under";

/** Returns the test of a simple shape on an expression, or `undefined` for shapes with a function of their own. */
export function conditionOf(shape: Shape, expression: string, model: Declared): Condition | undefined {
  switch (shape.kind) {
    case "string":
      return stringCondition(shape, expression);
    case "boolean":
      return comparison(`typeof ${expression}`, `"boolean"`, "boolean");
    case "number":
      return numberCondition(shape, expression);
    case "null":
      return comparison(expression, "null", "null");
    case "literal":
      return comparison(expression, JSON.stringify(shape.value), JSON.stringify(shape.value));
    case "anyObject":
      return guard("isObject", expression, "object");
    case "object":
      return isPlainMap(shape) ? guard("isObject", expression, "object") : undefined;
    case "union":
      return shape.open
        ? conditionOf({ kind: "string" }, expression, model)
        : unionCondition(shape.of, expression, model);
    case "reference":
      return aliasCondition(shape, expression, model);
    default:
      return undefined;
  }
}

/** Lists alternatives as a sentence does: `"a", "b" or "c"`. */
export function listText(words: readonly string[]): string {
  const unique = [...new Set(words)];
  const last = unique.pop() ?? "";
  return unique.length === 0 ? last : `${unique.join(", ")} or ${last}`;
}

function isPlainMap(shape: Shape & { readonly kind: "object" }): boolean {
  return shape.properties.length === 0 && (shape.index === undefined || shape.index.kind === "unknown");
}

function comparison(left: string, right: string, expected: string): Condition {
  return { invalid: `${left} !== ${right}`, valid: `${left} === ${right}`, expected, guards: [] };
}

function guard(name: SupportName, expression: string, expected: string): Condition {
  return { invalid: `!${name}(${expression})`, valid: `${name}(${expression})`, expected, guards: [name] };
}

function stringCondition(shape: StringShape, expression: string): Condition {
  const { template, pattern } = shape;
  const length = lengthCondition(shape, expression);
  const others = [
    ...(template ? [guard("fitsTemplate", `${expression}, ${JSON.stringify(template)}`, templateText(template))] : []),
    ...(pattern === undefined ? [] : [patternCondition(pattern, expression)]),
  ];
  // The template accepts strings only.
  const tested = template && length.guards.length === 0 ? others : [length, ...others];
  return {
    invalid: tested.map(({ invalid }) => invalid).join(" || "),
    valid: tested.map(({ valid }) => valid).join(" && "),
    expected: tested.map(({ expected }) => expected).join(" "),
    guards: tested.flatMap(({ guards }) => guards),
  };
}

function lengthCondition({ minLength = 0, maxLength = Infinity }: StringShape, expression: string): Condition {
  if (minLength === 0 && maxLength === Infinity) return comparison(`typeof ${expression}`, `"string"`, "string");
  const expected = `string of ${lengthText(minLength, maxLength, "character")}`;
  return guard("isStringOf", `${expression}, ${minLength}, ${maxLength}`, expected);
}

/** The other tests of the string come first: they reject what is no string. */
function patternCondition(pattern: string, expression: string): Condition {
  const test = `/${new RegExp(pattern, "u").source}/u.test(${expression})`;
  return { invalid: `!${test}`, valid: test, expected: `matching ${pattern}`, guards: [] };
}

/** Describes the bounds of a number of things: `at most 1 item`. */
export function lengthText(minimum: number, maximum: number, unit: string): string {
  if (maximum === Infinity) return `at least ${countText(minimum, unit)}`;
  const most = countText(maximum, unit);
  return minimum === 0 ? `at most ${most}` : `${minimum} to ${most}`;
}

function numberCondition({ integer, minimum, maximum }: NumberShape, expression: string): Condition {
  const base = integer ? guard("isInteger", expression, "integer") : guard("isNumber", expression, "number");
  const outside: string[] = [];
  const inside: string[] = [];
  if (minimum !== undefined) {
    outside.push(`${expression} < ${minimum}`);
    inside.push(`${expression} >= ${minimum}`);
  }
  if (maximum !== undefined) {
    outside.push(`${expression} > ${maximum}`);
    inside.push(`${expression} <= ${maximum}`);
  }
  return {
    invalid: [base.invalid, ...outside].join(" || "),
    valid: [base.valid, ...inside].join(" && "),
    expected: base.expected + boundsText(minimum, maximum),
    guards: base.guards,
  };
}

function boundsText(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? "" : ` of at most ${maximum}`;
}

function unionCondition(members: readonly Shape[], expression: string, model: Declared): Condition | undefined {
  const conditions = members.map((member) => conditionOf(member, expression, model));
  const known = conditions.filter((condition) => condition !== undefined);
  if (known.length !== conditions.length) return undefined;
  return {
    invalid: known.map(({ invalid }) => (invalid.includes("||") ? `(${invalid})` : invalid)).join(" && "),
    valid: known.map(({ valid }) => (valid.includes("&&") ? `(${valid})` : valid)).join(" || "),
    expected: listText(known.map(({ expected }) => expected)),
    guards: known.flatMap(({ guards }) => guards),
  };
}

/** Aliases of plain keywords, such as `string | number`, and of any object are tested inline. Every other name has a check to call. */
function aliasCondition(shape: Shape, expression: string, model: Declared): Condition | undefined {
  const target = resolveAlias(shape, model);
  return isPlain(target) ? conditionOf(target, expression, model) : undefined;
}

function isPlain(shape: Shape): boolean {
  if (shape.kind === "object") return isPlainMap(shape);
  if (shape.kind === "union") return shape.open === true || shape.of.every(({ kind }) => primitives.has(kind));
  return primitives.has(shape.kind);
}

const primitives: ReadonlySet<Shape["kind"]> = new Set(["string", "number", "boolean", "null"] as const);
