import { createHash } from "node:crypto";
import { toJsonText } from "../../../generator/internal/json-text.ts";
import { safeText } from "../../../generator/internal/text.ts";
import { findingsOf, type CheckReport } from "../finding.ts";

/**
 * Writes a report for code scanning.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function emitSarif(report: CheckReport, version: string): string {
  const rules = [...new Map(report.results.map(({ rule }) => [rule.id, rule])).values()];
  return toJsonText({
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
          message: { text: escapeMessage(`${subject}: ${message}. ${fix}.`) },
          locations: [
            {
              // GitHub rejects a report with a result that names no file.
              physicalLocation: { artifactLocation: { uri: fileOf(report.target) }, region: { startLine: 1 } },
              logicalLocations: [
                { name: subject, fullyQualifiedName: [report.target, revision, subject].filter(Boolean).join("/") },
              ],
            },
          ],
          partialFingerprints: { primaryLocationLineHash: hashOf([rule, subject, message]) },
        })),
      },
    ],
  });
}

/** Escapes untrusted text in a message, where brackets would create links. */
function escapeMessage(text: string): string {
  return safeText(text).replaceAll(/[\\[\]]/g, "\\$&");
}

/** Returns the path of the program if it is a file of the project. For any other target, returns the manifest. */
function fileOf(target: string): string {
  const [, path] = /^(?:\.\/)?((?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.[cm]?[jt]s)$/.exec(target.replaceAll("\\", "/")) ?? [];
  return path ?? "package.json";
}

/**
 * Fingerprint of a finding. All findings have the same location: without fingerprints they would count as one. The revision is not part of it: a
 * finding at several revisions counts once.
 */
function hashOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
