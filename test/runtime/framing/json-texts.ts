import { isHit, pick, type Random } from "../../kit/random.ts";

/** Keys of protocol members, of other members, and their spellings with escapes. */
const keys = [
  ...["jsonrpc", "id", "method", "params", "result", "error"],
  ...["\\u0069d", "i\\u0064", "m\\u0065thod", "par\\u0061ms", "\\u0072esult"],
  ...[
    "",
    "i",
    "ids",
    "Id",
    "id\\n",
    "id\\\\",
    "\\\\u0069d",
    "__proto__",
    "constructor",
    "é",
    "\\ud800",
    "😀",
    'id\\\\\\"',
  ],
];

/** Parts of strings: characters that have a meaning outside of strings, escapes, several bytes, and lengths around that of the fast path. */
const parts = [
  ...[
    "a",
    "id",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '\\"',
    "\\\\",
    "\\/",
    "\\n",
    "\\u0022",
    "\\ud800",
    "\\udc00",
    "é",
    "€",
    "😀",
  ],
  ...['\\"id\\":', "\u2028", "x".repeat(45), "x".repeat(46), "x".repeat(47), "x".repeat(48), "x".repeat(200)],
];

const scalars = ["null", "true", "false", "0", "-0", "1e400", "-1.5E-7", "9007199254740993", "1".repeat(400)];

const blanks = ["", "", "", " ", "\t", "\n", "\r\n  "];

/** Creates JSON text with few sorts of members, so that many are repeated. */
export function createJsonText(random: Random): string {
  const blank = (): string => pick(blanks, random);
  const string = (): string => {
    let text = "";
    for (let count = Math.floor(random() * 5); count > 0; count -= 1) text += pick(parts, random);
    return `"${text}"`;
  };
  const list = (create: () => string, most: number): string => {
    const count = Math.floor(random() * (most + 1));
    return Array.from({ length: count }, () => `${blank()}${create()}${blank()}`).join(",");
  };
  const value = (depth: number): string => {
    if (depth === 0 || isHit(0.3, random)) return isHit(0.5, random) ? string() : pick(scalars, random);
    return isHit(0.3, random) ? `[${list(() => value(depth - 1), 4)}${blank()}]` : object(depth);
  };
  const object = (depth: number): string =>
    `{${list(() => `"${pick(keys, random)}"${blank()}:${blank()}${value(depth - 1)}`, 5)}${blank()}}`;
  const text = isHit(0.3, random) ? `[${list(() => value(3), 4)}]` : value(3);
  return `${blank()}${text}${blank()}`;
}

/** Changes bytes of a text at random places: most results are no JSON, and some are no UTF-8. */
export function damage(bytes: Uint8Array, random: Random): Uint8Array {
  const damaged = Array.from(bytes);
  for (let count = 1 + Math.floor(random() * 3); count > 0; count -= 1) {
    const at = Math.floor(random() * (damaged.length + 1));
    const byte = isHit(0.7, random) ? pick([...'"\\{}[],: '], random).charCodeAt(0) : Math.floor(random() * 256);
    pick(
      [
        () => damaged.splice(at, 1),
        () => damaged.splice(at, 0, byte),
        () => damaged.splice(at, 1, byte),
        () => damaged.splice(at),
      ],
      random,
    )();
  }
  return Uint8Array.from(damaged);
}

/** Structure of JSON text, as a reader of tokens sees it. */
export interface Structure {
  /** First problem in the order of the text. */
  readonly finding: object | undefined;
  /** Number of members `id` of the outermost object. */
  readonly ids: number;
}

const names = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);

/** Reads the structure of valid JSON text, token by token. */
export function readStructure(
  text: string,
  { maxDepth, maxValues }: { readonly maxDepth: number; readonly maxValues: number },
): Structure {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gsu) ?? [];
  const findings: object[] = [];
  const envelope = tokens[0] === "[" ? 2 : 1;
  const seen: Set<string>[] = [];
  let values = 0;
  let ids = 0;
  for (const [index, token] of tokens.entries()) {
    if (token === "{" || token === "[") {
      seen.push(new Set());
      if (seen.length > maxDepth) findings.push({ kind: "depth" });
    }
    if (token === "{" || token === "[" || token === ",") {
      values += 1;
      if (values > maxValues) findings.push({ kind: "values" });
    }
    if (token.startsWith('"') && tokens[index + 1] === ":") {
      const name = String(JSON.parse(token));
      if (seen.length === 1 && name === "id") ids += 1;
      if (seen.length === envelope && names.has(name) && seen.at(-1)?.has(name))
        findings.push({ kind: "repeated", member: name });
      seen.at(-1)?.add(name);
    }
    if (token === "}" || token === "]") seen.pop();
  }
  return { finding: findings[0], ids };
}

/** Returns a value without what is below its first level. */
export function toOutline(value: unknown): unknown {
  const empty = (member: unknown): unknown =>
    typeof member !== "object" || member === null ? member : Array.isArray(member) ? [] : {};
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(empty);
  // Not by assignment, which would set the prototype.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, empty(member)]));
}
