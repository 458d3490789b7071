import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { runCli } from "../kit/programs.ts";
import { Reader } from "../scaffold/reader.ts";
import { createTemporaryFolder } from "../kit/temporary-folders.ts";

/*
 * Five tasks for a reader of the README who has read nothing else, with their solutions. What a solution uses stands in the README above the list of further
 * links, and it works at the first attempt.
 *
 * 1. Write a tool that converts degrees Celsius to Fahrenheit.     The block "A tool" with another name, other schemas and another function.
 * 2. Serve it over HTTP.                                           `--transport both`, then `npm start -- --http <port>`.
 * 3. Look at it in the page.                                       `npm run inspect`.
 * 4. Test it.                                                      `npx create-mcp-server add tool <name>`, then `npm test`.
 * 5. Say why not to use the official SDK.                          The table "Why".
 */

const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
const read = readme.slice(0, readme.indexOf("\n## What else there is"));
const timeout = 240_000;

/** Projects of the reader: one with the tool of the README, and one over HTTP. */
let own = "";
let networked = "";

beforeAll(async () => {
  const reader = new Reader(await createTemporaryFolder("readers"));
  const lines = ["npx create-mcp-server own", "npx create-mcp-server networked --transport both"];
  await reader.follow({ kind: "shell", lines, prints: [] });
  [own = "", networked = ""] = reader.projects;
}, timeout);

describe("five tasks of a reader of the README", () => {
  it("a tool is written after the one of the README", { timeout }, async () => {
    const [, shown = ""] = /```ts src\/server\.ts\n(.*?)```/s.exec(read) ?? [];
    const written = shown
      .replace('name: "add"', 'name: "to_fahrenheit"')
      .replace("Adds two numbers.", "Converts degrees Celsius to Fahrenheit.")
      .replace("{ a: z.number(), b: z.number() }", "{ celsius: z.number() }")
      .replace("{ sum: z.number() }", "{ fahrenheit: z.number() }")
      .replace("({ a, b }) => ({ sum: a + b })", "({ celsius }) => ({ fahrenheit: celsius * 1.8 + 32 })");
    writeFileSync(join(own, "src/server.ts"), written);
    await compileAndBuild(own);
    const server = await start(own, ["dist/server.js"]);
    server.write({ id: 1, method: "initialize", params: initializeParams });
    server.write({ method: "notifications/initialized" });
    server.write({ id: 2, method: "tools/call", params: { name: "to_fahrenheit", arguments: { celsius: 100 } } });
    expect(await server.line(/"id":2\b/)).toContain('"structuredContent":{"fahrenheit":212}');
    server.stop();
  });

  it("a tool is added with its test, and the tests of the project pass", { timeout }, async () => {
    expect(read).toContain("`npx create-mcp-server add tool <name>`");
    expect(read).toMatch(/^npm test /m);
    const { code, stdout, stderr } = await runCli(["add", "tool", "to_fahrenheit"], { cwd: networked });
    expect(code, stdout + stderr).toBe(0);
    await compileAndBuild(networked);
    const vitest = join(packageRoot, "node_modules/vitest/vitest.mjs");
    const { stdout: report } = await promisify(execFile)(process.execPath, [vitest, "run"], { cwd: networked });
    expect(report).toContain("test/to-fahrenheit-tool.test.ts");
    expect(report).not.toContain("failed");
  });

  it("the server is served over HTTP", { timeout }, async () => {
    expect(read).toMatch(/`--transport both`.*`npm start -- --http 3000`/);
    expect(scriptsOf(networked).start).toMatch(/ dist\/server\.js$/);
    await compileAndBuild(networked);
    const server = await start(networked, ["dist/server.js", "--http", "0"]);
    const [url = ""] = /http:\/\/\S+/.exec(await server.line(/is served at/)) ?? [];
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initializeParams }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"serverInfo"')]);
    server.stop();
  });

  it("the server is shown in the page of inspect", { timeout }, async () => {
    expect(read).toMatch(/^npm run inspect /m);
    expect(scriptsOf(own).inspect).toMatch(/^create-mcp-server inspect --open -- node build\.js --watch$/);
    const program = join(packageRoot, "dist/bundle/generator/cli.js");
    const page = await start(own, [program, "inspect", "--", "node", "build.js", "--watch"]);
    const response = await fetch(await page.line(/^http:/));
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/html"),
    ]);
    page.stop();
  });

  it.each([
    ["Revisions", "five, each exactly", "five, old ones in one shape"],
    ["You edit while clients are open", "sessions go on", "no development server"],
    ["Typed client of any server", "arguments, results, drift check", "no"],
    ["Move to another revision", "dry run on your code", "codemod from SDK v1 to v2"],
    ["Tool calls per second, stdio", /^[\d,]+$/, /^[\d,]+$/],
  ])("the reason against the official SDK is in the table, with a page that proves it: %s", (row, ours, theirs) => {
    const [, first = "", page = "", second = ""] =
      new RegExp(`^\\| ${row} +\\| \\[([^\\]]+)\\]\\(([^)#]+)[^)]*\\) +\\| ([^|]+?) +\\|`, "m").exec(read) ?? [];
    expect(first).toMatch(ours);
    expect(second).toMatch(theirs);
    expect(existsSync(join(packageRoot, page))).toBe(true);
  });
});

const initializeParams = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "reader", version: "1.0.0" },
};

/** As `npm run build` does. */
async function compileAndBuild(folder: string): Promise<void> {
  const tsc = join(packageRoot, "node_modules/typescript7/bin/tsc");
  for (const args of [[tsc], ["build.js"]]) await promisify(execFile)(process.execPath, args, { cwd: folder });
}

function scriptsOf(folder: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).scripts;
}

interface Started {
  write(message: object): void;
  /** Waits for a line of output. */
  line(pattern: RegExp): Promise<string>;
  stop(): void;
}

/** Starts a program in a project. */
async function start(folder: string, args: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: "pipe" });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on("line", (line) => {
      lines.push(line);
      for (const check of waiting) check();
    });
  return {
    write: (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    line: (pattern) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = lines.find((line) => pattern.test(line));
          if (found !== undefined) resolve(found);
        };
        waiting.add(check);
        check();
      }),
    stop: () => void child.kill(),
  };
}
