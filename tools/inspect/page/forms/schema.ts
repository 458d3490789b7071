import { valueAtFragment } from "../../../../runtime/internal/json-pointer.ts";
import { Validator, type Schema } from "@cfworker/json-schema";
import { isObject, objectsOf, textOf, type JsonObject } from "../values/values.ts";

/** Option of a field with a fixed set of values. */
export interface FieldOption {
  readonly value: unknown;
  readonly label: string;
}

/** Field of a form for a schema. Everything not listed here is edited as JSON. */
export type Field =
  | { readonly kind: "text"; readonly format: string; readonly isLong: boolean }
  | { readonly kind: "number" }
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly options: readonly FieldOption[] }
  | { readonly kind: "choices"; readonly options: readonly FieldOption[] }
  | { readonly kind: "list"; readonly items: JsonObject }
  | { readonly kind: "object"; readonly members: readonly Member[] }
  | { readonly kind: "json" };

/** Member of an object with fields. */
export interface Member {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** Returns the field for a schema. References are resolved within the whole schema. Lists that contain such lists without end are edited as JSON. */
export function readField(given: unknown, root: unknown, depth = 0): Field {
  const schema = resolve(given, root);
  const options = readOptions(schema);
  if (options) return { kind: "choice", options };
  switch (typeOf(schema)) {
    case "string":
      return { kind: "text", format: textOf(schema.format), isLong: isLong(schema) };
    case "number":
    case "integer":
      return { kind: "number" };
    case "boolean":
      return { kind: "boolean" };
    case "array": {
      const items = resolve(schema.items, root);
      const choices = readOptions(items);
      if (choices) return { kind: "choices", options: choices };
      const hasFields = depth < deepestForm && readField(items, root, depth + 1).kind !== "json";
      return hasFields ? { kind: "list", items } : { kind: "json" };
    }
    case "object":
      return isFreeForm(schema) ? { kind: "json" } : { kind: "object", members: readMembers(schema) };
    default:
      return { kind: "json" };
  }
}

function isLong({ maxLength }: JsonObject): boolean {
  return typeof maxLength === "number" && maxLength > 200;
}

/**
 * Returns a schema without references. Keywords beside a reference, such as a default, have precedence over the keywords of its target. A circular
 * reference is an empty schema.
 */
export function resolve(schema: unknown, root: unknown): JsonObject {
  let found = schema;
  let resolved: JsonObject = {};
  for (let steps = 0; steps < 20; steps += 1) {
    const { $ref: reference, ...others } = isObject(found) ? found : {};
    resolved = { ...others, ...resolved };
    if (typeof reference !== "string") return resolved;
    found = valueAtFragment(root, reference);
  }
  return {};
}

/** True for an object whose members are not listed. */
function isFreeForm({ properties, additionalProperties, patternProperties }: JsonObject): boolean {
  return !isObject(properties) && (isObject(additionalProperties) || patternProperties !== undefined);
}

function readMembers({ properties, required }: JsonObject): readonly Member[] {
  const names: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : []);
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema: isObject(schema) ? schema : {},
    isRequired: names.has(name),
  }));
}

/** Returns the type of a schema. Of several types, the one besides `null`. */
function typeOf(schema: JsonObject): string {
  const { type, properties } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type.filter((one) => one !== "null") : [type];
  if (types.length === 1 && typeof types[0] === "string") return types[0];
  return isObject(properties) ? "object" : "";
}

function readOptions(schema: JsonObject): readonly FieldOption[] | undefined {
  const names: readonly unknown[] = Array.isArray(schema.enumNames) ? schema.enumNames : [];
  if (Array.isArray(schema.enum))
    return schema.enum.map((value: unknown, at) => ({ value, label: textOf(names[at]) || labelOf(value) }));
  if ("const" in schema) return [{ value: schema.const, label: labelOf(schema.const) }];
  for (const list of [schema.oneOf, schema.anyOf]) {
    const options = objectsOf(list);
    if (options.length > 0 && options.every((option) => "const" in option))
      return options.map((option) => ({ value: option.const, label: textOf(option.title) || labelOf(option.const) }));
  }
  return undefined;
}

function labelOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the initial value of a form: defaults, and values without an alternative. Optional members without them are absent. */
export function initialValue(given: unknown, root: unknown): unknown {
  return createValue(given, root, { depth: 0, budget: { members: mostMembers } });
}

interface Progress {
  /** Number of objects around the value. */
  readonly depth: number;
  /** Number of further members of objects permitted in the whole value. */
  readonly budget: { members: number };
}

function createValue(given: unknown, root: unknown, { depth, budget }: Progress): unknown {
  const schema = resolve(given, root);
  if ("default" in schema) return schema.default;
  const field = readField(schema, root);
  switch (field.kind) {
    case "object": {
      if (depth > deepestForm || budget.members < field.members.length) return undefined;
      budget.members -= field.members.length;
      const members = field.members
        .map(({ name, schema: member, isRequired }): [string, unknown] => {
          const hasOwn = "default" in resolve(member, root);
          return [name, isRequired || hasOwn ? createValue(member, root, { depth: depth + 1, budget }) : undefined];
        })
        .filter(([, value]) => value !== undefined);
      return Object.fromEntries(members);
    }
    case "choice":
      return field.options.length === 1 ? field.options[0]?.value : undefined;
    case "choices":
    case "list":
      return [];
    case "text":
      return "";
    case "boolean":
      return false;
    case "number":
    case "json":
      return undefined;
    default:
      return field satisfies never;
  }
}

/** Maximum number of members of all objects in the initial value of a form. A schema that contains itself several times has far more. */
const mostMembers = 1_000;

/** Levels of objects in a form; deeper ones are edited as JSON. */
export const deepestForm = 6;

/**
 * Checks a value against a schema. Patterns are not checked: a pattern of a hostile server could take longer than a person waits. A schema has no
 * issues if it is unreadable, or needs more than a limit of evaluations.
 */
export function checkValue(
  schema: unknown,
  value: unknown,
): readonly { readonly path: string; readonly message: string }[] {
  if (!isObject(schema)) return [];
  try {
    if (JSON.stringify(schema).length > longestSchema) return [];
    const { errors } = new Validator(toChecked(schema, { left: mostEvaluations }), "2020-12", false).validate(value);
    // The outer errors only say that an inner one exists.
    return errors
      .filter(({ keyword }) => !outerKeywords.has(keyword))
      .map(({ instanceLocation, error }) => ({ path: instanceLocation.replace(/^#\/?/, ""), message: error }));
  } catch {
    return [];
  }
}

/** Number of remaining evaluations of schemas. References can double it at each level. */
interface Evaluations {
  left: number;
}

/**
 * Returns a schema without patterns, which counts its evaluations. The library reads the type of a schema whenever it evaluates it.
 *
 * @throws {Error} in an evaluation beyond the limit
 */
function toChecked(schema: JsonObject, evaluations: Evaluations): Schema {
  // Which members are further ones depends on the patterns.
  const isOpen = Object.hasOwn(schema, "patternProperties");
  const kept = Object.entries(schema).filter(
    ([key]) => !patternKeywords.has(key) && !(isOpen && furtherKeywords.has(key)),
  );
  const checked = Object.fromEntries(kept.map(([key, value]) => [key, cleanKeyword(key, value, evaluations)]));
  const { type } = checked;
  const get = (): unknown => {
    evaluations.left -= 1;
    if (evaluations.left < 0) throw new Error("The check takes too long; send the value without it.");
    return type;
  };
  return Object.defineProperty(checked, "type", { get, enumerable: type !== undefined });
}

/** Removes the patterns of the schemas in a keyword. Names of members are no keywords, and values are no schemas. */
function cleanKeyword(key: string, value: unknown, evaluations: Evaluations): unknown {
  if (valueKeywords.has(key)) return value;
  const clean = (one: unknown): unknown => (isObject(one) ? toChecked(one, evaluations) : one);
  if (Array.isArray(value)) return value.map(clean);
  if (!isObject(value) || !mapKeywords.has(key)) return clean(value);
  const schemas = Object.entries(value).map(([name, one]) => [name, isObject(one) ? clean(one) : one !== false]);
  return Object.fromEntries(schemas);
}

/** Evaluations within about a tenth of a second. */
const mostEvaluations = 20_000;

const patternKeywords: ReadonlySet<string> = new Set(["pattern", "patternProperties", "format"]);

const furtherKeywords: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);

const valueKeywords: ReadonlySet<string> = new Set(["const", "enum"]);

const mapKeywords: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

const outerKeywords: ReadonlySet<string> = new Set(["properties", "items", "$ref", "allOf", "additionalProperties"]);

const longestSchema = 200_000;
