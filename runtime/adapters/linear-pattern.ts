import { complement, lastCodePoint, parsePattern, type CharacterRange, type CharacterSet } from "./pattern-syntax.ts";
import type { PatternNode } from "./pattern-syntax.ts";

/**
 * Proves that a pattern takes linear time in a backtracking engine, for any text. Two proofs are tried:
 *
 * - the pattern has few paths, and all of them together take few steps;
 * - it is anchored at the start, and inside of repetitions the next character always determines how the match continues.
 *
 * Returns `false` when neither succeeds, although the pattern may still be harmless.
 */
export function isLinearPattern(pattern: string): boolean {
  const node = parsePattern(pattern);
  if (!node) return false;
  const isAnchored = startsAnchored(node);
  const { steps } = isAnchored ? measure(node) : measure(withoutTail(node));
  return steps <= (isAnchored ? maxStepsAnchored : maxStepsEverywhere) || (isAnchored && isDeterministic(node));
}

/** Maximum steps of a search with one start, and of a search that starts at every character. */
const maxStepsAnchored = 5_000;
const maxStepsEverywhere = 32;

/** Maximum ways to continue after a repeated character; each is tried at every character of a text. */
const maxWays = 32;

/** Maximum combined paths through the parts of a pattern without repetition. */
const maxPaths = 64;

function startsAnchored(node: PatternNode): boolean {
  switch (node.kind) {
    case "assertion":
      return node.type === "start";
    case "sequence":
      return node.nodes[0] !== undefined && startsAnchored(node.nodes[0]);
    case "alternatives":
      return node.nodes.every(startsAnchored);
    case "repeat":
      return node.minimum > 0 && startsAnchored(node.node);
    case "characters":
      return false;
    default:
      return node satisfies never;
  }
}

/** Reduces a final repetition to its minimum count. The pattern matches as soon as this count is reached, so the rest cannot fail. */
function withoutTail(node: PatternNode): PatternNode {
  if (node.kind === "repeat" && node.node.kind === "characters") return { ...node, maximum: node.minimum };
  if (node.kind !== "sequence") return node;
  const last = node.nodes.at(-1);
  return last ? { ...node, nodes: [...node.nodes.slice(0, -1), withoutTail(last)] } : node;
}

/** Number of paths through a part, and of steps to walk all of them. */
interface Cost {
  readonly paths: number;
  readonly steps: number;
}

function measure(node: PatternNode): Cost {
  switch (node.kind) {
    case "assertion":
    case "characters":
      return { paths: 1, steps: 1 };
    case "sequence":
      return node.nodes.map(measure).reduce(inSequence, { paths: 1, steps: 0 });
    case "alternatives":
      return node.nodes
        .map(measure)
        .reduce((sum, { paths, steps }) => ({ paths: sum.paths + paths, steps: sum.steps + steps + 1 }), nothing);
    case "repeat":
      return measureRepeat(measure(node.node), node.minimum, node.maximum);
    default:
      return node satisfies never;
  }
}

const nothing: Cost = { paths: 0, steps: 0 };

function inSequence(first: Cost, second: Cost): Cost {
  return { paths: first.paths * second.paths, steps: first.steps + first.paths * second.steps };
}

function measureRepeat(once: Cost, minimum: number, maximum: number): Cost {
  const tooMuch = { paths: Infinity, steps: Infinity };
  if (maximum > maxStepsAnchored) return tooMuch;
  let total = { paths: minimum === 0 ? 1 : 0, steps: 1 };
  let path: Cost = { paths: 1, steps: 0 };
  for (let count = 1; count <= maximum; count += 1) {
    const longer = inSequence(path, once);
    const added = longer.steps - path.steps;
    total = { paths: total.paths + (count >= minimum ? longer.paths : 0), steps: total.steps + added + 1 };
    if (total.steps > maxStepsAnchored) return tooMuch;
    path = longer;
  }
  return total;
}

/** Position in a pattern that consumes one character. */
interface Position {
  readonly ranges: readonly CharacterRange[];
  readonly repeats: boolean;
  /** Possible next positions. An exact count decides between repetition and continuation, so those are separate sets. */
  readonly follow: Position[];
  readonly decided: Position[][];
}

interface Part {
  readonly isNullable: boolean;
  readonly first: readonly Position[];
  readonly last: readonly Position[];
}

interface Walk {
  readonly positions: Position[];
  /** True if there are two ways to match the empty text, which multiply. */
  isAmbiguous: boolean;
}

/**
 * True if the next character always determines how the match continues inside of repetitions, and the paths elsewhere are few. A backtracking engine
 * tries the ways to continue one after another. If their character sets are disjoint, all but one fail immediately, both at first and after
 * backtracking.
 */
function isDeterministic(node: PatternNode): boolean {
  const walk: Walk = { positions: [], isAmbiguous: false };
  const { first } = visit(node, walk, false);
  if (walk.isAmbiguous) return false;
  let paths = conflictsOf(first);
  for (const { repeats, follow, decided } of walk.positions) {
    for (const ways of [follow, ...decided]) {
      const conflicts = conflictsOf(ways);
      if (repeats && (conflicts > 1 || ways.length > maxWays)) return false;
      paths *= conflicts;
      if (paths > maxPaths) return false;
    }
  }
  return true;
}

/** Returns the maximum number of ways for one character; 1 if the character determines the way. */
function conflictsOf(ways: readonly Position[]): number {
  if (ways.length > 200) return Infinity;
  // A duplicate position means two ways to reach it.
  const conflicting = ways.filter(({ ranges }, at) =>
    ways.some((other, place) => place !== at && overlaps(ranges, other.ranges)),
  );
  return Math.max(1, conflicting.length);
}

function visit(node: PatternNode, walk: Walk, repeats: boolean): Part {
  switch (node.kind) {
    case "assertion":
      return { isNullable: true, first: [], last: [] };
    case "characters":
      return visitCharacters(node, walk, repeats);
    case "sequence":
      return node.nodes.map((one) => visit(one, walk, repeats)).reduce(join, { isNullable: true, first: [], last: [] });
    case "alternatives":
      return visitAlternatives(
        node.nodes.map((one) => visit(one, walk, repeats)),
        walk,
      );
    case "repeat":
      return visitRepeat(node, walk, repeats);
    default:
      return node satisfies never;
  }
}

function visitCharacters(set: CharacterSet, { positions }: Walk, repeats: boolean): Part {
  const position: Position = { ranges: rangesOf(set), repeats, follow: [], decided: [] };
  positions.push(position);
  return { isNullable: false, first: [position], last: [position] };
}

function join(before: Part, after: Part): Part {
  for (const { follow } of before.last) follow.push(...after.first);
  return {
    isNullable: before.isNullable && after.isNullable,
    first: before.isNullable ? [...before.first, ...after.first] : before.first,
    last: after.isNullable ? [...before.last, ...after.last] : after.last,
  };
}

function visitAlternatives(parts: readonly Part[], walk: Walk): Part {
  const nullable = parts.filter(({ isNullable }) => isNullable).length;
  if (nullable > 1) walk.isAmbiguous = true;
  return {
    isNullable: nullable > 0,
    first: parts.flatMap(({ first }) => first),
    last: parts.flatMap(({ last }) => last),
  };
}

function visitRepeat(
  { node, minimum, maximum }: Extract<PatternNode, { kind: "repeat" }>,
  walk: Walk,
  repeats: boolean,
): Part {
  if (maximum === 0) return { isNullable: true, first: [], last: [] };
  const part = visit(node, walk, repeats || maximum > 1);
  if (part.isNullable && (minimum !== 1 || maximum !== 1)) walk.isAmbiguous = true;
  if (maximum > 1) {
    for (const { follow, decided } of part.last) {
      if (minimum === maximum) decided.push([...follow, ...part.first]);
      else follow.push(...part.first);
    }
  }
  return { ...part, isNullable: part.isNullable || minimum === 0 };
}

/** Returns the characters of a set, or a superset: Unicode properties are only resolved for ASCII, and include all other characters. */
function rangesOf(set: CharacterSet): readonly CharacterRange[] {
  const { ranges, properties, isNegated } = set;
  if (properties.length === 0) return isNegated ? complement(ranges) : ranges;
  const named = new RegExp(`[${properties.join("")}]`, "u");
  const ascii = Array.from({ length: 0x80 }, (_, code) => code).filter((code) => {
    const isListed = ranges.some(([first, last]) => code >= first && code <= last);
    return (isListed || named.test(String.fromCodePoint(code))) !== isNegated;
  });
  return [...ascii.map((code): CharacterRange => [code, code]), [0x80, lastCodePoint]];
}

function overlaps(some: readonly CharacterRange[], others: readonly CharacterRange[]): boolean {
  return some.some(([first, last]) => others.some(([from, to]) => first <= to && from <= last));
}
