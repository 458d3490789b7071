import { expect, test } from "vitest";
import { findBuildProblem } from "../../../tools/inspect/page/values/build-problem.ts";

const notBuilt = "[dev] not built; the last version stays:\n  src/a.ts:3:5: Expected identifier\n    3 | const = 1;\n";

test.each([
  ["nothing", "", undefined],
  ["output of the server", "hello\nnot built\n", undefined],
  [
    "an error of the bundler",
    notBuilt,
    { kind: "kept", text: "not built; the last version stays: src/a.ts:3:5: Expected identifier" },
  ],
  [
    "an error and further output",
    `${notBuilt}hello\n`,
    { kind: "kept", text: expect.stringContaining("src/a.ts:3:5") },
  ],
  [
    "an error of a module",
    "[dev] not reloaded; the last version stays: Error: no key\n    at src/a.ts:1:1\n",
    { kind: "kept", text: "not reloaded; the last version stays: Error: no key" },
  ],
  [
    "an error of the first version",
    "[dev] not built; the server starts after the next change:\n  src/a.ts:1:1: x\n",
    { kind: "ended", text: "not built; the server starts after the next change: src/a.ts:1:1: x" },
  ],
  [
    "an error of a version that was served",
    "[dev] failed after the version was served: Error: no key\n",
    { kind: "failed", text: "failed after the version was served: Error: no key" },
  ],
  ["a mistake that was undone", `${notBuilt}[dev] built again; the version is the one that is served\n`, undefined],
  ["a later version", `${notBuilt}[dev] reloaded; tools: +search\n`, undefined],
  ["warnings", "[dev] built with warnings:\n  src/a.ts:1:1: unused\n", undefined],
  [
    "a line without an end",
    "[dev] not built; the last version stays:",
    { kind: "kept", text: "not built; the last version stays:" },
  ],
  [
    "a huge line",
    `[dev] not started: ${"x".repeat(100_000)}`,
    { kind: "ended", text: expect.stringMatching(/^not started: x{487}$/) },
  ],
])("the problem of a build after %s is found in the output", (_what, output, problem) => {
  expect(findBuildProblem(output)).toEqual(problem);
});
