import { isRecord } from "../internal/json-text.ts";
import { follow } from "./follow.ts";
import type { Operation } from "./operation.ts";
import { isJsonType } from "./read-style.ts";
import { extractSchema, type Extract } from "./references.ts";

/** A media type with its media type object. */
export type Content = readonly [type: string, media: unknown];

/** Successful responses of an operation, as far as tools return them. */
export interface Output extends Extract, Pick<Operation, "others"> {}

/**
 * Returns media types in lower case, which is how they are compared, with their media type objects.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1
 */
export function readContent(content: unknown): readonly Content[] {
  return isRecord(content) ? Object.entries(content).map(([type, media]) => [type.toLowerCase(), media]) : [];
}

/** Returns the content of each successful response; empty for a response without content. */
export function readResponses(responses: unknown, document: unknown): readonly (readonly Content[])[] {
  const all = isRecord(responses) ? Object.entries(responses) : [];
  return all
    .filter(([code]) => /^2(\d\d|XX)$/i.test(code))
    .map(([, value]) => readContent(Object(follow(value, document)).content));
}

/** Reads the schema of the successful responses if one of them is a JSON object, as results of tools are. */
export function readOutput(responses: unknown, document: unknown): Output | undefined {
  const all = readResponses(responses, document);
  const content = all.flat();
  const schemas = content.flatMap(([type, media]) => (isJsonType(type) ? [Object(media).schema ?? {}] : []));
  const typeOf = (schema: unknown): unknown => Object(follow(schema, document)).type;
  const objects = schemas.filter((schema) => typeOf(schema) === "object");
  if (objects.length === 0) return undefined;
  const values = schemas.filter((schema) => typeOf(schema) !== "object");
  const isText = content.some(([type]) => !isJsonType(type));
  const isEmpty = all.some((one) => one.length === 0);
  const alternatives = [
    ...objects,
    // Without a type, a value may be an object or not.
    ...values.filter((schema) => typeOf(schema) === undefined),
    ...[...values, ...(isText ? [{ type: "string" }] : [])].map(wrap),
    ...(isEmpty ? [{ type: "object", maxProperties: 0 }] : []),
  ];
  const different = new Map(alternatives.map((schema) => [JSON.stringify(schema), schema]));
  const [only, ...more] = different.values();
  const whole = more.length === 0 ? only : { type: "object", anyOf: [...different.values()] };
  const others = [
    ...(isEmpty ? (["empty"] as const) : []),
    ...(isText ? (["text"] as const) : []),
    ...(values.length > 0 ? (["value"] as const) : []),
  ];
  return { ...extractSchema(whole, document, "response"), ...(others.length > 0 && { others }) };
}

/** Returns the schema of an object with a value. */
function wrap(value: unknown): object {
  return { type: "object", required: ["value"], properties: { value }, additionalProperties: false };
}
