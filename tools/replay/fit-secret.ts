import { isObject } from "../../generated/support.ts";
import { compilePattern } from "../../runtime/adapters/schema-patterns.ts";
import { valueAtFragment } from "../../runtime/internal/json-pointer.ts";
import { formats, isFormat } from "../../runtime/internal/string-formats.ts";

/** Schema of a value, and the document in which its references point. */
export interface ValueSchema {
  readonly schema: unknown;
  readonly root: unknown;
}

/** Returns the schema of a member of an object, or of the items of a list. */
export function schemaOf(parent: ValueSchema | undefined, name: string | undefined): ValueSchema | undefined {
  if (!parent) return undefined;
  for (const schema of listParts(parent)) {
    const { properties, items, additionalProperties } = schema;
    const found = name === undefined ? items : (readOwn(properties, name) ?? additionalProperties);
    if (isObject(found)) return { schema: found, root: parent.root };
  }
  return undefined;
}

/**
 * Returns a value in place of a secret, if possible one accepted by its schema: the secret itself where the schema has a few values to choose from,
 * otherwise the usual text or 0, otherwise a sample or the secret with other letters and digits. If none of them fits, the usual one is returned.
 */
export function fitSecret<Value extends string | number>(secret: Value, usual: Value, schema: ValueSchema): unknown {
  if (isChoice(secret, schema)) return secret;
  const parts = listParts(schema);
  const candidates: readonly unknown[] =
    typeof secret === "string" ? listTexts(secret, String(usual), parts) : listNumbers(usual, parts);
  return candidates.find((candidate) => accepts(schema, candidate)) ?? usual;
}

/** True for one of a few values permitted by a schema. */
export function isChoice(value: unknown, schema: ValueSchema): boolean {
  return listParts(schema).some(({ enum: choices, const: only }) => only === value || isIn(choices, value));
}

function listTexts(secret: string, usual: string, parts: readonly Keywords[]): readonly string[] {
  const lengths = parts.flatMap(({ minLength, maxLength }) => [minLength, maxLength].filter(isCount));
  const resized = lengths.map((length) => usual.slice(0, length).padEnd(length, "x"));
  return [usual, ...resized, ...samples, ...masks.map((mask) => mask(secret))];
}

function listNumbers(usual: unknown, parts: readonly Keywords[]): readonly unknown[] {
  const bounds = parts.flatMap(({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }) => {
    const step = isCount(multipleOf) && multipleOf > 0 ? multipleOf : 1;
    const low = [minimum, exclusiveMinimum].filter(isNumber);
    const high = [maximum, exclusiveMaximum].filter(isNumber);
    return [
      ...low.flatMap((bound) => [Math.ceil(bound / step) * step, Math.floor(bound / step + 1) * step, bound]),
      ...high.flatMap((bound) => [Math.floor(bound / step) * step, Math.ceil(bound / step - 1) * step, bound]),
      ...low.flatMap((bound) => high.map((other) => (bound + other) / 2)),
    ];
  });
  return [usual, ...bounds];
}

const samples: readonly string[] = [
  "00000000-0000-4000-8000-000000000000",
  "redacted@example.com",
  "https://example.com/redacted",
  new Date(0).toISOString().slice(0, 10),
  new Date(0).toISOString(),
];

const masks: readonly ((secret: string) => string)[] = [
  (secret) => secret.replace(/[a-z]/g, "x").replace(/[A-Z]/g, "X").replace(/\d/g, "0"),
  (secret) => secret.replace(/[a-z]/g, "a").replace(/[A-Z]/g, "A").replace(/\d/g, "1"),
  // A short prefix names the kind of a key.
  (secret) => {
    const prefix = /^[A-Za-z]{2,5}[_-](?:(?:live|test|prod)[_-])?/.exec(secret)?.[0] ?? "";
    const rest = secret.slice(prefix.length);
    return prefix + rest.replace(/[a-z]/g, "a").replace(/[A-Z]/g, "A").replace(/\d/g, "0");
  },
];

/** True if the keywords known here accept a value. */
function accepts(schema: ValueSchema, value: unknown): boolean {
  return listParts(schema).every((part) => acceptsPart(part, value));
}

function acceptsPart(keywords: Keywords, value: unknown): boolean {
  const { enum: choices, const: only } = keywords;
  if (Array.isArray(choices) || only !== undefined) return false;
  if (typeof value === "string") return acceptsText(keywords, value);
  return typeof value === "number" && acceptsNumber(keywords, value);
}

function acceptsText({ minLength, maxLength, pattern, format }: Keywords, text: string): boolean {
  if (isCount(minLength) && text.length < minLength) return false;
  if (isCount(maxLength) && text.length > maxLength) return false;
  if (typeof pattern === "string" && !matches(pattern, text)) return false;
  if (format === "uuid") return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
  return !isFormat(format) || formats[format].accepts(text);
}

function acceptsNumber({ type, multipleOf, ...bounds }: Keywords, number: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  if (type === "integer" && !Number.isInteger(number)) return false;
  if (isNumber(multipleOf) && number % multipleOf !== 0) return false;
  if (isNumber(minimum) && number < minimum) return false;
  if (isNumber(maximum) && number > maximum) return false;
  if (isNumber(exclusiveMinimum) && number <= exclusiveMinimum) return false;
  return !isNumber(exclusiveMaximum) || number < exclusiveMaximum;
}

/** Tests a text in linear time. If the time of a pattern is not certain, the text counts as no match. */
function matches(pattern: string, text: string): boolean {
  if (text.length > longestText) return false;
  try {
    return compilePattern(pattern, {})?.test(text) ?? false;
  } catch {
    return false;
  }
}

const longestText = 4_096;

type Keywords = Record<string, unknown>;

/**
 * Lists a schema, the schemas it refers to and the parts it is composed of, as far as they are few. Of alternatives, the first one with more than
 * `null` counts.
 */
function listParts({ schema, root }: ValueSchema): readonly Keywords[] {
  const parts: Keywords[] = [];
  const open = [schema];
  while (open.length > 0 && parts.length < mostParts) {
    const next = open.shift();
    if (!isObject(next)) continue;
    parts.push(next);
    const { $ref, allOf, anyOf, oneOf } = next;
    open.push(valueAtFragment(root, $ref));
    if (Array.isArray(allOf)) open.push(...allOf.slice(0, mostParts));
    for (const choices of [anyOf, oneOf])
      if (Array.isArray(choices)) open.push(choices.find((one) => isObject(one) && one.type !== "null"));
  }
  return parts;
}

const mostParts = 32;

function readOwn(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isIn(choices: unknown, value: unknown): boolean {
  return Array.isArray(choices) && choices.includes(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isCount(value: unknown): value is number {
  return isNumber(value) && value >= 0 && value <= longestText;
}
