/** Part of a regular expression with the flag `u`. */
export type PatternNode =
  | CharacterSet
  | { readonly kind: "assertion"; readonly type: "start" | "end" | "boundary" | "no boundary" }
  | { readonly kind: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "alternatives"; readonly nodes: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly node: PatternNode;
      readonly minimum: number;
      /** Maximum count; `Infinity` if there is no limit. */
      readonly maximum: number;
    };

/** A character out of a set. */
export interface CharacterSet {
  readonly kind: "characters";
  readonly ranges: readonly CharacterRange[];
  /** Unicode properties as written: `\p{L}`, `\P{Script=Greek}`. */
  readonly properties: readonly string[];
  /** True if the set matches any character outside of it. */
  readonly isNegated: boolean;
}

/** Range of code points, inclusive at both ends. */
export type CharacterRange = readonly [first: number, last: number];

/** Largest code point of Unicode. */
export const lastCodePoint = 0x10_ff_ff;

/** Maximum length of a pattern in UTF-16 code units. */
const maxLength = 2_000;

/**
 * Parses a regular expression with the flag `u`. Returns undefined if the pattern is invalid, longer than 2000 characters, or contains a look-around,
 * a back reference or inline flags.
 *
 * @see https://tc39.es/ecma262/#sec-patterns
 */
export function parsePattern(pattern: string): PatternNode | undefined {
  if (pattern.length > maxLength || !isPattern(pattern)) return undefined;
  const cursor: Cursor = { characters: [...pattern], at: 0 };
  try {
    return parseAlternatives(cursor);
  } catch (error) {
    if (error instanceof UnsupportedError) return undefined;
    throw error;
  }
}

/** True if a text is a regular expression with the flag `u`. */
export function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** Position in a pattern. The pattern is known to be valid, so the parser does not check its syntax. */
interface Cursor {
  readonly characters: readonly string[];
  at: number;
}

/** Error for syntax only a backtracking engine can match. */
class UnsupportedError extends Error {}

function parseAlternatives(cursor: Cursor): PatternNode {
  const nodes = [parseSequence(cursor)];
  while (take(cursor, "|")) nodes.push(parseSequence(cursor));
  const [only] = nodes;
  return only && nodes.length === 1 ? only : { kind: "alternatives", nodes };
}

function parseSequence(cursor: Cursor): PatternNode {
  const nodes: PatternNode[] = [];
  for (let next = peek(cursor); next !== "" && next !== "|" && next !== ")"; next = peek(cursor))
    nodes.push(parseQuantifier(parseAtom(cursor), cursor));
  const [only] = nodes;
  return only && nodes.length === 1 ? only : { kind: "sequence", nodes };
}

function parseQuantifier(node: PatternNode, cursor: Cursor): PatternNode {
  const counts = parseCounts(cursor);
  if (!counts) return node;
  // A lazy quantifier finds other matches first, but matches the same texts.
  take(cursor, "?");
  const [minimum, maximum] = counts;
  return { kind: "repeat", node, minimum, maximum };
}

function parseCounts(cursor: Cursor): readonly [number, number] | undefined {
  if (take(cursor, "*")) return [0, Infinity];
  if (take(cursor, "+")) return [1, Infinity];
  if (take(cursor, "?")) return [0, 1];
  if (!take(cursor, "{")) return undefined;
  const [minimum = "", maximum] = readUntil(cursor, "}").split(",");
  if (maximum === undefined) return [Number(minimum), Number(minimum)];
  return [Number(minimum), maximum === "" ? Infinity : Number(maximum)];
}

function parseAtom(cursor: Cursor): PatternNode {
  const character = next(cursor);
  switch (character) {
    case "^":
      return { kind: "assertion", type: "start" };
    case "$":
      return { kind: "assertion", type: "end" };
    case "(":
      return parseGroup(cursor);
    case "[":
      return parseClass(cursor);
    case ".":
      return { kind: "characters", ranges: lineEnds, properties: [], isNegated: true };
    case "\\":
      return parseEscape(cursor);
    default:
      return characters([codeOf(character)]);
  }
}

function parseGroup(cursor: Cursor): PatternNode {
  if (take(cursor, "?")) {
    const isNamed = take(cursor, "<");
    const isCapturing = isNamed && peek(cursor) !== "=" && peek(cursor) !== "!";
    if (isCapturing) readUntil(cursor, ">");
    else if (isNamed || !take(cursor, ":")) throw new UnsupportedError();
  }
  const node = parseAlternatives(cursor);
  take(cursor, ")");
  return node;
}

function parseEscape(cursor: Cursor): PatternNode {
  const letter = peek(cursor);
  if (letter === "k" || /^[1-9]$/.test(letter)) throw new UnsupportedError();
  if (take(cursor, "b")) return { kind: "assertion", type: "boundary" };
  if (take(cursor, "B")) return { kind: "assertion", type: "no boundary" };
  const set = parseSet(cursor);
  return set ? { kind: "characters", isNegated: false, ...set } : characters([parseCharacter(cursor)]);
}

function parseClass(cursor: Cursor): PatternNode {
  const isNegated = take(cursor, "^");
  const ranges: CharacterRange[] = [];
  const properties: string[] = [];
  while (!take(cursor, "]")) {
    const set = take(cursor, "\\") ? (parseSet(cursor) ?? parseCharacter(cursor)) : codeOf(next(cursor));
    if (typeof set === "number") ranges.push([set, parseRangeEnd(cursor) ?? set]);
    else {
      ranges.push(...set.ranges);
      properties.push(...set.properties);
    }
  }
  return { kind: "characters", ranges, properties, isNegated };
}

/** Parses the end of a range in a class, if a hyphen follows. */
function parseRangeEnd(cursor: Cursor): number | undefined {
  if (peek(cursor) !== "-" || cursor.characters[cursor.at + 1] === "]") return undefined;
  next(cursor);
  return take(cursor, "\\") ? parseCharacter(cursor) : codeOf(next(cursor));
}

/** Parses a set after a backslash: `\d`, `\W`, `\p{...}`. */
function parseSet(cursor: Cursor): Pick<CharacterSet, "ranges" | "properties"> | undefined {
  const letter = peek(cursor);
  const known = sets.get(letter.toLowerCase());
  if (known) {
    next(cursor);
    return { ranges: letter === letter.toLowerCase() ? known : complement(known), properties: [] };
  }
  if (letter !== "p" && letter !== "P") return undefined;
  next(cursor);
  next(cursor);
  return { ranges: [], properties: [`\\${letter}{${readUntil(cursor, "}")}}`] };
}

/** Parses a single character after a backslash. */
function parseCharacter(cursor: Cursor): number {
  const letter = next(cursor);
  switch (letter) {
    case "c":
      return codeOf(next(cursor)) % 32;
    case "x":
      return readHexadecimal(cursor, 2);
    case "u":
      return parseUnicode(cursor);
    default:
      return controls.get(letter) ?? codeOf(letter);
  }
}

function parseUnicode(cursor: Cursor): number {
  if (take(cursor, "{")) return Number.parseInt(readUntil(cursor, "}"), 16);
  const first = readHexadecimal(cursor, 4);
  const isPair =
    first >= 0xd8_00 && first < 0xdc_00 && peek(cursor) === "\\" && cursor.characters[cursor.at + 1] === "u";
  const second = isPair ? Number.parseInt(cursor.characters.slice(cursor.at + 2, cursor.at + 6).join(""), 16) : 0;
  if (!(second >= 0xdc_00 && second < 0xe0_00)) return first;
  cursor.at += 6;
  return codeOf(String.fromCharCode(first, second));
}

function readHexadecimal(cursor: Cursor, length: number): number {
  const text = cursor.characters.slice(cursor.at, cursor.at + length).join("");
  cursor.at += length;
  return Number.parseInt(text, 16);
}

function readUntil(cursor: Cursor, end: string): string {
  const from = cursor.at;
  const found = cursor.characters.indexOf(end, from);
  cursor.at = found + 1;
  return cursor.characters.slice(from, found).join("");
}

function peek({ characters: all, at }: Cursor): string {
  return all[at] ?? "";
}

function next(cursor: Cursor): string {
  const character = peek(cursor);
  if (character === "") throw new UnsupportedError();
  cursor.at += 1;
  return character;
}

function take(cursor: Cursor, character: string): boolean {
  const isThere = peek(cursor) === character;
  if (isThere) cursor.at += 1;
  return isThere;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function characters(codes: readonly number[]): CharacterSet {
  return {
    kind: "characters",
    ranges: codes.map((code): CharacterRange => [code, code]),
    properties: [],
    isNegated: false,
  };
}

/** Returns the ranges of all other characters. */
export function complement(ranges: readonly CharacterRange[]): readonly CharacterRange[] {
  const found: CharacterRange[] = [];
  let from = 0;
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    if (first > from) found.push([from, first - 1]);
    from = Math.max(from, last + 1);
  }
  return from > lastCodePoint ? found : [...found, [from, lastCodePoint]];
}

const lineEnds = toRanges([0x0a, 0x0a, 0x0d, 0x0d, 0x20_28, 0x20_29]);

const sets: ReadonlyMap<string, readonly CharacterRange[]> = new Map([
  ["d", toRanges([0x30, 0x39])],
  ["w", toRanges([0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a])],
  [
    "s",
    toRanges([
      ...[0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x16_80, 0x16_80, 0x20_00, 0x20_0a, 0x20_28, 0x20_29],
      ...[0x20_2f, 0x20_2f, 0x20_5f, 0x20_5f, 0x30_00, 0x30_00, 0xfe_ff, 0xfe_ff],
    ]),
  ],
]);

/** Converts a flat list of first and last code points to ranges. */
function toRanges(codes: readonly number[]): readonly CharacterRange[] {
  return codes.flatMap((first, at): CharacterRange[] => (at % 2 === 0 ? [[first, codes[at + 1] ?? first]] : []));
}

const controls: ReadonlyMap<string, number> = new Map([
  ["0", 0x00],
  ["b", 0x08],
  ["t", 0x09],
  ["n", 0x0a],
  ["v", 0x0b],
  ["f", 0x0c],
  ["r", 0x0d],
]);
