import { isLinearPattern } from "../../../runtime/adapters/linear-pattern.ts";
import type { Bounds, SafeDocument, SafeSchema } from "../tool-schema/safe-schema.ts";

/** Code of a check. */
export interface CheckText {
  /** Expression that creates the check. */
  readonly expression: string;
  /** Declarations that the expression needs, in order. */
  readonly declarations: readonly string[];
}

/** Writes the check of a schema, as calls of the functions in `check.ts`. Names of definitions begin with `prefix`. */
export function emitCheck(document: SafeDocument, prefix: string): CheckText {
  // A part that was left out may be all that distinguished one alternative from another.
  const isExact = document.losses.every(({ kind }) => kind === "assumed");
  const writer: Writer = {
    nameOf: (definition) => `check${prefix}${definition}`,
    alternatives: isExact ? "one" : "any",
  };
  const declarations = [...document.definitions].map(
    ([name, schema]) => `const ${writer.nameOf(name)}: Check = ${write(schema, writer)};`,
  );
  return { expression: write(document.root, writer), declarations };
}

/** Functions of `check.ts` that the code of a check may use. */
export const checkFunctions = [
  "all",
  "any",
  "anything",
  "items",
  "later",
  "members",
  "nothing",
  "numeric",
  "one",
  "text",
  "types",
  "values",
] as const;

interface Writer {
  readonly nameOf: (definition: string) => string;
  readonly alternatives: "one" | "any";
}

function write(schema: SafeSchema, writer: Writer): string {
  const parts = [
    ...(schema.types ? [`types(${schema.types.map((type) => JSON.stringify(type)).join(", ")})`] : []),
    ...writeValues(schema),
    ...writeText(schema),
    ...writeNumeric(schema),
    ...writeMembers(schema, writer),
    ...writeItems(schema, writer),
    ...(schema.reference === undefined ? [] : [`later(() => ${writer.nameOf(schema.reference)})`]),
    ...schema.allOf.map((one) => write(one, writer)),
    ...writeAlternatives("any", schema.anyOf, writer),
    ...writeAlternatives(writer.alternatives, schema.oneOf, writer),
  ].filter((part) => part !== "anything");
  const [only = "anything"] = parts;
  return parts.length < 2 ? only : `all(${parts.join(", ")})`;
}

function writeValues({ values }: SafeSchema): string[] {
  if (!values) return [];
  return values.length === 0 ? ["nothing"] : [`values(${values.map((value) => JSON.stringify(value)).join(", ")})`];
}

function writeText(schema: SafeSchema): string[] {
  const { pattern } = schema;
  const rules = [
    ...numbersOf(schema, ["minLength", "maxLength"]),
    ...(pattern === undefined ? [] : [`pattern: ${writePattern(pattern)}`]),
  ];
  return call("text", rules);
}

/** Writes a pattern. Patterns that may take long in a backtracking engine use another engine. */
function writePattern(pattern: string): string {
  const text = JSON.stringify(pattern);
  return isLinearPattern(pattern) ? `new RegExp(${text}, "u")` : `compileRe2(${text})`;
}

function writeNumeric(schema: SafeSchema): string[] {
  return call(
    "numeric",
    numbersOf(schema, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
  );
}

function writeMembers(schema: SafeSchema, writer: Writer): string[] {
  const { properties, required, additional, names } = schema;
  const rest = writeRest(additional, writer);
  const keys = names === undefined ? "anything" : write(names, writer);
  const known = [...properties].map(([name, member]): [string, string] => [name, write(member, writer)]);
  // A member that accepts anything is listed only if the schema restricts other members.
  const named = known.filter(([, text]) => rest.length > 0 || text !== "anything");
  return call("members", [
    ...(required.length > 0 ? [`required: ${JSON.stringify(required)}`] : []),
    ...(named.length > 0
      ? [`properties: [${named.map(([name, text]) => `[${JSON.stringify(name)}, ${text}]`).join(", ")}]`]
      : []),
    ...rest,
    ...(keys === "anything" ? [] : [`names: ${keys}`]),
    ...numbersOf(schema, ["minProperties", "maxProperties"]),
  ]);
}

function writeItems(schema: SafeSchema, writer: Writer): string[] {
  const { prefix, items, uniqueItems } = schema;
  return call("items", [
    ...(prefix.length > 0 ? [`prefix: [${prefix.map((item) => write(item, writer)).join(", ")}]`] : []),
    ...writeRest(items, writer),
    ...numbersOf(schema, ["minItems", "maxItems"]),
    ...(uniqueItems ? ["uniqueItems: true"] : []),
  ]);
}

function writeRest(rest: SafeSchema | false | undefined, writer: Writer): string[] {
  if (rest === undefined) return [];
  const text = rest === false ? "false" : write(rest, writer);
  return text === "anything" ? [] : [`rest: ${text}`];
}

/** Writes alternatives. They restrict nothing if one of them accepts everything. */
function writeAlternatives(name: string, list: readonly SafeSchema[], writer: Writer): string[] {
  const texts = list.map((one) => write(one, writer));
  if (texts.length === 0 || texts.includes("anything")) return [];
  return texts.length === 1 ? texts : [`${name}(${texts.join(", ")})`];
}

function numbersOf(schema: Bounds, keys: readonly Exclude<keyof Bounds, "pattern" | "uniqueItems">[]): string[] {
  return keys.flatMap((key) => (schema[key] === undefined ? [] : [`${key}: ${schema[key]}`]));
}

function call(name: string, rules: readonly string[]): string[] {
  return rules.length === 0 ? [] : [`${name}({ ${rules.join(", ")} })`];
}
