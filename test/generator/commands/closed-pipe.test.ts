import { expect, test } from "vitest";
import { runCli } from "../cli.ts";

test("a reader that takes only the beginning of a model gets it without a complaint", async () => {
  const options = { cwd: import.meta.dirname, closesOutput: true };
  const { code, stdout, stderr } = await runCli(["model", "2025-11-25"], options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^\{\n  "format": 1/);
});
