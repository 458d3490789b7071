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

test("a path may begin with an index", () => {
  expect(describeIssues([{ message: "is odd", path: [0, "a"] }])).toBe("- [0].a: is odd");
});

test("the first 64 keys of a path are shown", () => {
  const path = Array.from({ length: 65 }, () => "a");
  expect(describeIssues([{ message: "is odd", path }])).toBe(`- ${path.slice(1).join(".")}: is odd`);
});

test("lines of up to 1,000 characters are shown as they are", () => {
  const message = "x".repeat(1_000);
  expect(describeIssues([{ message }])).toBe(`- ${message}`);
  expect(describeIssues([{ message: `${message}y` }])).toBe(`- ${message}...`);
});

test("lines of 4,000 bytes in all are shown", () => {
  const issues = repeat(4, { message: "x".repeat(997) });
  expect(describeIssues(issues).split("\n")).toHaveLength(4);
  expect(describeIssues([...issues, { message: "" }])).toMatch(/\n- and 1 more$/);
});

test("the first 20 issues are listed, and the number of the others", () => {
  const issues = Array.from({ length: 100_000 }, (_, index) => ({
    message: "expected number",
    path: ["items", index],
  }));
  const lines = describeIssues(issues).split("\n");
  expect(lines).toHaveLength(21);
  expect(lines.slice(19)).toEqual(["- items[19]: expected number", "- and 99980 more"]);
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
