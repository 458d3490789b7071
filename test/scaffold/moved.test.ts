import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { packageVersion } from "../../generator/internal/package-info.ts";
import { runCli } from "../kit/programs.ts";
import { npm } from "./npm.ts";
import { runProgram } from "../matrix/tools.ts";

/* A project from a clone needs no registry for our packages, also after its folder was moved. */

const root = realpathSync(mkdtempSync(join(tmpdir(), "moved-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

// Packages as of a day. A registry may lack an optional package of a newer one, and then `npm ci` rejects the lock file that npm has just written.
process.env["npm_config_before"] = "2026-11-25";

const runtimes = [
  { runtime: "dependency", version: `file:vendor/mcp-server-runtime-${packageVersion()}.tgz` },
  { runtime: "vendored", version: "file:vendor/mcp-server-runtime" },
];

describe.each(runtimes)("a project with --runtime $runtime", ({ runtime, version }) => {
  const first = join(root, runtime);
  const folder = join(root, "elsewhere", runtime);

  test("a project is installed, and its server responds to a call", async () => {
    const options = ["--runtime", runtime, "--protocol", "latest", "--features", "tools", "--yes", "--no-git"];
    const { code, stdout, stderr } = await runCli([runtime, ...options], { cwd: root });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('measure_text({"text":"Hello, world"}) returned ');
    expect(JSON.parse(readFileSync(join(first, "package.json"), "utf8"))).toMatchObject({
      devDependencies: { "mcp-server-runtime": version, "create-mcp-server": "file:vendor/create-mcp-server" },
    });
  });

  test("a project is moved, and installed again from its lock file", async () => {
    mkdirSync(join(root, "elsewhere"), { recursive: true });
    renameSync(first, folder);
    rmSync(join(folder, "node_modules"), { recursive: true });
    await npm(folder, "ci", "--no-audit", "--no-fund");
    expect(await npm(folder, "test")).toMatch(/Tests.* passed/);
  });

  // What the commands do does not depend on where the runtime is.
  if (runtime === "dependency") {
    test("a project runs the commands of the guides with npx", async () => {
      const npx = (...words: string[]): Promise<string> => npm(folder, "exec", "--", "create-mcp-server", ...words);
      expect(await npx("update", "--check")).toContain("All generated files are up to date.");
      expect(await npx("add", "resource", "notes")).toContain("Regenerated src/mcp/ with resources");
      const template = await npx("add", "resource", "page", "--template", "pages://{chapter}/{number}");
      expect(template).toContain("src/resources/page.ts and test/page-resource.test.ts");
      expect(await npx("update", "--protocol", "all")).toContain("src/mcp: ");
      await npm(folder, "run", "typecheck");
      expect(await npm(folder, "test")).toMatch(/Tests.* passed/);
      expect(await npx("check", "dist/server.js")).toContain("0 errors");
    });
  }

  test("a project without its clone prints the remedy", async () => {
    const launcher = join(folder, "vendor", "create-mcp-server");
    const manifest = join(launcher, "clone.json");
    const text = readFileSync(manifest, "utf8");
    writeFileSync(manifest, JSON.stringify({ clone: "/nowhere" }));
    const running = runProgram(join(launcher, "cli.js"), ["--version"], { cwd: folder });
    await expect(running).rejects.toThrow(
      /\/nowhere.* does not exist\.\nSet CREATE_MCP_SERVER to the folder of a clone/,
    );
    const { clone }: { readonly clone: string } = JSON.parse(text);
    const options = { cwd: folder, env: { CREATE_MCP_SERVER: clone } };
    expect(await runProgram(join(launcher, "cli.js"), ["--version"], options)).toBe(`${packageVersion()}\n`);
  });
});

test("a changed packed runtime is installed by the command that update names", async () => {
  const folder = join(root, "elsewhere", "dependency");
  const name = `vendor/mcp-server-runtime-${packageVersion()}.tgz`;
  const own = readFileSync(join(folder, name));
  const { code, stdout } = await runCli(["packed", "--yes", "--no-git", "--no-install"], { cwd: root });
  expect(code, stdout).toBe(0);
  const project = join(root, "packed");
  // Another file of the same version, as an older clone made it.
  await runProgram(process.execPath, ["-e", repack, join(project, name)], { cwd: root });
  await npm(project, "install", "--no-audit", "--no-fund");
  const updated = await npm(project, "exec", "--", "create-mcp-server", "update");
  const [, next = ""] = /Next: npm (.*)\n/.exec(updated) ?? [];
  expect(next).toBe(`install --save-dev ./${name}`);
  expect(readFileSync(join(project, name)).equals(own)).toBe(true);
  await npm(project, ...next.split(" "));
  expect(readFileSync(join(project, "node_modules/mcp-server-runtime/README.md"), "utf8")).not.toContain("(repacked)");
  expect(readFileSync(join(project, "package.json"), "utf8")).toContain(`"mcp-server-runtime": "file:${name}"`);
});

/** Adds a line to the README in a packed package. */
const repack = `
  const { execFileSync } = require("node:child_process");
  const { appendFileSync, mkdtempSync } = require("node:fs");
  const folder = mkdtempSync("repack-");
  execFileSync("tar", ["-xzf", process.argv[1], "-C", folder]);
  appendFileSync(folder + "/package/README.md", "(repacked)");
  execFileSync("tar", ["-czf", process.argv[1], "-C", folder, "package"]);
`;
