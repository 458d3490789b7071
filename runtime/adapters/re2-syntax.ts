import { parsePattern, type CharacterSet, type PatternNode } from "./pattern-syntax.ts";

/** A pattern in the syntax of RE2. */
export interface Re2Program {
  /** Source of the pattern in the syntax of RE2. */
  readonly source: string;
  /** Approximate number of compiled instructions. */
  readonly size: number;
}

/** Maximum size of a pattern in instructions. */
const maxSize = 500;

/**
 * Translates a regular expression with the flag `u` to RE2 syntax with the same meaning. Returns undefined if this is not possible: for look-arounds,
 * back references, some Unicode properties, and counts for which the program would be very large.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
export function toRe2(pattern: string): Re2Program | undefined {
  const node = parsePattern(pattern);
  if (!node) return undefined;
  const size = sizeOf(node);
  const isSpoken = size <= maxSize && propertiesOf(node).every((property) => categories.test(property));
  return isSpoken ? { source: write(node), size } : undefined;
}

/** General categories by their short names, which both engines support. */
const categories = /^\\[pP]\{(?:L[ulmot]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)\}$/;

function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case "assertion":
      return 1;
    case "characters":
      // A property is a set of hundreds of ranges.
      return 1 + Math.ceil(node.ranges.length / 8) + 20 * node.properties.length;
    case "sequence":
    case "alternatives":
      return node.nodes.reduce((sum, one) => sum + sizeOf(one), node.nodes.length);
    case "repeat":
      // A count of 0 is compiled as well.
      return (sizeOf(node.node) + 1) * (Number.isFinite(node.maximum) ? Math.max(1, node.maximum) : node.minimum + 1);
    default:
      return node satisfies never;
  }
}

function propertiesOf(node: PatternNode): readonly string[] {
  switch (node.kind) {
    case "assertion":
      return [];
    case "characters":
      return node.properties;
    case "sequence":
    case "alternatives":
      return node.nodes.flatMap(propertiesOf);
    case "repeat":
      return propertiesOf(node.node);
    default:
      return node satisfies never;
  }
}

function write(node: PatternNode): string {
  switch (node.kind) {
    case "assertion":
      return assertions[node.type];
    case "characters":
      return writeSet(node);
    case "sequence":
      return node.nodes.map((one) => (one.kind === "alternatives" ? `(?:${write(one)})` : write(one))).join("");
    case "alternatives":
      return node.nodes.map(write).join("|");
    case "repeat":
      return writeRepeat(node);
    default:
      return node satisfies never;
  }
}

const assertions = { start: "\\A", end: "\\z", boundary: "\\b", "no boundary": "\\B" } as const;

function writeSet({ ranges, properties, isNegated }: CharacterSet): string {
  const members = [...ranges.map(([first, last]) => `${writeCode(first)}-${writeCode(last)}`), ...properties].join("");
  if (members !== "") return `[${isNegated ? "^" : ""}${members}]`;
  // An empty set matches no character; negated, it matches all.
  return `[${isNegated ? "" : "^"}\\x{0}-\\x{10FFFF}]`;
}

function writeCode(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

function writeRepeat({ node, minimum, maximum }: Extract<PatternNode, { kind: "repeat" }>): string {
  const inner = `(?:${write(node)})`;
  if (maximum === Infinity) return minimum < 2 ? inner + (minimum === 0 ? "*" : "+") : `${inner}{${minimum},}`;
  return minimum === 0 && maximum === 1 ? `${inner}?` : `${inner}{${minimum},${maximum}}`;
}
