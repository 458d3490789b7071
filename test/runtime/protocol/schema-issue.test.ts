import { expect, test } from "vitest";
import { describeIssues, type SchemaIssue } from "../../../runtime/protocol/methods/schema-issue.ts";

const repeat = (count: number, issue: SchemaIssue): SchemaIssue[] => Array.from({ length: count }, () => issue);

test("each issue is a line with its path", () => {
  const issues = [
    { message: "is required", path: ["items", 0, { key: "name" }] },
    { message: "must not be empty", path: [] },
    { message: "is odd" },
  ];
  expect(describeIssues(issues)).toBe("- items[0].name: is required\n- must not be empty\n- is odd");
  expect(describeIssues([])).toBe("");
});

test("the first 20 issues are listed, and the number of the others", () => {
  const issues = Array.from({ length: 1_000_000 }, (_, index) => ({
    message: "expected number",
    path: ["items", index],
  }));
  const lines = describeIssues(issues).split("\n");
  expect(lines).toHaveLength(21);
  expect(lines.slice(19)).toEqual(["- items[19]: expected number", "- and 999980 more"]);
});

test.each([
  ["messages that quote what was sent", { message: "x".repeat(1_000_000), path: ["a"] }],
  ["names of a million characters", { message: "is not known", path: ["\u20ac".repeat(1_000_000)] }],
  ["paths of a million keys", { message: "is not known", path: Array.from({ length: 1_000_000 }, () => "\u20ac") }],
])("%s make a text of 4 KiB at most", (_, issue) => {
  const text = describeIssues(repeat(15, issue));
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(4_096);
  expect(text).toMatch(/^- .*\n- and \d+ more$/s);
});
