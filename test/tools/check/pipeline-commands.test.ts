import { describe, expect, test } from "vitest";
import { emitJson } from "../../../tools/check/report/json.ts";
import { emitJunit } from "../../../tools/check/report/junit.ts";
import { emitSarif } from "../../../tools/check/report/sarif.ts";
import { emitText } from "../../../tools/check/report/text.ts";
import type { CheckReport } from "../../../tools/check/finding.ts";
import { lossLines } from "../../../generator/typed-client/client/plan.ts";
import type { Comparison } from "../../../tools/diff/comparison.ts";
import { emitHtml } from "../../../tools/diff/report/html.ts";
import { emitJson as emitDiffJson } from "../../../tools/diff/report/json.ts";
import { emitMarkdown } from "../../../tools/diff/report/markdown.ts";
import { emitText as emitDiffText } from "../../../tools/diff/report/text.ts";
import { outputText } from "../../../generator/internal/text.ts";

const evil =
  "\n::add-mask::x\n##vso[task.setvariable variable=NODE_OPTIONS]--require=x ##[group]y #\u200b#VSO[z] [text](https://evil.example)";

const rule = { id: "rule", title: "Rule", severity: "error" } as const;
const finding = { rule: "rule", severity: "error", revision: "", subject: evil, message: evil, fix: evil } as const;
const report: CheckReport = {
  target: evil,
  server: { name: evil, version: evil },
  revisions: [],
  results: [{ rule, revision: "", findings: [finding] }],
};
const change = { kind: "changed", subject: evil, detail: evil, client: "risky", server: "risky" } as const;
const comparison: Comparison = {
  kind: "servers",
  older: evil,
  newer: evil,
  changes: [change],
  timeline: [],
  matrix: [],
  sides: [{ subject: evil, before: [evil], after: [] }],
};

describe("text of a server in the log of a CI pipeline", () => {
  test.each<readonly [string, string]>([
    ["a text report of `check`", emitText(report)],
    ["a JSON report of `check`", emitJson(report)],
    ["a JUnit report of `check`", emitJunit(report)],
    ["a SARIF report of `check`", emitSarif(report, "1.0.0")],
    ["a text report of `diff`", emitDiffText(comparison)],
    ["a Markdown report of `diff`", emitMarkdown(comparison)],
    ["an HTML report of `diff`", emitHtml(comparison)],
    ["a JSON report of `diff`", emitDiffJson(comparison)],
    [
      "a message of `client`",
      lossLines({
        type: "",
        server: "",
        tools: [],
        prompts: [],
        templates: [],
        rejected: [{ name: evil, reason: evil }],
      }).join("\n"),
    ],
    ["an error message", outputText(evil)],
  ])("%s contains no command of a pipeline", (_what, text) => {
    expect(text).not.toMatch(/##(?:vso)?\[/i);
    expect(text).not.toMatch(/^\s*::/m);
  });

  test("a JSON report keeps the text of a server", () => {
    const [only] = JSON.parse(emitJson(report)).findings;
    expect(only.message).toBe(evil);
  });

  test("a SARIF report contains no links from the text of a server", () => {
    const [{ results }] = JSON.parse(emitSarif(report, "1.0.0")).runs;
    expect(results[0].message.text).toContain(String.raw`\[text\](https://evil.example)`);
  });
});
