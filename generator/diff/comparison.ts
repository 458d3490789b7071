import type { ContractChange } from "../contract/verdict.ts";

/** Two things of one kind, compared: what every report is made of. */
export interface Comparison {
  readonly kind: "revisions" | "servers";
  readonly older: string;
  readonly newer: string;
  readonly changes: readonly ContractChange[];
  /** All revisions that are known, oldest first; empty for servers. */
  readonly timeline: readonly TimelineEntry[];
  /** Which revision has which method; empty for servers. */
  readonly matrix: readonly MatrixRow[];
  /** Text of what changed, before and after. */
  readonly sides: readonly Side[];
}

/** One revision among all. */
export interface TimelineEntry {
  readonly id: string;
  readonly status: string;
  readonly lifecycle: string;
  readonly methods: number;
  readonly declarations: number;
  /** Whether it is one of the two that are compared. */
  readonly isCompared: boolean;
}

/** One method in all revisions. */
export interface MatrixRow {
  readonly method: string;
  /** Senders by revision, in the order of the timeline; empty where it is missing. */
  readonly cells: readonly string[];
}

/** Something that changed, in full. */
export interface Side {
  readonly subject: string;
  /** Lines of the older one; empty when it is new. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}
