import { breakCommandsInMarkup } from "../../../generator/internal/text.ts";
import type { CheckReport, CheckResult } from "../finding.ts";

/** Writes a report for CI servers: one test for each rule and revision. Notes do not fail. */
export function emitJunit({ target, results }: CheckReport): string {
  const failed = results.filter((result) => failuresOf(result).length > 0);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${results.length}" failures="${failed.length}">`,
    `<testsuite name="${escapeXml(target)}" tests="${results.length}" failures="${failed.length}">`,
    ...results.map(testCase),
    "</testsuite>",
    "</testsuites>",
  ];
  return breakCommandsInMarkup(lines.join("\n"));
}

function testCase(result: CheckResult): string {
  const { rule, revision } = result;
  const open = `<testcase classname="${escapeXml(revision || "any revision")}" name="${escapeXml(`${rule.id}: ${rule.title}`)}"`;
  const failures = failuresOf(result);
  if (failures.length === 0) return `${open}/>`;
  const text = failures.map(({ subject, message, fix }) => `${subject}: ${message}\n${fix}`).join("\n\n");
  return `${open}><failure message="${escapeXml(failures[0]?.message ?? "")}">${escapeXml(text)}</failure></testcase>`;
}

function failuresOf({ findings }: CheckResult): CheckResult["findings"] {
  return findings.filter(({ severity }) => severity !== "note");
}

/** Escapes untrusted text. Replaces characters that XML cannot represent at all. */
function escapeXml(text: string): string {
  const clean = text.replaceAll(/(?![\n\t])[\p{Cc}\p{Surrogate}\uFFFE\uFFFF]/gu, "\uFFFD");
  return clean.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
