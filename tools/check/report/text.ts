import { outputLine, countText } from "../../../generator/internal/text.ts";
import { findingsOf, severities, type CheckReport, type Severity } from "../finding.ts";

/** Writes a report as text, for people. */
export function emitText(report: CheckReport): string {
  const { results } = report;
  const findings = findingsOf(report);
  const lines = gather(findings).flatMap(({ severity, rule, revisions: where, subjects, message, fix }) => [
    `${severity.padEnd(7)}  ${subjectsText(subjects)}: ${outputLine(message, 300)}`,
    `         ${outputLine(fix, 300)} [${[rule, ...where].join(", ")}]`,
  ]);
  const counts = severities.map((severity) =>
    countText(findings.filter((finding) => finding.severity === severity).length, severity),
  );
  return [titleOf(report), ...lines, `${countText(results.length, "check")}: ${counts.join(", ")}.`].join("\n");
}

function titleOf({ title, server, target, revisions }: CheckReport): string {
  if (title !== undefined) return outputLine(title, 300);
  const name = outputLine(`${server.name || target} ${server.version}`, 120);
  return `${name} supports ${revisions.length === 0 ? "no known revision" : revisions.join(", ")}.`;
}

/** Findings with the same message about several subjects or revisions. */
interface Gathered {
  readonly severity: Severity;
  readonly rule: string;
  readonly message: string;
  readonly fix: string;
  readonly subjects: readonly string[];
  readonly revisions: readonly string[];
}

/** Groups equal findings: about one subject at several revisions, or about several tools. */
function gather(findings: ReturnType<typeof findingsOf>): Gathered[] {
  const groups = new Map<string, (typeof findings)[number][]>();
  for (const finding of findings) {
    const { rule, message, fix, subject, revision } = finding;
    const key = JSON.stringify([rule, message, fix, revision === "" ? "" : subject]);
    const group = groups.get(key);
    if (group) group.push(finding);
    else groups.set(key, [finding]);
  }
  return [...groups.values()].flatMap((same) => {
    const [first] = same;
    if (!first) return [];
    const { severity, rule, message, fix } = first;
    const subjects = [...new Set(same.map(({ subject }) => subject))];
    const revisions = [...new Set(same.map(({ revision }) => revision))].filter((revision) => revision !== "");
    return [{ severity, rule, message, fix, subjects, revisions }];
  });
}

/** Maximum number of subjects to list by name. The rest is only counted. */
const mostNamed = 4;

function subjectsText(subjects: readonly string[]): string {
  const named = subjects.slice(0, mostNamed).map((subject) => outputLine(subject, 100));
  const rest = subjects.length - named.length;
  return rest === 0 ? named.join(", ") : `${named.join(", ")} and ${rest} more`;
}
