import { findingsOf, type CheckReport } from "../finding.ts";

/**
 * A report for code scanning.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function emitSarif(report: CheckReport, version: string): string {
  const rules = [...new Map(report.results.map(({ rule }) => [rule.id, rule])).values()];
  return JSON.stringify(
    {
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [
        {
          tool: {
            driver: {
              name: "create-mcp-server check",
              version,
              rules: rules.map(({ id, title, severity, help }) => ({
                id,
                shortDescription: { text: title },
                defaultConfiguration: { level: severity },
                ...(help !== undefined && { helpUri: help }),
              })),
            },
          },
          results: findingsOf(report).map(({ rule, severity, subject, message, fix, revision }) => ({
            ruleId: rule,
            ruleIndex: rules.findIndex(({ id }) => id === rule),
            level: severity,
            message: { text: `${subject}: ${message}. ${fix}.` },
            locations: [
              {
                logicalLocations: [
                  { name: subject, fullyQualifiedName: [report.target, revision, subject].filter(Boolean).join("/") },
                ],
              },
            ],
          })),
        },
      ],
    },
    undefined,
    2,
  );
}
