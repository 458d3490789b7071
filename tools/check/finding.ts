/** Severity of a finding. `error`: against the specification, or it makes clients fail. `warning`: some clients or hosts will stumble. */
export type Severity = "error" | "warning" | "note";

/** One rule for servers. */
export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  /** Page of the specification, or of the author of the rule. */
  readonly help?: string;
}

/** A deviation from a rule. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** Observation behind the finding. */
  readonly message: string;
  /** Advice on how to fix it. */
  readonly fix: string;
  /** Subject of the finding: a method, a tool, a property. */
  readonly subject: string;
}

/** Result of one rule at one revision and transport. */
export interface CheckResult {
  readonly rule: Rule;
  /** Revision of the connection; empty for rules independent of it. */
  readonly revision: string;
  readonly findings: readonly Finding[];
}

/** All results for one server. */
export interface CheckReport {
  /** Name of the server, without possible secrets. */
  readonly target: string;
  /** First line of the report as text. Default: the server and its revisions. */
  readonly title?: string;
  readonly server: { readonly name: string; readonly version: string };
  /** Supported revisions, newest first. */
  readonly revisions: readonly string[];
  readonly results: readonly CheckResult[];
}

/** Returns all findings of a report, the worst first. */
export function findingsOf({ results }: CheckReport): readonly (Finding & { readonly revision: string })[] {
  const all = results.flatMap(({ findings, revision }) => findings.map((finding) => ({ ...finding, revision })));
  return severities.flatMap((severity) => all.filter((finding) => finding.severity === severity));
}

/** All severities, the worst first. */
export const severities = ["error", "warning", "note"] as const;
