/** How bad a finding is. `error`: against the specification, or it makes clients fail. `warning`: some clients or hosts will stumble. */
export type Severity = "error" | "warning" | "note";

/** Something that is looked at. */
export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  /** Page of the specification, or of whoever made the rule. */
  readonly help?: string;
}

/** Something that is not as it should be. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** What was seen. */
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
  /** What it concerns: a method, a tool, a property. */
  readonly subject: string;
}

/** One rule, looked at over one revision and transport. */
export interface CheckResult {
  readonly rule: Rule;
  /** Revision that was spoken; empty for what does not depend on it. */
  readonly revision: string;
  readonly findings: readonly Finding[];
}

/** Everything that was found about a server. */
export interface CheckReport {
  /** The server, without what may be secret. */
  readonly target: string;
  readonly server: { readonly name: string; readonly version: string };
  /** Revisions that it speaks, newest first. */
  readonly revisions: readonly string[];
  readonly results: readonly CheckResult[];
}

/** All findings of a report, the worst first. */
export function findingsOf({ results }: CheckReport): readonly (Finding & { readonly revision: string })[] {
  const all = results.flatMap(({ findings, revision }) => findings.map((finding) => ({ ...finding, revision })));
  return severities.flatMap((severity) => all.filter((finding) => finding.severity === severity));
}

/** All severities, the worst first. */
export const severities = ["error", "warning", "note"] as const;
