import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot, packageVersion } from "../../../generator/internal/package-info.ts";
import { runCli } from "../../kit/programs.ts";
import { listAll, temporaryFolder } from "../../kit/temporary-folders.ts";

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

  test.each([
    ["client", ["client", "tools.json", "--name", "x", "--out="], "out"],
    ["client --check", ["client", "tools.json", "--name", "x", "--out", "--check"], "out"],
    ["generate", ["generate", "--out="], "out"],
    ["diff", ["diff", "2025-06-18", "2025-11-25", "--output"], "output"],
    ["pin", ["pin", "2027-01-15", "--from=", "--spec", "spec"], "from"],
  ])("a path without a value is rejected, and no file changes: %s", async (_what, args, name) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "tools.json"), `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`);
    writeFileSync(join(cwd, "index.ts"), "own");
    const { code, stderr } = await runCli(args, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(`create-mcp-server: --${name} requires a value.\n`);
    expect(listAll(cwd)).toEqual(["index.ts", "tools.json"]);
    expect(readFileSync(join(cwd, "index.ts"), "utf8")).toBe("own");
  });

  test.each([
    ["a report of a mock", ["--output", "report.txt"], "--ignore and --output apply to --against"],
    ["members of a mock that are not compared", ["--ignore", "time"], "--ignore and --output apply to --against"],
    ["a header of a mock", ["--header", "a: b"], "--header, --header-env and --env apply to --against"],
    ["names of a mock on stdio", ["--allowed-hosts", "a.example"], "--allowed-hosts applies to HTTP only"],
    ["keys of a test", ["--against", "server.js", "--api-key-env", "KEYS"], "do not apply to --against"],
  ])("`replay` rejects options without an effect: %s", async (_what, options, message) => {
    const { code, stderr } = await runCli(["replay", "session.jsonl", ...options], { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
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

  test("`--template` without a resource, or without a value, is rejected", async () => {
    const tool = await runCli(["add", "tool", "words", "--template", "a://{b}"], { cwd: temporaryFolder() });
    expect(tool.stderr).toContain("create-mcp-server: --template is for `add resource <name>` only; remove it.\n");
    const empty = await runCli(["add", "resource", "words", "--template"], { cwd: temporaryFolder() });
    expect(empty.stderr).toContain("create-mcp-server: --template requires a value.\n");
  });
});

describe("versions of Node.js", () => {
  const { engines } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  const needed = String(engines.node).replace(">=", "");

  test.each(["18.20.8", "20.18.3"])("Node.js %s gets one line, and exit code 2", async (version) => {
    const preload = `Object.defineProperty(process, "versions", { value: { node: "${version}" } });`;
    expect(await runCli(["--version"], { cwd: temporaryFolder(), preload })).toEqual({
      code: 2,
      stdout: "",
      stderr: `create-mcp-server needs Node.js ${needed} or newer, and this is ${version}; update Node.js.\n`,
    });
  });

  test.each([`${needed}.0`, "21.0.0", "26.1.0"])("Node.js %s runs the program", async (version) => {
    const preload = `Object.defineProperty(process, "versions", { value: { node: "${version}" } });`;
    const { code, stdout } = await runCli(["--version"], { cwd: temporaryFolder(), preload });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${packageVersion()}\n` });
  });

  test("the first file of the command line imports nothing", () => {
    const text = readFileSync(join(packageRoot, "dist", "bundle", "generator", "cli.js"), "utf8");
    expect(text).not.toMatch(/\bimport\s*[{"*\w]/);
    expect(text.length).toBeLessThan(2_000);
  });
});
