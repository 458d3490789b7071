import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run, tour, type } from "./journey.ts";

const enter = "\r";
const down = "\u001B[B";

test("the packages are installed without dependencies", () => {
  const installed = readdirSync(join(tour.home, "node_modules")).filter((name) => !name.startsWith("."));
  expect(installed).toEqual(["create-mcp-server", "mcp-server-runtime"]);
});

test("`--yes` creates a project, installs it, builds it and calls it", () => {
  expect(tour.created).toContain('measure_text({"text":"Hello, world"}) returned {"words":2,"characters":12}');
  const { devDependencies } = JSON.parse(readFileSync(join(tour.home, "demo", "package.json"), "utf8"));
  expect(devDependencies).toMatchObject({ "mcp-server-runtime": expect.stringMatching(/^\^\d+\.\d+\.\d+$/) });
  expect(devDependencies).not.toHaveProperty("create-mcp-server");
  expect(existsSync(join(tour.home, "demo", "vendor"))).toBe(false);
});

test("prompts with the recommended setup lead to a project that is installed, committed and called", async () => {
  const shown = await type(tour.home, "npx --no-install create-mcp-server", [
    [/Project folder/, `recommended${enter}`],
    [/Setup/, enter],
    [/Create recommended/, enter],
  ]);
  expect(shown).toContain('measure_text({"text":"Hello, world"}) returned ');
  expect(shown).toContain("Created recommended in ");
  const files = readdirSync(join(tour.home, "recommended"));
  expect(files).toEqual(expect.arrayContaining([".git", "AGENTS.md", "dist", "node_modules", "package-lock.json"]));
});

test("prompts with a custom setup lead to a project with these choices", async () => {
  const shown = await type(tour.home, "npx --no-install create-mcp-server --no-install --no-git", [
    [/Project folder/, `custom${enter}`],
    [/Setup/, `${down}${enter}`],
    [/◆ {2}Target/, enter],
    [/Features in addition to tools/, enter],
    [/◆ {2}Transport/, `${down}${down}${enter}`],
    [/Authentication over HTTP/, enter],
    [/Engine for several nodes/, enter],
    [/Schema library of the tools/, `${down}${enter}`],
    [/Include a client\?/, enter],
    [/Extra files/, enter],
    [/Protocol revisions to support/, enter],
    [/Create custom/, enter],
  ]);
  expect(shown).toContain("Created custom in ");
  const { devDependencies } = JSON.parse(readFileSync(join(tour.home, "custom", "package.json"), "utf8"));
  expect(devDependencies).toHaveProperty("valibot");
  const lock: unknown = JSON.parse(readFileSync(join(tour.home, "custom", "src", "mcp", "mcp.lock.json"), "utf8"));
  expect(lock).toMatchObject({ transports: ["stdio", "http"] });
});

test("a project with `--runtime vendored` contains the runtime, and is called", async () => {
  const options = "--runtime vendored --protocol latest --yes --no-git";
  expect(await run(tour.home, `npx create-mcp-server@latest vendored ${options}`)).toMatch(/measure_text/);
  const project = join(tour.home, "vendored");
  expect(readdirSync(join(project, "vendor"))).toEqual(["mcp-server-runtime"]);
  expect(readdirSync(join(project, "vendor", "mcp-server-runtime"))).not.toContain("node_modules");
  expect(await run(tour.home, "npx create-mcp-server update vendored --check")).toContain("up to date");
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
  writeFileSync(join(tour.home, "program.js"), program);
  expect(JSON.parse(await run(tour.home, "node program.js"))).toEqual([
    [{ type: "text", text: "hello" }],
    { path: "params/name", expected: "string" },
    "function",
  ]);
});
