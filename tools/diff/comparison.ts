import type { ContractChange } from "../../generator/typed-client/contract/impact.ts";

/** Comparison of two revisions or two servers: the data of every report. */
export interface Comparison {
  readonly kind: "revisions" | "servers";
  readonly older: string;
  readonly newer: string;
  readonly changes: readonly ContractChange[];
  /** All known revisions, oldest first; empty for servers. */
  readonly timeline: readonly TimelineEntry[];
  /** Methods of all known revisions; empty for servers. */
  readonly matrix: readonly MatrixRow[];
  /** Full texts of all changes, before and after. */
  readonly sides: readonly Side[];
}

/** One revision in the timeline of all. */
export interface TimelineEntry {
  readonly id: string;
  readonly status: string;
  readonly lifecycle: string;
  readonly methods: number;
  readonly declarations: number;
  /** True if it is one of the two compared ones. */
  readonly isCompared: boolean;
}

/** One method in all revisions. */
export interface MatrixRow {
  readonly method: string;
  /** Senders by revision, in the order of the timeline; empty where the method is missing from the revision. */
  readonly cells: readonly string[];
}

/** A changed subject in full, before and after. */
export interface Side {
  readonly subject: string;
  /** Lines of the older one; empty when it is new. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Lists the subjects whose full texts differ, in the order of the newer one. */
export function compareSides(
  older: ReadonlyMap<string, readonly string[]>,
  newer: ReadonlyMap<string, readonly string[]>,
): Side[] {
  return [...new Set([...newer.keys(), ...older.keys()])].flatMap((subject) => {
    const side = { subject, before: older.get(subject) ?? [], after: newer.get(subject) ?? [] };
    return side.before.join("\n") === side.after.join("\n") ? [] : [side];
  });
}

/** Returns the lines of a value as JSON. */
export function linesOf(value: object): string[] {
  return JSON.stringify(value, undefined, 2).split("\n");
}
