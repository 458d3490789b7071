import { findingsOf, type CheckReport } from "../../../tools/check/finding.ts";

/** Rules that were broken, each once. */
export function rulesOf(report: CheckReport): string[] {
  return [...new Set(findingsOf(report).map(({ rule }) => rule))].sort();
}
