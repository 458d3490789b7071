import type { Expression, MatchedValue, Operator, TemplatePart, Variable } from "./template-parts.ts";
import { encodeBeyondAscii } from "./uri-expand.ts";

/** Maximum length of an encoded URI. Longer URIs match no template, which bounds the work for one request. */
const longestUri = 65_536;

/**
 * Finds the values for which a template expands to this URI. Values are as long as possible, from left to right.
 *
 * The matcher makes two passes over the URI for every part, without backtracking. The first pass, from the right, marks where the rest of the
 * template can begin. The second pass, from the left, cuts the values at marked positions only.
 */
export function matchTemplate(parts: readonly TemplatePart[], given: string): Map<string, MatchedValue> | undefined {
  const [first] = parts;
  if (given.length > longestUri) return undefined;
  const uri = encodeBeyondAscii(given);
  if (uri.length > longestUri) return undefined;
  if (first?.kind === "literal" && !uri.startsWith(first.text)) return undefined;
  const marks = markBeginnings(parts, uri);
  if (marks[0]?.[0] !== 1) return undefined;
  return readValues(parts, uri, marks);
}

/** Returns marks: `marks[k][i]` is 1 when parts k and later can match exactly the text from i on. */
function markBeginnings(parts: readonly TemplatePart[], uri: string): Uint8Array[] {
  const marks = Array.from({ length: parts.length + 1 }, () => new Uint8Array(uri.length + 1));
  marks[parts.length]?.fill(1, uri.length);
  for (let k = parts.length - 1; k >= 0; k--) {
    const part = parts[k];
    const here = marks[k];
    const rest = marks[k + 1];
    if (part && here && rest) markPart(part, uri, here, rest);
  }
  return marks;
}

function markPart(part: TemplatePart, uri: string, here: Uint8Array, rest: Uint8Array): void {
  if (part.kind === "literal") return markLiteral(part.text, uri, here, rest);
  const { operator } = part;
  const allowed = allowedCharacters(operator);
  // `inside` is 1 if a value that has begun may continue or end at i.
  let inside = 0;
  for (let i = uri.length; i >= 0; i--) {
    const fits = i < uri.length && allowed.test(uri.charAt(i));
    const begins = operator.first === "" ? fits : uri.charAt(i) === operator.first;
    if ((begins && inside === 1) || (operator.first !== "" && rest[i] === 1)) here[i] = 1;
    inside = rest[i] === 1 || (fits && inside === 1) ? 1 : 0;
  }
}

function markLiteral(text: string, uri: string, here: Uint8Array, rest: Uint8Array): void {
  for (let i = uri.indexOf(text); i !== -1; i = uri.indexOf(text, i + 1)) {
    if (rest[i + text.length] === 1) here[i] = 1;
  }
}

function readValues(
  parts: readonly TemplatePart[],
  uri: string,
  marks: readonly Uint8Array[],
): Map<string, MatchedValue> | undefined {
  const values = new Map<string, MatchedValue>();
  let position = 0;
  for (const [k, part] of parts.entries()) {
    const rest = marks[k + 1];
    if (part.kind === "literal") position += part.text.length;
    if (part.kind === "literal" || !rest) continue;
    const end = findEnd(part.operator, uri, position, rest);
    if (!readExpression(part, uri.slice(position, end), values)) return undefined;
    position = end;
  }
  return values;
}

/** Returns the last marked position that the expression can reach. The first pass guarantees that there is one. */
function findEnd(operator: Operator, uri: string, start: number, rest: Uint8Array): number {
  const allowed = allowedCharacters(operator);
  const begins = operator.first === "" || uri.charAt(start) === operator.first;
  let end = start;
  for (let i = start + 1; begins && i <= uri.length; i++) {
    if (rest[i] === 1) end = i;
    if (!allowed.test(uri.charAt(i))) break;
  }
  return end;
}

// Characters that RFC 3986 permits in a path segment, without the `&` and `;` that separate pairs. The other operators add their own separators.
const segment = /[\w\-.~%!$'()*+,=:@]/;
const segments = /[\w\-.~%!$'()*+,=:@/]/;
const parameters = /[\w\-.~%!$'()*+,;=:@]/;
const pairs = /[\w\-.~%!$&'()*+,;=:@/?]/;
const reserved = /[\w\-.~%!$&'()*+,;=:@/?#[\]]/;

function allowedCharacters(operator: Operator): RegExp {
  if (operator.reserved) return reserved;
  if (operator.symbol === "?" || operator.symbol === "&") return pairs;
  if (operator.symbol === ";") return parameters;
  return operator.symbol === "/" ? segments : segment;
}

function readExpression(expression: Expression, text: string, values: Map<string, MatchedValue>): boolean {
  const { operator, variables } = expression;
  if (text === "") return variables.every((variable) => keep(values, variable.name, undefined));
  const body = text.slice(operator.first.length);
  return operator.named ? readPairs(operator, variables, body, values) : readList(operator, variables, body, values);
}

function readList(
  operator: Operator,
  variables: readonly Variable[],
  body: string,
  values: Map<string, MatchedValue>,
): boolean {
  const [only] = variables;
  // A single plain variable takes the whole text: a comma or a dot in it is part of its value.
  const whole = variables.length === 1 && only && !only.explode && operator.symbol !== "/";
  const pieces = whole ? [body] : body.split(operator.separator);
  const last = variables.length - 1;
  if (operator.first === "" && pieces.length < variables.length) return false;
  if (pieces.length > variables.length && !variables[last]?.explode) return false;
  return variables.every((variable, index) => {
    const own = pieces.slice(index, index === last ? pieces.length : index + 1);
    return keep(values, variable.name, readPieces(variable, own));
  });
}

function readPairs(
  operator: Operator,
  variables: readonly Variable[],
  body: string,
  values: Map<string, MatchedValue>,
): boolean {
  const found = new Map<string, string[]>();
  for (const pair of body.split(operator.separator)) {
    const equals = pair.indexOf("=");
    const name = equals === -1 ? pair : pair.slice(0, equals);
    const own = found.get(name) ?? [];
    own.push(equals === -1 ? "" : pair.slice(equals + 1));
    found.set(name, own);
  }
  for (const variable of variables) {
    const own = found.get(variable.name) ?? [];
    if (own.length > 1 && !variable.explode) return false;
    if (!keep(values, variable.name, readPieces(variable, own))) return false;
    found.delete(variable.name);
  }
  return found.size === 0;
}

/** Decodes the pieces of a variable. `null` means that a piece is not valid percent-encoded UTF-8. */
function readPieces(variable: Variable, pieces: readonly string[]): MatchedValue | null {
  if (pieces.length === 0) return undefined;
  const decoded = pieces.map(decode);
  if (!isComplete(decoded)) return null;
  return variable.explode ? decoded : decoded[0];
}

/** Stores the value of a variable. A variable that appears twice must have the same value in both places. */
function keep(values: Map<string, MatchedValue>, name: string, value: MatchedValue | null): boolean {
  if (value === null) return false;
  const earlier = values.get(name);
  if (values.has(name) && String(earlier) !== String(value)) return false;
  values.set(name, value);
  return true;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function isComplete(decoded: readonly (string | null)[]): decoded is readonly string[] {
  return !decoded.includes(null);
}
