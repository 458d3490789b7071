import { isLinearPattern } from "../../../runtime/adapters/linear-pattern.ts";
import type { Bounds, SafeDocument, SafeSchema } from "../tool-schema/safe-schema.ts";

/** Code of a check. */
export interface CheckText {
  /** Expression that creates the check. */
  readonly expression: string;
  /** Declarations for the expression, in order. */
  readonly declarations: readonly string[];
  /** Functions called by both. */
  readonly uses: ReadonlySet<string>;
}

/** Writes the check of a schema, as calls of the functions in `check.ts`. Names of definitions begin with `prefix`. */
export function emitCheck(document: SafeDocument, prefix: string): CheckText {
  // A part that was left out may be all that distinguished one alternative from another.
  const isExact = document.losses.every(({ kind }) => kind === "assumed");
  const writer: Writer = {
    nameOf: (definition) => `check${prefix}${definition}`,
    alternatives: isExact ? "one" : "any",
    uses: new Set(),
  };
  const declarations = [...document.definitions].map(
    ([name, schema]) => `const ${writer.nameOf(name)}: Check = ${writePlaced(schema, writer)};`,
  );
  return { expression: writePlaced(document.root, writer), declarations, uses: writer.uses };
}

/** Functions of `check.ts` for the code of checks. */
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
  /** Functions called by the code so far. */
  readonly uses: Set<string>;
}

/** Writes a check for a place that cannot do without one, even if it accepts anything. */
function writePlaced(schema: SafeSchema, writer: Writer): string {
  const text = write(schema, writer);
  if (text === "anything") writer.uses.add(text);
  return text;
}

function use(name: (typeof checkFunctions)[number] | "compileRe2", { uses }: Writer): string {
  uses.add(name);
  return name;
}

/** Writes a check, or `anything` if the schema accepts every value. */

function write(schema: SafeSchema, writer: Writer): string {
  const parts = [
    ...(schema.types
      ? [`${use("types", writer)}(${schema.types.map((type) => JSON.stringify(type)).join(", ")})`]
      : []),
    ...writeValues(schema, writer),
    ...writeText(schema, writer),
    ...writeNumeric(schema, writer),
    ...writeMembers(schema, writer),
    ...writeItems(schema, writer),
    ...(schema.reference === undefined ? [] : [`${use("later", writer)}(() => ${writer.nameOf(schema.reference)})`]),
    ...schema.allOf.map((one) => write(one, writer)),
    ...writeAlternatives("any", schema.anyOf, writer),
    ...writeAlternatives(writer.alternatives, schema.oneOf, writer),
  ].filter((part) => part !== "anything");
  const [only = "anything"] = parts;
  return parts.length < 2 ? only : `${use("all", writer)}(${parts.join(", ")})`;
}

function writeValues({ values }: SafeSchema, writer: Writer): string[] {
  if (!values) return [];
  if (values.length === 0) return [use("nothing", writer)];
  return [`${use("values", writer)}(${values.map((value) => JSON.stringify(value)).join(", ")})`];
}

function writeText(schema: SafeSchema, writer: Writer): string[] {
  const { pattern } = schema;
  const rules = [
    ...numbersOf(schema, ["minLength", "maxLength"]),
    ...(pattern === undefined ? [] : [`pattern: ${writePattern(pattern, writer)}`]),
  ];
  return call("text", rules, writer);
}

/** Writes a pattern. Patterns that may take long in a backtracking engine use another engine. */
function writePattern(pattern: string, writer: Writer): string {
  const text = JSON.stringify(pattern);
  return isLinearPattern(pattern) ? `new RegExp(${text}, "u")` : `${use("compileRe2", writer)}(${text})`;
}

function writeNumeric(schema: SafeSchema, writer: Writer): string[] {
  return call(
    "numeric",
    numbersOf(schema, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
    writer,
  );
}

function writeMembers(schema: SafeSchema, writer: Writer): string[] {
  const { properties, required, additional, names } = schema;
  const rest = writeRest(additional, writer);
  const keys = names === undefined ? "anything" : write(names, writer);
  const known = [...properties].map(([name, member]): [string, string] => [name, write(member, writer)]);
  // A member that accepts anything is listed only if the schema restricts other members.
  const named = known.filter(([, text]) => rest.length > 0 || text !== "anything");
  if (named.some(([, text]) => text === "anything")) use("anything", writer);
  const rules = [
    ...(required.length > 0 ? [`required: ${JSON.stringify(required)}`] : []),
    ...(named.length > 0
      ? [`properties: [${named.map(([name, text]) => `[${JSON.stringify(name)}, ${text}]`).join(", ")}]`]
      : []),
    ...rest,
    ...(keys === "anything" ? [] : [`names: ${keys}`]),
    ...numbersOf(schema, ["minProperties", "maxProperties"]),
  ];
  return call("members", rules, writer);
}

function writeItems(schema: SafeSchema, writer: Writer): string[] {
  const { prefix, items, uniqueItems } = schema;
  const rules = [
    ...(prefix.length > 0 ? [`prefix: [${prefix.map((item) => writePlaced(item, writer)).join(", ")}]`] : []),
    ...writeRest(items, writer),
    ...numbersOf(schema, ["minItems", "maxItems"]),
    ...(uniqueItems ? ["uniqueItems: true"] : []),
  ];
  return call("items", rules, writer);
}

function writeRest(rest: SafeSchema | false | undefined, writer: Writer): string[] {
  if (rest === undefined) return [];
  const text = rest === false ? "false" : write(rest, writer);
  return text === "anything" ? [] : [`rest: ${text}`];
}

/** Writes alternatives. They restrict nothing if one of them accepts everything. */
function writeAlternatives(name: Writer["alternatives"], list: readonly SafeSchema[], writer: Writer): string[] {
  const inner = { ...writer, uses: new Set<string>() };
  const texts = list.map((one) => write(one, inner));
  if (texts.length === 0 || texts.includes("anything")) return [];
  for (const used of inner.uses) writer.uses.add(used);
  return texts.length === 1 ? texts : [`${use(name, writer)}(${texts.join(", ")})`];
}

function numbersOf(schema: Bounds, keys: readonly Exclude<keyof Bounds, "pattern" | "uniqueItems">[]): string[] {
  return keys.flatMap((key) => (schema[key] === undefined ? [] : [`${key}: ${schema[key]}`]));
}

function call(name: (typeof checkFunctions)[number], rules: readonly string[], writer: Writer): string[] {
  return rules.length === 0 ? [] : [`${use(name, writer)}({ ${rules.join(", ")} })`];
}
