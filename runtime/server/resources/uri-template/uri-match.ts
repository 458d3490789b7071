import type { Expression, MatchedValue, Operator, TemplatePart, Variable } from "./template-parts.ts";
import { encodeBeyondAscii, toUpperEscapes } from "./uri-expand.ts";

/** Maximum length of an encoded URI. Longer URIs match no template, which bounds the work for one request. */
const longestUri = 8_192;

/** Returns the parts of a template in the form in which URIs are compared with them. */
export function toMatched(parts: readonly TemplatePart[]): readonly TemplatePart[] {
  return parts.map((part) => (part.kind === "literal" ? { ...part, text: toUpperEscapes(part.text) } : part));
}

/**
 * Finds the values for which a template expands to this URI. Values are as long as possible, from left to right.
 *
 * The matcher makes two passes over the URI for every part, without backtracking. The first pass, from the right, marks where the rest of the
 * template can begin. The second pass, from the left, cuts the values at marked positions only.
 */
export function matchTemplate(parts: readonly TemplatePart[], given: string): Map<string, MatchedValue> | undefined {
  const [first] = parts;
  if (given.length > longestUri) return undefined;
  const uri = toUpperEscapes(encodeBeyondAscii(given));
  if (uri.length > longestUri) return undefined;
  if (first?.kind === "literal" && !uri.startsWith(first.text)) return undefined;
  if (!hasLiterals(parts, uri)) return undefined;
  const marks = markBeginnings(parts, uri);
  if (marks?.[0]?.[0] !== 1) return undefined;
  return readValues(parts, uri, { marks, endsAtQuery: true }) ?? readValues(parts, uri, { marks, endsAtQuery: false });
}

/** True if a URI has the literals of a template in their order. Most URIs of other templates do not, and need no marks. */
function hasLiterals(parts: readonly TemplatePart[], uri: string): boolean {
  let position = 0;
  for (const part of parts) {
    if (part.kind !== "literal") continue;
    const found = uri.indexOf(part.text, position);
    if (found === -1) return false;
    position = found + part.text.length;
  }
  const last = parts.at(-1);
  return last?.kind !== "literal" || uri.endsWith(last.text);
}

/** Returns marks: `marks[k][i]` is 1 when parts k and later can match exactly the text from i on. `undefined` if some can match nowhere. */
function markBeginnings(parts: readonly TemplatePart[], uri: string): Uint8Array[] | undefined {
  let rest = new Uint8Array(uri.length + 1);
  rest[uri.length] = 1;
  const marks = [rest];
  for (const part of [...parts].reverse()) {
    const here = new Uint8Array(uri.length + 1);
    markPart(part, uri, here, rest);
    if (!here.includes(1)) return undefined;
    marks.unshift(here);
    rest = here;
  }
  return marks;
}

function markPart(part: TemplatePart, uri: string, here: Uint8Array, rest: Uint8Array): void {
  if (part.kind === "literal") return markLiteral(part.text, uri, here, rest);
  const allowed = allowedCharacters(part.operator);
  const longest = longestValue(part);
  const isCounted = longest < Infinity;
  const { first } = part.operator;
  const firstCode = first.charCodeAt(0);
  // Characters of the shortest value, or rest of a value, from i on.
  let length = rest[uri.length] === 1 ? 0 : Infinity;
  if (first !== "" && length === 0) here[uri.length] = 1;
  for (let i = uri.length - 1; i >= 0; i--) {
    const code = uri.charCodeAt(i);
    const fits = allowed[code] === 1;
    const begins = first === "" ? fits : code === firstCode;
    const longer = isCounted ? length + countBegun(uri, i) : length;
    const isShort = length < Infinity && (first === "" ? longer : length) <= longest;
    if ((begins && isShort) || (first !== "" && rest[i] === 1)) here[i] = 1;
    if (rest[i] === 1) length = 0;
    else length = fits ? longer : Infinity;
  }
}

/** Returns the maximum number of characters in the text of an expression, after the operator. */
function longestValue({ operator, variables }: Expression): number {
  const [only] = variables;
  return variables.length === 1 && !operator.named ? (only?.prefix ?? Infinity) : Infinity;
}

/** Returns 1 where a character of the decoded text begins, else 0. */
function countBegun(uri: string, i: number): 0 | 1 {
  if (uri[i] === "%") return /[89ab]/i.test(uri.charAt(i + 1)) ? 0 : 1;
  return uri[i - 1] === "%" || uri[i - 2] === "%" ? 0 : 1;
}

function markLiteral(text: string, uri: string, here: Uint8Array, rest: Uint8Array): void {
  for (let i = uri.indexOf(text); i !== -1; i = uri.indexOf(text, i + 1)) {
    if (rest[i + text.length] === 1) here[i] = 1;
  }
}

function readValues(
  parts: readonly TemplatePart[],
  uri: string,
  { marks, endsAtQuery }: { readonly marks: readonly Uint8Array[]; readonly endsAtQuery: boolean },
): Map<string, MatchedValue> | undefined {
  const values = new Map<string, MatchedValue>();
  let position = 0;
  for (const [k, part] of parts.entries()) {
    const rest = marks[k + 1];
    if (part.kind === "literal") position += part.text.length;
    if (part.kind === "literal" || !rest) continue;
    const next = parts[k + 1];
    const end =
      (endsAtQuery && part.operator.reserved && next?.kind === "expression" && next.operator.symbol === "?"
        ? findQuery(uri, position, rest)
        : undefined) ?? findEnd(part, uri, position, rest);
    if (!readExpression(part, uri.slice(position, end), values)) return undefined;
    position = end;
  }
  return values;
}

/** Returns the position of the query, if the rest of the template can begin there: it is not part of a path before it. */
function findQuery(uri: string, start: number, rest: Uint8Array): number | undefined {
  const query = uri.indexOf("?", start);
  return rest[query] === 1 ? query : undefined;
}

/** Returns the last marked position the expression can reach. The first pass guarantees its existence. */
function findEnd(part: Expression, uri: string, start: number, rest: Uint8Array): number {
  const { operator } = part;
  const allowed = allowedCharacters(operator);
  const longest = longestValue(part);
  const begins = operator.first === "" || uri.charAt(start) === operator.first;
  let length = operator.first === "" ? countBegun(uri, start) : 0;
  let end = start;
  for (let i = start + 1; begins && length <= longest && i <= uri.length; i++) {
    if (rest[i] === 1) end = i;
    if (i < uri.length && allowed[uri.charCodeAt(i)] !== 1) break;
    length += countBegun(uri, i);
  }
  return end;
}

// Characters that RFC 3986 permits in a path segment, without the `&` and `;` that separate pairs. The other operators add their own separators.
// Bundlers drop the tables where nothing matches a template, because the calls are marked as pure.
const segment = /* @__PURE__ */ toTable("");
const segments = /* @__PURE__ */ toTable("/");
const parameters = /* @__PURE__ */ toTable(";");
const pairs = /* @__PURE__ */ toTable("&;/?");
const reserved = /* @__PURE__ */ toTable("&;/?#[]");

/** Returns a table with 1 for the code of each character of a path segment, and of the added ones. */
function toTable(added: string): Uint8Array {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const permitted = `${letters}${letters.toUpperCase()}0123456789_-.~%!$'()*+,=:@${added}`;
  const table = new Uint8Array(128);
  for (let at = 0; at < permitted.length; at += 1) table[permitted.charCodeAt(at)] = 1;
  return table;
}

function allowedCharacters(operator: Operator): Uint8Array {
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
    const name = toUpperEscapes(variable.name);
    const own = found.get(name) ?? [];
    if (own.length > 1 && !variable.explode) return false;
    if (!keep(values, variable.name, readPieces(variable, own))) return false;
    found.delete(name);
  }
  return found.size === 0;
}

/** Decodes the pieces of a variable. `null` if a piece is not valid percent-encoded UTF-8, or too long for the variable. */
function readPieces(variable: Variable, pieces: readonly string[]): MatchedValue | null {
  if (pieces.length === 0) return undefined;
  const decoded = pieces.map((piece) => decode(piece, variable.prefix));
  if (!isComplete(decoded)) return null;
  return variable.explode ? decoded : decoded[0];
}

/** Stores the value of a variable. A variable with two places must have the same value in both. */
function keep(values: Map<string, MatchedValue>, name: string, value: MatchedValue | null): boolean {
  if (value === null) return false;
  const earlier = values.get(name);
  if (values.has(name) && String(earlier) !== String(value)) return false;
  values.set(name, value);
  return true;
}

function decode(text: string, longest = Infinity): string | null {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.length <= longest || [...decoded].length <= longest ? decoded : null;
  } catch {
    return null;
  }
}

function isComplete(decoded: readonly (string | null)[]): decoded is readonly string[] {
  return !decoded.includes(null);
}
