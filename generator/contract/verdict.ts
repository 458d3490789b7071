/**
 * What a change means to those who rely on a contract. `breaking`: what was right fails. `risky`: it may fail, or mean something else.
 * `additive`: there is more. `neutral`: nothing for them to do.
 */
export type Verdict = "breaking" | "risky" | "additive" | "neutral";

/** One difference between two contracts or revisions. */
export interface ContractChange {
  readonly kind: "added" | "removed" | "changed";
  /** What it concerns: `tool search_issues`, `arguments/labels`. */
  readonly subject: string;
  readonly detail: string;
  /** For whoever calls the server. */
  readonly client: Verdict;
  /** For whoever writes the server. */
  readonly server: Verdict;
}

/** All verdicts, the worst first. */
export const verdicts = ["breaking", "risky", "additive", "neutral"] as const;

/** The worst of several verdicts; `neutral` when there is none. */
export function worstOf(list: readonly Verdict[]): Verdict {
  return verdicts.find((verdict) => list.includes(verdict)) ?? "neutral";
}

/** Whether a verdict is as bad as another one, or worse. */
export function isAtLeast(verdict: Verdict, limit: Verdict): boolean {
  return verdicts.indexOf(verdict) <= verdicts.indexOf(limit);
}
