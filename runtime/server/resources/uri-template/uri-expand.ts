import type { Expression, ExpandValue, Operator, TemplatePart, Variable } from "./template-parts.ts";

/**
 * Expands a template with the given values.
 *
 * @throws {Error} when a prefix length is used for a list or map.
 */
export function expandTemplate(
  parts: readonly TemplatePart[],
  values: { readonly [name: string]: ExpandValue },
): string {
  return parts
    .map((part) => (part.kind === "literal" ? encode(part.text, true) : expandExpression(part, values)))
    .join("");
}

function expandExpression(expression: Expression, values: { readonly [name: string]: ExpandValue }): string {
  const { operator } = expression;
  const pieces = expression.variables.flatMap((variable) => {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
    return expandVariable(operator, variable, value);
  });
  return pieces.length === 0 ? "" : operator.first + pieces.join(operator.separator);
}

function expandVariable(operator: Operator, variable: Variable, value: ExpandValue): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object") return [named(operator, variable.name, scalar(operator, variable, String(value)))];
  if (variable.prefix !== undefined) {
    throw new Error(
      `URI template variable "${variable.name}": a prefix length cannot apply to a list or map (RFC 6570)`,
    );
  }
  return isList(value) ? expandList(operator, variable, value) : expandMap(operator, variable, value);
}

function scalar(operator: Operator, variable: Variable, value: string): string {
  const shortened = variable.prefix === undefined ? value : [...value].slice(0, variable.prefix).join("");
  return encode(shortened, operator.reserved);
}

function expandList(operator: Operator, variable: Variable, list: readonly (string | number | boolean)[]): string[] {
  const items = list.map((item) => encode(String(item), operator.reserved));
  if (variable.explode) return items.map((item) => named(operator, variable.name, item));
  return items.length === 0 ? [] : [named(operator, variable.name, items.join(","))];
}

function expandMap(operator: Operator, variable: Variable, map: { readonly [key: string]: string }): string[] {
  const pairs = Object.entries(map).map(([key, item]) => ({
    key: encode(key, operator.reserved),
    item: encode(item, operator.reserved),
  }));
  if (variable.explode) {
    return pairs.map(({ key, item }) => (operator.named ? named(operator, key, item) : `${key}=${item}`));
  }
  return pairs.length === 0
    ? []
    : [named(operator, variable.name, pairs.map(({ key, item }) => `${key},${item}`).join(","))];
}

function named(operator: Operator, name: string, value: string): string {
  if (!operator.named) return value;
  return value === "" ? name + operator.ifEmpty : `${name}=${value}`;
}

/** Encodes the characters URIs have in encoded form only, though people write them as they are. */
export function encodeBeyondAscii(text: string): string {
  return text.replace(beyondAscii, (found) => encodeURIComponent(found.replace(loneSurrogates, "\ufffd")));
}

/**
 * Returns a URI with the escapes of characters beyond ASCII in upper case. The case of an escape has no meaning.
 *
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2.1
 */
export function toUpperEscapes(uri: string): string {
  return uri.replace(encodedBeyondAscii, (escapes) => escapes.toUpperCase());
}

/** Escapes of characters beyond ASCII. URIs of a request have any length, and have far fewer escapes in a row. */
export const encodedBeyondAscii: RegExp = /(?:%[89a-f][\da-f]){1,8192}/gi;

const beyondAscii = /[\u{80}-\u{10ffff}]{1,8192}/gu;
const loneSurrogates = /\p{Surrogate}/gu;
const notUnreserved = /[^A-Za-z0-9\-._~]/gu;
const notReserved = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu;

function encode(text: string, keepReserved: boolean): string {
  if (!keepReserved) return text.replace(notUnreserved, percentEncode);
  return text.replace(notReserved, (found) =>
    found.length === 3 && found.startsWith("%") ? found : percentEncode(found),
  );
}

function percentEncode(character: string): string {
  // encodeURIComponent does not encode !'()* and throws on lone surrogates. Those become U+FFFD, as in every URL parser.
  const whole = /^[\ud800-\udfff]$/.test(character) ? "\ufffd" : character;
  return encodeURIComponent(whole).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function isList(
  value: readonly (string | number | boolean)[] | { readonly [key: string]: string },
): value is readonly (string | number | boolean)[] {
  return Array.isArray(value);
}
