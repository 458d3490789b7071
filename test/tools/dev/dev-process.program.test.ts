import { readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../kit/projects.ts";
import { address, createDevProject, devArgs, startDev, type DevProcess, type DevProject } from "./dev-project.ts";
import { isAlive } from "../../kit/programs.ts";

/* Processes of the development server: their start, their end and their output. The project has tools only, and so no list that changes in production. */

let project: DevProject;

const serverOf = (tools: string, before = ""): string => `import "mcp-server-runtime/stdout";
${before}
import { defineServer, defineTool, run } from "./mcp/index.ts";
const tool = (name: string, text: string) => defineTool({ name, execute: () => text });
await run(defineServer({ name: "demo", version: "1.0.0", tools: [${tools}] }));
`;

beforeAll(async () => {
  project = await createDevProject({ transport: "both", features: "tools" }, {});
});

afterAll(() => project.remove());

beforeEach(() => project.save({ "server.ts": serverOf(`tool("a", "1")`) }));

function start(...args: readonly string[]): DevProcess {
  const dev = startDev(project, ...args);
  onTestFinished(async () => void (await dev.stop()));
  return dev;
}

/** Resolves with the exit code of a process that ends by itself. */
function end({ child }: DevProcess): Promise<number | null> {
  return new Promise((resolve) => (child.exitCode === null ? child.once("exit", resolve) : resolve(child.exitCode)));
}

test("a client on stdio hears of new tools although the project has no changing lists, and reads nothing but the protocol", async () => {
  const client = new Client({ name: "test", version: "1" });
  const faults: unknown[] = [];
  let changes = 0;
  client.onerror = (error) => void faults.push(error);
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...devArgs],
    cwd: project.folder,
    stderr: "ignore",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  for (const version of [1, 2, 3]) {
    const loud = `console.log("loud"); process.stdout.write("loud\\n");`;
    project.save({ "server.ts": serverOf(`tool("a", "1"), tool("b${version}", "2")`, loud) });
    await expect.poll(() => changes, { interval: 20 }).toBe(version);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["a", `b${version}`]);
  }
  expect(faults).toEqual([]);
});

test("it ends with its client, and leaves no process behind", async () => {
  const before = `console.error("process " + process.pid);`;
  project.save({ "server.ts": serverOf(`tool("a", "1")`, before) });
  const dev = start();
  const pid = Number(await dev.said(/process (\d+)/));
  dev.child.stdin?.end();
  expect(await end(dev)).toBe(0);
  expect(() => process.kill(pid, 0)).toThrow();
});

test.each([
  ["SIGTERM", 0],
  ["SIGKILL", null],
] as const)("no process is left behind after %s", async (signal, code) => {
  // A timer of the program does not keep it.
  project.save({
    "server.ts": serverOf(`tool("a", "1")`, `console.error("process " + process.pid); setInterval(() => {}, 1e6);`),
  });
  const dev = start("--http", "0");
  const pid = Number(await dev.said(/process (\d+)/));
  await dev.said(address);
  dev.child.kill(signal);
  expect(await end(dev)).toBe(code);
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test.each([
  ["an unknown option", () => ["--nonsense"], 2, /Unknown option --nonsense/],
  ["a port that is in use", takePort, 1, /EADDRINUSE|in use/],
] as const)("it ends with the exit code of the server for %s", async (_name, args, code, message) => {
  const dev = start(...(await args()));
  expect(await end(dev)).toBe(code);
  expect(dev.log()).toMatch(message);
});

async function takePort(): Promise<readonly string[]> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const place = server.address();
  return ["--http", String(typeof place === "object" ? place?.port : place)];
}

test("a server over HTTP that crashes starts again after the next change", async () => {
  const crash = "setTimeout(() => { throw new Error('broken timer'); }, 200);";
  project.save({ "server.ts": serverOf(`tool("a", "1")`, crash) });
  const dev = start("--http", "0");
  await dev.said(/broken timer/);
  await dev.said(/the server has ended with code 1; it starts again after the next change/);
  const known = dev.log().length;
  project.save({ "server.ts": serverOf(`tool("a", "2")`) });
  await expect.poll(() => dev.log().slice(known)).toMatch(address);
});

test("a server over HTTP that has crashed starts again when a syntax error is undone", async () => {
  const marker = join(project.folder, "crash");
  const crash = `import { existsSync } from "node:fs";
    setTimeout(() => { if (existsSync(${JSON.stringify(marker)})) throw new Error("broken timer"); }, 200);`;
  writeFiles(project.folder, [["crash", ""]]);
  project.save({ "server.ts": serverOf(`tool("a", "1")`, crash) });
  const dev = start("--http", "0");
  await dev.said(/it starts again after the next change/);
  rmSync(marker);
  project.save({ "server.ts": "const broken = ;" });
  await dev.said(/not built; the server starts after the next change/);
  const known = dev.log().length;
  project.save({ "server.ts": serverOf(`tool("a", "1")`, crash) });
  await expect.poll(() => dev.log().slice(known)).toMatch(address);
});

test("a program that serves nothing that can be swapped is started again at each change, with its arguments", async () => {
  const speak = (word: string): string =>
    `console.error("${word}", ...process.argv.slice(2)); setInterval(() => {}, 1e6);`;
  project.save({ "server.ts": speak("one") });
  const dev = start("--other", "1");
  await dev.said(/^one --other 1$/m);
  project.save({ "server.ts": speak("two") });
  await dev.said(/^\[dev\] started again/m);
  await dev.said(/^two --other 1$/m);
});

test("a server of `forRevisions` is swapped", async () => {
  const serving = (tool: string): string => `
    import { forRevisions, serveHttp } from "mcp-server-runtime";
    import { revision } from "mcp-server-runtime/2025-11-25";
    const { defineServer, defineTool } = forRevisions([revision]);
    const tools = [defineTool({ name: "${tool}", execute: () => "1" })];
    console.error("listening", (await serveHttp(defineServer({ name: "demo", version: "1.0.0", tools }))).url);`;
  project.save({ "server.ts": serving("one") });
  const dev = start();
  await dev.said(/^listening http/m);
  project.save({ "server.ts": serving("two") });
  await dev.said(/^\[dev\] reloaded; tools: -one, \+two$/m);
  expect(dev.log()).not.toContain("started again");
});

test("a program that cannot serve starts again after the next change, and a stop leaves no bundle behind", async () => {
  const [, port = ""] = await takePort();
  const serving = (at: string): string => `
    import { serveHttp } from "mcp-server-runtime";
    import { defineServer } from "./mcp/index.ts";
    console.error("listening", (await serveHttp(defineServer({ name: "demo", version: "1.0.0" }), { port: ${at} })).url);`;
  project.save({ "server.ts": serving(port) });
  const dev = start();
  await dev.said(/^\[dev\] not started: .*EADDRINUSE|^\[dev\] not started: .*in use/m);
  project.save({ "server.ts": serving("0") });
  await dev.said(/^listening http/m);
  expect(await dev.stop()).toBe(0);
  expect(readdirSync(join(project.folder, "dist")).filter((name) => name.includes(".dev-"))).toEqual([]);
});

test("a bundle that cannot be written is reported", async () => {
  const folder = join(project.folder, "dist");
  rmSync(folder, { recursive: true, force: true });
  writeFiles(project.folder, [["dist", ""]]);
  onTestFinished(() => rmSync(folder));
  const dev = start();
  await dev.said(/^\[dev\] the bundle cannot be written: /m);
  expect(await dev.stop()).toBe(0);
});

test("packages that are ECMAScript modules are loaded once, and others with each version", async () => {
  const count = (name: string): string => `globalThis.${name} = (globalThis.${name} ?? 0) + 1;`;
  writeFiles(project.folder, [
    [join("node_modules", "once", "package.json"), `{ "name": "once", "type": "module", "main": "index.js" }`],
    [join("node_modules", "once", "index.js"), `${count("modules")} export const state = [];`],
    [join("node_modules", "old", "package.json"), `{ "name": "old", "main": "index.js" }`],
    [join("node_modules", "old", "index.js"), `${count("scripts")} exports[["na", "me"].join("")] = __dirname;`],
  ]);
  const before = (version: number): string => `
    import { state } from "once";
    import { name } from "old";
    state.push(${version});
    console.error(state.join(), globalThis.modules, globalThis.scripts, name === import.meta.dirname, import.meta.url.includes("/dist/"));
  `;
  project.save({ "server.ts": serverOf(`tool("a", "1")`, before(1)) });
  const dev = start("--http", "0");
  await dev.said(/^1 1 1 true true$/m);
  project.save({ "server.ts": serverOf(`tool("a", "2")`, before(2)) });
  await dev.said(/^1,2 1 2 true true$/m);
});
