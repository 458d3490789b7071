/**
 * Effect of a change on the users of a contract. `breaking`: a correct use fails. `risky`: it may fail, or mean something else. `additive`:
 * there is more to use. `neutral`: no action is needed.
 */
export type Impact = "breaking" | "risky" | "additive" | "neutral";

/** One difference between two contracts or revisions. */
export interface ContractChange {
  readonly kind: "added" | "removed" | "changed";
  /** Subject of the change: `tool search_issues`, `arguments/labels`. */
  readonly subject: string;
  readonly detail: string;
  /** Verdict for callers of the server. */
  readonly client: Impact;
  /** Verdict for the authors of the server. */
  readonly server: Impact;
}

/** All impacts, the worst first. */
export const impacts = ["breaking", "risky", "additive", "neutral"] as const;

/** Returns the worst of several impacts; `neutral` when there is none. */
export function worstOf(list: readonly Impact[]): Impact {
  return impacts.find((impact) => list.includes(impact)) ?? "neutral";
}

/** True if an impact is at least as severe as another one. */
export function isAtLeast(impact: Impact, limit: Impact): boolean {
  return impacts.indexOf(impact) <= impacts.indexOf(limit);
}
