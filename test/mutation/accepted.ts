import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nameOf } from "./folders.ts";
import type { Change, Mutant } from "./report.ts";

/** Reasons why no test has to detect a mutant. */
export const reasons = {
  cost: "only time or memory differ",
  equal: "nothing differs",
  loading: "the module cannot be loaded, for which the tool counts no failed test",
  text: "only a text for people differs",
  unreachable: "no input leads there",
} as const;

/** Mutants of one line that no test has to detect. */
export interface Accepted {
  readonly file: string;
  /** Line of the code, without blanks at its ends. */
  readonly line: string;
  /** Replacements, by the text that they replace. */
  readonly changes: Readonly<Record<string, readonly string[]>>;
  readonly reason: keyof typeof reasons;
  /** Argument for the reason. */
  readonly because: string;
}

/** Mutants of a folder, compared with the accepted ones. */
export interface Review {
  /** Numbers of survivors, by reason. */
  readonly counts: ReadonlyMap<keyof typeof reasons, number>;
  readonly open: readonly Mutant[];
  /** Accepted mutants that are detected, or no longer exist. */
  readonly stale: readonly string[];
}

/** Reads the accepted mutants of a folder. */
export function readAccepted(folder: string): readonly Accepted[] {
  const path = join(import.meta.dirname, "accepted", `${nameOf(folder)}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
}

/** Compares mutants with the accepted ones. Numbers of lines do not matter. Mutants outside of a draw are unusable. */
export function review(mutants: readonly Mutant[], accepted: readonly Accepted[]): Review {
  const survivors = mutants.filter(({ outcome }) => outcome === "survived");
  const rows = toRows(accepted);
  const known = new Map(rows.map((row) => [keyOf(row), row.reason]));
  const counts = new Map<keyof typeof reasons, number>();
  for (const survivor of survivors) {
    const reason = known.get(keyOf(survivor));
    if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const undetected = mutants.filter(({ outcome }) => outcome === "survived" || outcome === "unusable");
  const keys = new Set(undetected.map(keyOf));
  return {
    counts,
    open: withoutAccepted(survivors, accepted),
    stale: rows.filter((row) => !keys.has(keyOf(row))).map(describeChange),
  };
}

/** Returns the changes for which a test has to fail. */
export function withoutAccepted<One extends Unnumbered>(
  changes: readonly One[],
  accepted: readonly Accepted[],
): readonly One[] {
  const keys = new Set(toRows(accepted).map(keyOf));
  return changes.filter((change) => !keys.has(keyOf(change)));
}

function toRows(accepted: readonly Accepted[]): readonly (Unnumbered & Pick<Accepted, "reason">)[] {
  return accepted.flatMap(({ file, line, reason, changes }) =>
    Object.entries(changes).flatMap(([from, all]) => all.map((to) => ({ file, line, reason, from, to }))),
  );
}

/** Describes a change in one line. */
export function describeChange({ file, line, from, to }: Unnumbered): string {
  return `${file}: ${from} → ${to}, in: ${line}`;
}

type Unnumbered = Omit<Change, "row">;

function keyOf({ file, line, from, to }: Unnumbered): string {
  return JSON.stringify([file, line, from, to]);
}
