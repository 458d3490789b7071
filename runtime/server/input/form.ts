import { escapeKey, fail, isObject, under, type Issue, type RequestRow } from "../../../generated/support.ts";
import { shorten } from "../../internal/shorten.ts";
import { SetupError, toError } from "../../jsonrpc/errors.ts";
import type { SchemaIssue } from "../../protocol/methods/schema-issue.ts";
import type { Session } from "../../protocol/session/session.ts";
import { toJsonSchema, type Schema } from "../standard-schema.ts";
import { checkSchema } from "../tools/check-schema.ts";

/** Form of one elicitation: the schema to send, and the check of the response. */
export interface Form {
  readonly requestedSchema: RequestedSchema;
  /** Checks the content of an accepted form, and keeps the value returned by the schema. */
  check(response: unknown): Promise<Issue | undefined>;
  /** Returns a checked response, with the value of the schema as its content. */
  toResponse(response: unknown): object;
}

/**
 * Creates the form of a schema: one of a library with Standard JSON Schema, or plain JSON Schema.
 *
 * @throws {SetupError} when the value is not a schema, or when a form cannot request what it describes
 */
export function createForm(schema: unknown, row: RequestRow, session: Session): Form {
  const form = toRequestedSchema(readJsonSchema(schema));
  let content: unknown;
  return {
    requestedSchema: session.converter ? form : fitForm(form, row),
    async check(response) {
      if (!isAccepted(response)) return undefined;
      const given = isObject(response.content) ? response.content : {};
      if (isStandard(schema)) {
        const outcome = await schema["~standard"].validate(given);
        if (outcome.issues) return toIssue(outcome.issues);
        content = outcome.value;
      } else {
        // Plain JSON Schema is the requested schema, which every response is checked against. Values that were not requested are dropped.
        content = Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(form.properties, name)));
      }
      return undefined;
    },
    toResponse(response) {
      if (isAccepted(response)) return { action: response.action, content };
      return { action: isObject(response) ? response.action : undefined };
    },
  };
}

function readJsonSchema(schema: unknown): Readonly<Record<string, unknown>> {
  if (isObject(schema) && schema.type === "object" && !isStandard(schema)) return schema;
  try {
    if (isStandard(schema)) return toJsonSchema(schema, "input", {});
    checkSchema(schema, "input");
  } catch (error) {
    throw new SetupError(`A form cannot use the schema: ${toError(error).message}`, { cause: error });
  }
  throw new SetupError("A form needs a schema; use zod 4, valibot, arktype or JSON Schema with the type object");
}

function isStandard(schema: unknown): schema is Schema<unknown> {
  return ((typeof schema === "object" && schema !== null) || typeof schema === "function") && "~standard" in schema;
}

function isAccepted(response: unknown): response is { readonly action: "accept"; readonly content?: unknown } {
  return isObject(response) && response.action === "accept";
}

function toIssue([first]: readonly SchemaIssue[]): Issue {
  const issue = fail(`a value that the schema accepts: ${shorten(first?.message ?? "invalid")}`);
  const path = (first?.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment));
  return ["content", ...path].reduceRight((inner, key) => under(escapeKey(key), inner), issue);
}

/** Form in the notation of the newest revision: a flat object of fields. */
interface RequestedSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
}

type Field = Readonly<Record<string, unknown>>;

/**
 * Returns the form described by a JSON Schema. Keywords without a place in forms, such as `pattern`, are left out: the schema itself checks the
 * response.
 *
 * @throws {SetupError} when a form cannot request the values: nested objects, free lists, alternatives, `null`
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
 */
function toRequestedSchema(schema: Readonly<Record<string, unknown>>): RequestedSchema {
  const { type, properties, required } = schema;
  if (type !== "object" || !isObject(properties))
    throw new SetupError(
      "The schema of a form has no named fields; use an object schema with a property for each field",
    );
  const names = Array.isArray(required) ? required.filter(isText) : [];
  return { type, properties: mapFields(properties, toField), ...(names.length > 0 && { required: names }) };
}

/**
 * Returns a form as it is sent at a revision without converters to it. The validator of the revision knows its fields.
 *
 * @throws {SetupError} when the revision has no field with several choices
 */
function fitForm(form: RequestedSchema, { params }: Pick<RequestRow, "params">): RequestedSchema {
  const accepts = (field: Field): boolean =>
    params({ message: "", requestedSchema: { type: "object", properties: { field } } }) === undefined;
  if (accepts({ type: "array", items: { type: "string", enum: [""] } })) return form;
  const keepsDefault = !accepts({ type: "string", default: 0 });
  return {
    ...form,
    properties: mapFields(form.properties, (name, field) => {
      if (field.type === "array")
        throw rejectField(name, "has several choices, which the revision lacks", "use a boolean field for each choice");
      const { default: preset, ...older } = toNames(field);
      return preset !== undefined && (keepsDefault || field.type === "boolean") ? { ...older, default: preset } : older;
    }),
  };
}

/** Writes titles of choices in the older notation, `enumNames`. */
function toNames(field: Field): Field {
  const { oneOf, ...rest } = field;
  if (!Array.isArray(oneOf)) return field;
  const choices = oneOf.filter(isObject);
  return { ...rest, enum: choices.map((choice) => choice.const), enumNames: choices.map(({ title }) => title) };
}

function mapFields(
  fields: Readonly<Record<string, unknown>>,
  map: (name: string, field: Field) => Field,
): Readonly<Record<string, Field>> {
  const mapped = Object.entries(fields).map(([name, field]): [string, Field] => {
    if (!isObject(field)) throw rejectField(name, "accepts any value", "give it a type");
    return [name, map(name, field)];
  });
  return Object.fromEntries(mapped);
}

function toField(name: string, field: Field): Field {
  const choices = readChoices(field);
  if (choices) return describe(field, { type: "string", ...toSingle(choices) }, ["default"]);
  if (field.type !== "boolean" && (field.enum !== undefined || field.const !== undefined))
    throw rejectField(name, "has choices that are not strings", "use strings as choices");
  switch (field.type) {
    case "string":
      return describe(field, { type: "string" }, ["minLength", "maxLength", ...toFormat(field), "default"]);
    case "number":
    case "integer":
      return describe(field, { type: field.type, ...toBounds(field) }, ["default"]);
    case "boolean":
      return describe(field, { type: "boolean" }, ["default"]);
    case "array":
      return describe(field, { type: "array", items: toItems(name, field.items) }, ["minItems", "maxItems", "default"]);
    default:
      throw rejectField(name, `is ${describeType(field)}`, "use strings, numbers, booleans or choices of strings");
  }
}

/** Adds the labels of a field and some of its other keywords. */
function describe(field: Field, known: Field, keywords: readonly string[]): Field {
  const kept = ["title", "description", ...keywords].filter((keyword) => field[keyword] !== undefined);
  return { ...known, ...Object.fromEntries(kept.map((keyword) => [keyword, field[keyword]])) };
}

function toFormat({ format }: Field): readonly string[] {
  return isText(format) && formats.has(format) ? ["format"] : [];
}

const formats: ReadonlySet<string> = new Set(["email", "uri", "date", "date-time"]);

/** Returns the bounds of a number. Those of all safe integers, which libraries add, are left out. */
function toBounds({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Field): Field {
  const step = type === "integer" ? 1 : undefined;
  const least = readBound(minimum, exclusiveMinimum, step);
  const most = readBound(maximum, exclusiveMaximum, step && -step);
  return { ...(least !== undefined && { minimum: least }), ...(most !== undefined && { maximum: most }) };
}

/** Returns the bound a form can express. Exclusive bounds become inclusive ones, which is possible for whole numbers only. */
function readBound(bound: unknown, exclusive: unknown, step: number | undefined): number | undefined {
  if (typeof exclusive === "number" && Number.isInteger(exclusive) && step !== undefined) return exclusive + step;
  return typeof bound === "number" && Math.abs(bound) !== Number.MAX_SAFE_INTEGER ? bound : undefined;
}

function toItems(name: string, items: unknown): Field {
  const choices = isObject(items) ? readChoices(items) : undefined;
  if (!choices) throw rejectField(name, "is a free list", "list its choices, or use several fields");
  return hasTitles(choices) ? { anyOf: choices.map(toTitled) } : { type: "string", enum: choices.map(toValue) };
}

/** Choice of a field, with its label if it has one. */
interface Choice {
  readonly value: string;
  readonly title: string | undefined;
}

function toSingle(choices: readonly Choice[]): Field {
  return hasTitles(choices) ? { oneOf: choices.map(toTitled) } : { enum: choices.map(toValue) };
}

function hasTitles(choices: readonly Choice[]): boolean {
  return choices.some(({ title }) => title !== undefined);
}

function toTitled({ value, title = value }: Choice): Field {
  return { const: value, title };
}

function toValue({ value }: Choice): string {
  return value;
}

/** Returns the strings to choose from, in any notation of a schema library; `undefined` where the field is something else. */
function readChoices({ const: only, enum: values, enumNames, anyOf, oneOf }: Field): readonly Choice[] | undefined {
  if (isText(only)) return [{ value: only, title: undefined }];
  if (Array.isArray(values)) {
    const titles: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
    return allOf(values.map((value: unknown, at) => toChoice(value, titles[at])));
  }
  const options = anyOf ?? oneOf;
  return Array.isArray(options) ? allOf(options.map(readOption))?.flat() : undefined;
}

function readOption(option: unknown): readonly Choice[] | undefined {
  if (!isObject(option)) return undefined;
  const choice = toChoice(option.const, option.title);
  return choice ? [choice] : readChoices(option);
}

function toChoice(value: unknown, title: unknown): Choice | undefined {
  return isText(value) ? { value, title: isText(title) ? title : undefined } : undefined;
}

/** Returns the values, or `undefined` if there are none or if one is missing. */
function allOf<Value>(values: readonly (Value | undefined)[]): readonly Value[] | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 && known.length === values.length ? known : undefined;
}

function describeType({ type }: Field): string {
  if (!isText(type)) return "of several types";
  return type === "object" ? "an object" : `of the type ${type}`;
}

function rejectField(name: string, problem: string, remedy: string): SetupError {
  return new SetupError(`The form field ${JSON.stringify(shorten(name))} ${problem}; ${remedy}`);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
