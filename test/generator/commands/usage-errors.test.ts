import { describe, expect, test } from "vitest";
import { runCli } from "../cli.ts";
import { temporaryFolder } from "../folder.ts";

describe("mistakes in options", () => {
  test.each([
    [
      "a limit that is given twice",
      ["diff", "2025-06-18", "2025-11-25", "--fail-on", "breaking", "--fail-on", "risky"],
      "fail-on",
    ],
    [
      "a format that is given twice",
      ["diff", "2025-06-18", "2025-11-25", "--format", "text", "--format", "json"],
      "format",
    ],
    ["a time that is given twice", ["client", "tools.json", "--timeout", "1", "--timeout", "2"], "timeout"],
  ])("%s is rejected with exit code 2", async (_what, args, name) => {
    const { code, stdout, stderr } = await runCli(args, { cwd: temporaryFolder() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`create-mcp-server: --${name} is given several times; pass it once.\n`);
  });

  test("options that take several values may be given several times", async () => {
    const headers = ["--header", "a: b", "--header", "c: d"];
    const { stderr } = await runCli(["client", "none.json", ...headers], { cwd: temporaryFolder() });
    expect(stderr).toBe("create-mcp-server: none.json does not exist; check the path.\n");
  });

  test("an option of `add openapi` without a document is rejected without a stack", async () => {
    const { code, stderr } = await runCli(["add", "tool", "words", "--force"], { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(stderr).toContain("create-mcp-server: --force is for `add openapi <document>` only; remove it.\n");
    expect(stderr).not.toMatch(/\n +at /);
  });
});
