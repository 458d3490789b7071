import { toJsonText } from "../../../generator/internal/json-text.ts";
import { findingsOf, type CheckReport } from "../finding.ts";

/** Writes a report as JSON, for programs. */
export function emitJson(report: CheckReport): string {
  const { target, server, revisions, results } = report;
  const checks = results.map(({ rule, revision, findings }) => ({
    rule: rule.id,
    title: rule.title,
    revision,
    passed: findings.length === 0,
  }));
  return toJsonText({ format: 1, target, server, revisions, findings: findingsOf(report), checks });
}
