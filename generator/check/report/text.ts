import { countText } from "../../count-text.ts";
import { safeLine } from "../../tool-schema/safe-text.ts";
import { findingsOf, severities, type CheckReport } from "../finding.ts";

/** A report for people. */
export function emitText(report: CheckReport): string {
  const { server, target, revisions, results } = report;
  const findings = findingsOf(report);
  const title = safeLine(`${server.name || target} ${server.version}`, 120);
  const lines = findings.flatMap(({ severity, rule, revision, subject, message, fix }) => [
    `${severity.padEnd(7)}  ${safeLine(subject, 100)}: ${safeLine(message, 300)}`,
    `         ${safeLine(fix, 300)} [${rule}${revision === "" ? "" : `, ${revision}`}]`,
  ]);
  const counts = severities.map((severity) =>
    countText(findings.filter((finding) => finding.severity === severity).length, severity),
  );
  const spoken = revisions.length === 0 ? "no known revision" : revisions.join(", ");
  return [`${title} speaks ${spoken}.`, ...lines, `${countText(results.length, "check")}: ${counts.join(", ")}.`].join(
    "\n",
  );
}
