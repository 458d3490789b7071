import type { Expression, ExpandValue, MatchedValue, Operator, TemplatePart, Variable } from "./template-parts.ts";
import { encodeBeyondAscii, expandTemplate } from "./uri-expand.ts";
import { matchTemplate, toMatched } from "./uri-match.ts";

export type { ExpandValue, MatchedValue } from "./template-parts.ts";

/** A parsed RFC 6570 template: expands values to a URI and reads values back from one. */
export interface UriTemplate {
  readonly text: string;
  readonly parts: readonly TemplatePart[];
  /** Names of the variables in order of appearance, each once. */
  readonly variables: readonly string[];
  /** Expands the template; undefined variables are left out. */
  expand(values: { readonly [name: string]: ExpandValue }): string;
  /** Returns the decoded variables of a URI, or `undefined` if the template cannot have produced it. Linear in the length of the URI. */
  match(uri: string): Map<string, MatchedValue> | undefined;
}

/**
 * Parses a URI template of any level.
 *
 * @throws {Error} when the template is invalid, with the position of the first mistake.
 * @see https://www.rfc-editor.org/rfc/rfc6570
 * @example
 * ```ts
 * import { parseUriTemplate } from "mcp-server-runtime/protocol";
 *
 * const template = parseUriTemplate("notes://{id}");
 * template.expand({ id: "7" }); // "notes://7"
 * ```
 */
export function parseUriTemplate(text: string): UriTemplate {
  const parts = readParts(text);
  const variables = new Set(
    parts.flatMap((part) => (part.kind === "literal" ? [] : part.variables.map((v) => v.name))),
  );
  const matched = toMatched(parts);
  return {
    text,
    parts,
    variables: [...variables],
    expand: (values) => expandTemplate(parts, values),
    match: (uri) => matchTemplate(matched, uri),
  };
}

const plain: Operator = { symbol: "", first: "", separator: ",", named: false, ifEmpty: "", reserved: false };

const operators: readonly Operator[] = [
  { symbol: "+", first: "", separator: ",", named: false, ifEmpty: "", reserved: true },
  { symbol: "#", first: "#", separator: ",", named: false, ifEmpty: "", reserved: true },
  { symbol: ".", first: ".", separator: ".", named: false, ifEmpty: "", reserved: false },
  { symbol: "/", first: "/", separator: "/", named: false, ifEmpty: "", reserved: false },
  { symbol: ";", first: ";", separator: ";", named: true, ifEmpty: "", reserved: false },
  { symbol: "?", first: "?", separator: "&", named: true, ifEmpty: "=", reserved: false },
  { symbol: "&", first: "&", separator: "&", named: true, ifEmpty: "=", reserved: false },
];

const variablePattern = /^((?:\w|%[0-9a-f]{2})+(?:\.(?:\w|%[0-9a-f]{2})+)*)(?:(\*)|:([1-9]\d{0,3}))?$/i;

function readParts(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let position = 0;
  while (position < text.length) {
    const open = text.indexOf("{", position);
    const literalEnd = open === -1 ? text.length : open;
    if (literalEnd > position) parts.push(readLiteral(text, position, literalEnd));
    if (open === -1) break;
    const close = text.indexOf("}", open);
    if (close === -1) throw mistake(text, open, "the brace is not closed");
    parts.push(readExpression(text, open, close));
    position = close + 1;
  }
  return parts;
}

function readLiteral(text: string, start: number, end: number): TemplatePart {
  const literal = text.slice(start, end);
  const bad = /[\p{Cc}\s"'<>\\^`|}]|%(?![0-9a-f]{2})/iu.exec(literal);
  if (bad) throw mistake(text, start + bad.index, `${JSON.stringify(bad[0])} must be percent-encoded here`);
  return { kind: "literal", text: encodeBeyondAscii(literal) };
}

function readExpression(text: string, open: number, close: number): Expression {
  const operator = operators.find(({ symbol }) => symbol === text.charAt(open + 1)) ?? plain;
  const list = text.slice(open + 1 + operator.symbol.length, close);
  if (list === "") throw mistake(text, open, "the expression requires a variable name");
  return { kind: "expression", operator, variables: list.split(",").map((spec) => readVariable(text, open, spec)) };
}

function readVariable(text: string, open: number, spec: string): Variable {
  const match = variablePattern.exec(spec);
  const name = match?.[1];
  if (!match || name === undefined) throw mistake(text, open, `${JSON.stringify(spec)} is not a variable`);
  const explode = match[2] === "*";
  return match[3] === undefined ? { name, explode } : { name, explode, prefix: Number(match[3]) };
}

function mistake(text: string, position: number, problem: string): Error {
  return new Error(`URI template ${JSON.stringify(text)}, character ${position + 1}: ${problem} (RFC 6570)`);
}
