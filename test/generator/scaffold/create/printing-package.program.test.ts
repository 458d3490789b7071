import { execFile, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { initialize } from "../../../kit/messages.ts";
import { emitFiles, linkPackages, writeFiles } from "../../../kit/projects.ts";

const run = promisify(execFile);
const children: ChildProcessWithoutNullStreams[] = [];
let folder = "";

/** Prints while it is loaded, and whenever it gets a signal. */
const noisy = `
console.log("noisy is loaded");
process.stdout.write("noisy has written\\n");
process.on("SIGUSR2", () => console.log("noisy got a signal"));
exports.noise = 1;
`;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "create-")));
  const project = await emitFiles({ folder, selection: { extras: "none", transport: "both" } });
  const server = project.get("src/server.ts") ?? "";
  writeFiles(folder, [
    ...project,
    [
      "src/server.ts",
      server.replace('import "mcp-server-runtime/stdout";\n', 'import "mcp-server-runtime/stdout";\nimport "noisy";\n'),
    ],
    ["node_modules/noisy/package.json", '{ "name": "noisy", "version": "1.0.0", "main": "index.js" }'],
    ["node_modules/noisy/index.js", noisy],
  ]);
  linkPackages(folder, ["esbuild", "@esbuild", "zod"]);
  await run(process.execPath, ["build.js"], { cwd: folder });
});

afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [join(folder, "dist", "server.js"), ...args]);
  children.push(child);
  return child;
}

test("output of a package while it is loaded goes to stderr on stdio", async () => {
  const child = start();
  child.stdin.end(`${JSON.stringify(initialize("2025-11-25"))}\n`);
  const [output, log] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(output.trimEnd().split("\n")).toHaveLength(1);
  expect(JSON.parse(output)).toMatchObject({ id: 0, result: { serverInfo: { name: "demo" } } });
  expect(log).toContain("noisy is loaded\nnoisy has written\n");
});

test("the version is still printed on stdout", async () => {
  const child = start("--version");
  expect(await text(child.stdout)).toBe("0.1.0\n");
});

test.skipIf(process.platform === "win32")("a server over HTTP can write to stdout once it listens", async () => {
  const child = start("--http", "0");
  let log = "";
  child.stderr.on("data", (chunk) => (log += String(chunk)));
  await expect.poll(() => log).toContain("is served at");
  child.kill("SIGUSR2");
  const [output] = await once(child.stdout, "data");
  expect(String(output)).toBe("noisy got a signal\n");
});
