import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

/* Both packages as users get them: packed as they were built by `npm install`, and installed somewhere else. */

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
let folder = "";
let packages: readonly string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "packed-"));
  packages = await Promise.all([root, join(root, "dist", "runtime-package")].map(pack));
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "elsewhere", private: true, type: "module" }));
  await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder });
}, 240_000);

async function pack(source: string): Promise<string> {
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const { stdout } = await run("npm", args, { cwd: source });
  return `./${stdout.trim()}`;
}

afterAll(() => rm(folder, { recursive: true, force: true }));

test("the packages are installed without dependencies", async () => {
  const installed = (await readdir(join(folder, "node_modules"))).filter((name) => !name.startsWith("."));
  expect(installed).toEqual(["create-mcp-server", "mcp-server-runtime"]);
});

test.each(["create-mcp-server", "create-mcp"])("the program runs: %s", async (command) => {
  const { stdout } = await run("npx", ["--no-install", command, "--version"], { cwd: folder });
  expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
});

test("the package creates a project that depends on a range of the runtime, and has neither a packed runtime nor a launcher", async () => {
  const words = ["create-mcp-server", "demo", "--yes", "--no-git", "--no-install"];
  await run("npx", ["--no-install", ...words], { cwd: folder });
  const project = join(folder, "demo");
  expect(existsSync(join(project, "vendor"))).toBe(false);
  const { devDependencies } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  expect(devDependencies["mcp-server-runtime"]).toMatch(/^\^\d+\.\d+\.\d+$/);
  expect(devDependencies["create-mcp-server"]).toBeUndefined();
  expect(await readFile(join(project, "README.md"), "utf8")).toContain("npx create-mcp-server@latest update");
  // Nothing is on a registry: the range is replaced by the packed package.
  const runtime = packages.find((name) => name.includes("runtime")) ?? "";
  await run("npm", ["install", "--no-audit", "--no-fund", "--save-dev", join(folder, runtime)], { cwd: project });
  await run("npm", ["run", "typecheck"], { cwd: project });
  expect((await run("npm", ["test"], { cwd: project })).stdout).toMatch(/Tests.* passed/);
});

test("the package creates a project that contains the runtime and responds to a call", async () => {
  const words = ["create-mcp-server", "vendored", "--runtime", "vendored", "--yes", "--no-git"];
  const { stdout } = await run("npx", ["--no-install", ...words], { cwd: folder });
  expect(stdout).toMatch(/measure_text/);
  const project = join(folder, "vendored");
  expect(await readdir(join(project, "vendor"))).toEqual(["mcp-server-runtime"]);
  expect(await readdir(join(project, "vendor", "mcp-server-runtime"))).not.toContain("node_modules");
  const check = ["create-mcp-server", "update", "vendored", "--check"];
  expect((await run("npx", ["--no-install", ...check], { cwd: folder })).stdout).toContain("up to date");
});

test("the package writes and checks a generated layer of its own", async () => {
  await run("npx", ["--no-install", "create-mcp-server", "generate", "--out", "layer"], { cwd: folder });
  const { stdout } = await run("npx", ["--no-install", "create-mcp-server", "generate", "--out", "layer", "--check"], {
    cwd: folder,
  });
  expect(stdout).toMatch(/all up to date/);
});

test("the packages can be imported", async () => {
  const program = `
    import { checkCallToolRequest } from "mcp-server-runtime/2025-11-25/validate";
    import { forRevisions } from "mcp-server-runtime";
    import { revisions } from "mcp-server-runtime/revisions";
    import { connectInMemory } from "mcp-server-runtime/testing";
    import { openSpecFolder } from "create-mcp-server";
    const { defineServer, defineTool } = forRevisions(revisions);
    const server = defineServer({ name: "s", version: "1", tools: [defineTool({ name: "hi", execute: () => "hello" })] });
    const client = await connectInMemory(server);
    const { content } = await client.callTool("hi", {});
    await client.close();
    const issue = checkCallToolRequest({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {} });
    console.log(JSON.stringify([content, issue, typeof openSpecFolder]));
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual([
    [{ type: "text", text: "hello" }],
    { path: "params/name", expected: "string" },
    "function",
  ]);
});
