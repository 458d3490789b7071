import { diffArrays } from "diff";
import { formatJson, sortMembers } from "./values.ts";

/** Line of two values side by side. A side without the line has `undefined`. */
export interface ComparedLine {
  readonly left: string | undefined;
  readonly right: string | undefined;
  readonly isSame: boolean;
}

/** Compares two values line by line, as JSON with the members of objects in alphabetical order. */
export function compareValues(left: unknown, right: unknown): readonly ComparedLine[] {
  const [leftLines, rightLines] = [toLines(left), toLines(right)];
  if (leftLines.length + rightLines.length > mostLines) return compareWhole(leftLines, rightLines);
  const parts = diffArrays([...leftLines], [...rightLines], { maxEditLength: mostChanges });
  if (!parts) return compareWhole(leftLines, rightLines);
  const lines: ComparedLine[] = [];
  let removed: readonly string[] = [];
  const pair = (added: readonly string[]): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      lines.push({ left: removed[at], right: added[at], isSame: false });
    removed = [];
  };
  for (const part of parts) {
    if (part.removed) removed = part.value;
    else if (part.added) pair(part.value);
    else {
      pair([]);
      lines.push(...part.value.map((line) => ({ left: line, right: line, isSame: true })));
    }
  }
  pair([]);
  return lines;
}

/** Equal lines far from a difference; they are shown on demand. */
export interface FoldedLines {
  readonly folded: number;
}

/** Replaces equal lines by their number, if they are further than a few lines from a difference. */
export function foldLines(lines: readonly ComparedLine[]): readonly (ComparedLine | FoldedLines)[] {
  const near = new Set<number>();
  for (const [at, { isSame }] of lines.entries())
    if (!isSame) for (let one = at - nearLines; one <= at + nearLines; one += 1) near.add(one);
  const shown: (ComparedLine | FoldedLines)[] = [];
  let folded = 0;
  const unfold = (): void => {
    if (folded > 0) shown.push({ folded });
    folded = 0;
  };
  for (const [at, line] of lines.entries()) {
    if (!near.has(at)) {
      folded += 1;
      continue;
    }
    unfold();
    shown.push(line);
  }
  unfold();
  return shown;
}

/** Equal lines to show before and after a difference. */
const nearLines = 3;

/** Lines of both sides up to which they are aligned. */
const mostLines = 20_000;

/** Removed and added lines up to which they are aligned. The time grows with the square. */
const mostChanges = 1_000;

function compareWhole(left: readonly string[], right: readonly string[]): readonly ComparedLine[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => ({
    left: left[at],
    right: right[at],
    isSame: left[at] === right[at],
  }));
}

function toLines(value: unknown): readonly string[] {
  return value === undefined ? [] : formatJson(sortMembers(value)).split("\n");
}

/** True if two values are equal, regardless of the order of members. */
export function isSameValue(left: unknown, right: unknown): boolean {
  return JSON.stringify(sortMembers(left)) === JSON.stringify(sortMembers(right));
}
