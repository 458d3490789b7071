import { expect, test } from "vitest";
import { runCli } from "../../kit/programs.ts";

test("`model` ends without an error when its output is closed early", async () => {
  const options = { cwd: import.meta.dirname, closesOutput: true };
  const { code, stdout, stderr } = await runCli(["model", "2025-11-25"], options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^\{\n  "format": 1/);
});
