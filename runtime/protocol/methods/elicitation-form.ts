import { isNumber, isObject } from "../../../generated/support.ts";
import type { SchemaIssue } from "./schema-issue.ts";
import { formats, isFormat } from "../../internal/string-formats.ts";

/** Values of a form, by field name. */
export type FormContent = Readonly<Record<string, unknown>>;

/**
 * Fills in the defaults of fields the user left unchanged. A default its own field does not allow is omitted.
 *
 * @param schema - the requested schema, checked against the revision
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
 */
export function fillForm(schema: unknown, content: FormContent): FormContent {
  const defaults = [...readFields(schema)].flatMap(([name, field]) => {
    const isOpen = !Object.hasOwn(content, name) || content[name] === undefined;
    return isOpen && findProblem(field, field.default) === undefined ? [[name, field.default]] : [];
  });
  return Object.fromEntries([...Object.entries(content).filter(([, value]) => value !== undefined), ...defaults]);
}

/** Returns the problems of a form's values. Unrequested values are problems too: the user may not want to disclose them. */
export function checkForm(schema: unknown, content: FormContent): readonly SchemaIssue[] {
  const fields = readFields(schema);
  const strange = Object.keys(content).filter((name) => !fields.has(name));
  return [...checkFormContent(schema, content), ...strange.map((name) => toIssue(name, "was not requested"))];
}

/** Returns the problems of the requested values. Other values are not checked: a server can only ignore them. */
export function checkFormContent(schema: unknown, content: FormContent): readonly SchemaIssue[] {
  const required = isObject(schema) && Array.isArray(schema.required) ? schema.required : [];
  const missing = required
    .filter((name): name is string => typeof name === "string" && !Object.hasOwn(content, name))
    .map((name) => toIssue(name, "is required"));
  const wrong = [...readFields(schema)].flatMap(([name, field]) => {
    const message = Object.hasOwn(content, name) ? findProblem(field, content[name]) : undefined;
    return message === undefined ? [] : [toIssue(name, message)];
  });
  return [...missing, ...wrong];
}

function toIssue(name: string, message: string): SchemaIssue {
  return { path: [name], message };
}

type Field = Readonly<Record<string, unknown>>;

/** Returns the fields as a map, because their names come from the server. */
function readFields(schema: unknown): ReadonlyMap<string, Field> {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  return new Map(Object.entries(properties).flatMap(([name, field]) => (isObject(field) ? [[name, field]] : [])));
}

function findProblem(field: Field, value: unknown): string | undefined {
  switch (field.type) {
    case "string":
      return findTextProblem(field, value);
    case "number":
    case "integer":
      return findNumberProblem(field, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "array":
      return findChoicesProblem(field, value);
    default:
      return "has a type that is not supported in forms";
  }
}

function findTextProblem(field: Field, value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string";
  const choices = readChoices(field);
  if (choices) return choices.includes(value) ? undefined : describeChoices(choices);
  const length = [...value].length;
  if (isBelow(length, field.minLength)) return `must have at least ${String(field.minLength)} characters`;
  if (isAbove(length, field.maxLength)) return `must have at most ${String(field.maxLength)} characters`;
  if (!isFormat(field.format)) return undefined;
  const { accepts, description } = formats[field.format];
  return accepts(value) ? undefined : `must be ${description}`;
}

function findNumberProblem(field: Field, value: unknown): string | undefined {
  if (!isNumber(value)) return "must be a number";
  if (field.type === "integer" && !Number.isInteger(value)) return "must be a whole number";
  if (field.type === "integer" && !Number.isSafeInteger(value))
    return `must be within ${Number.MAX_SAFE_INTEGER}, beyond which integers are rounded`;
  if (isBelow(value, field.minimum)) return `must be at least ${String(field.minimum)}`;
  if (isAbove(value, field.maximum)) return `must be at most ${String(field.maximum)}`;
  return undefined;
}

function findChoicesProblem(field: Field, value: unknown): string | undefined {
  if (!Array.isArray(value)) return "must be an array of choices";
  if (isBelow(value.length, field.minItems)) return `must have at least ${String(field.minItems)} choices`;
  if (isAbove(value.length, field.maxItems)) return `must have at most ${String(field.maxItems)} choices`;
  const choices = isObject(field.items) ? (readChoices(field.items) ?? []) : [];
  return value.every((choice) => choices.includes(choice)) ? undefined : describeChoices(choices);
}

/** Returns the values to choose from, in any of the notations; `undefined` when the field is free. */
function readChoices(field: Field): readonly unknown[] | undefined {
  if (Array.isArray(field.enum)) return field.enum;
  const titled = field.oneOf ?? field.anyOf;
  if (!Array.isArray(titled)) return undefined;
  return titled.map((choice: unknown) => (isObject(choice) ? choice.const : undefined));
}

function describeChoices(choices: readonly unknown[]): string {
  return `must be one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
}

function isBelow(value: number, bound: unknown): boolean {
  return typeof bound === "number" && value < bound;
}

function isAbove(value: number, bound: unknown): boolean {
  return typeof bound === "number" && value > bound;
}
