import { isObject } from "../../generated/support.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { fromUtf8 } from "./utf8.ts";

/** Tool parameter sent in a header as well, for intermediaries between client and server. */
export interface ParamHeader {
  /** Name of the header, with its prefix `Mcp-Param-`. */
  readonly header: string;
  /** Path of the parameter in the arguments. */
  readonly path: readonly string[];
}

/**
 * Returns the parameters marked for mirroring in a tool's input schema.
 *
 * @throws {Error} when a mark is invalid or misplaced, or when two marks name the same header: such a tool cannot be used
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export function readParamHeaders(schema: unknown): readonly ParamHeader[] {
  const paramHeaders: ParamHeader[] = [];
  collect(schema, [], paramHeaders);
  const names = paramHeaders.map(({ header }) => header.toLowerCase());
  const repeated = paramHeaders.find(({ header }, index) => names.indexOf(header.toLowerCase()) !== index);
  if (repeated) throw new Error(`two parameters use the header ${repeated.header}; rename one of them`);
  return paramHeaders;
}

/** Returns the value of a mirrored parameter; absent values and `null` have no header. */
export function readParamValue(args: unknown, path: readonly string[]): unknown {
  const value = path.reduce<unknown>(
    (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    args,
  );
  return value === null ? undefined : value;
}

/** Returns a value as text for a header; `undefined` for values without a header form. */
export function toFieldText(value: unknown): string | undefined {
  const isPlain = typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
  return isPlain ? String(value) : undefined;
}

/** True if the text of a header represents the same value; integers may have leading zeros or a fraction of zeros. */
export function isSameField(text: string, value: unknown): boolean {
  if (typeof value === "number") return /^-?\d+(\.0*)?$/.test(text) && Number(text) === value;
  return text === toFieldText(value);
}

/**
 * Encodes text as the value of a header. Text unfit for headers is written in base64, and so is text that looks like this encoding, or like several
 * header lines joined by a platform.
 */
export function encodeField(text: string): string {
  const isSafe = /^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(text) && !sentinel.test(text) && !text.includes(joint);
  return isSafe ? text : `=?base64?${toBase64(new TextEncoder().encode(text))}?=`;
}

/** Returns the text represented by the value of a header; `undefined` when it is not well-formed. */
export function decodeField(field: string): string | undefined {
  const text = field.replace(/^[ \t]+|[ \t]+$/g, "");
  const encoded = sentinel.exec(text)?.[1];
  if (encoded !== undefined) return decodeText(encoded);
  return /^[\t -~]*$/.test(text) ? text : undefined;
}

const mark = "x-mcp-header";

/** Separator of header lines in one value. @see https://fetch.spec.whatwg.org/#concept-header-list-get */
export const joint = ", ";

const sentinel = /^=\?base64\?(.*)\?=$/s;

/** Keywords with subschemas, in which no parameter can be reached by a path. */
const single = ["items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "propertyNames"];
const more = ["unevaluatedProperties", "not", "if", "then", "else", "contentSchema"];
const lists = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const maps = ["patternProperties", "$defs", "definitions", "dependentSchemas"];

function collect(schema: unknown, path: readonly string[] | undefined, paramHeaders: ParamHeader[]): void {
  if (!isObject(schema)) return;
  if (Object.hasOwn(schema, mark)) paramHeaders.push(readMark(schema, path));
  for (const [key, inner] of entriesOf(schema.properties)) collect(inner, path && [...path, key], paramHeaders);
  for (const inner of findHidden(schema)) collect(inner, undefined, paramHeaders);
}

function readMark(schema: Record<string, unknown>, path: readonly string[] | undefined): ParamHeader {
  const name = schema[mark];
  const place = path?.join(".") ?? "";
  if (typeof name !== "string" || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    throw new Error(
      `${mark} of ${place || "its schema"} is ${JSON.stringify(name)}; use the characters of header names`,
    );
  }
  if (!path || path.length === 0) {
    throw new Error(`${mark} ${JSON.stringify(name)} is not on a property that only nested properties lead to`);
  }
  if (!headerTypes.includes(schema.type)) {
    throw new Error(`${mark} is on ${place}, which is not a string, integer or boolean`);
  }
  return { header: `Mcp-Param-${name}`, path };
}

const headerTypes: readonly unknown[] = ["string", "integer", "boolean"];

function findHidden(schema: Record<string, unknown>): readonly unknown[] {
  return [
    ...[...single, ...more].map((keyword) => schema[keyword]),
    ...lists.flatMap((keyword): readonly unknown[] => (Array.isArray(schema[keyword]) ? schema[keyword] : [])),
    ...maps.flatMap((keyword) => entriesOf(schema[keyword]).map(([, inner]) => inner)),
  ];
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** Decodes base64 strictly: text with several possible readings is rejected. */
function decodeText(encoded: string): string | undefined {
  const bytes = fromBase64(encoded);
  return bytes && fromUtf8(bytes);
}
