import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { packageRoot } from "../../../generator/internal/package-info.ts";
import { address, createDevProject, startDev, type DevProcess, type DevProject } from "./dev-project.ts";

/* The page for calling a server, which its development server opens. */

const serverOf = (text: string, options = ""): string => `import "mcp-server-runtime/stdout";
import { defineServer, defineTool, run } from "./mcp/index.ts";
const say = defineTool({ name: "say", execute() { console.error("said ${text}"); return "${text}"; } });
await run(defineServer({ name: "demo", version: "1.0.0", tools: [say] })${options && `, ${options}`});
`;

const guarded = `{
  authenticate: (request) => (request.header("x-api-key") === "secret" ? { principal: "me" } : { status: 401 }),
}`;

let project: DevProject;
let link = "";

beforeAll(async () => {
  project = await createDevProject({ transport: "both", features: "tools" }, {});
  link = join(project.folder, "node_modules", "create-mcp-server");
});

afterAll(() => project.remove());

beforeEach(() => {
  project.save({ "server.ts": serverOf("1") });
  rmSync(link, { force: true, recursive: true });
  symlinkSync(packageRoot, link, "junction");
});

function start(...args: readonly string[]): DevProcess {
  const dev = startDev(project, ...args);
  onTestFinished(async () => void (await dev.stop()));
  return dev;
}

/** Adds a member to the options of `build.js`. */
function setOption(text: string): void {
  const file = join(project.folder, "build.js");
  const before = readFileSync(file, "utf8");
  onTestFinished(() => writeFileSync(file, before));
  writeFileSync(file, before.replace("import.meta.dirname,", `import.meta.dirname, ${text},`));
}

/** Returns a port at which a server listens again after it has ended. */
async function findFreePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const place = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(typeof place === "object" ? place?.port : place);
}

const page = /\[dev\] call it, and see its messages, at (\S+)/;

/** Returns the output of the server that the page shows. */
async function readOutput(url: string): Promise<string> {
  const { body } = await fetch(new URL("events", url));
  const events = body?.pipeThrough(new TextDecoderStream()).getReader() ?? expect.unreachable("there are no events");
  let text = "";
  while (!text.includes('{"kind":"output"')) text += (await events.read()).value ?? expect.unreachable("events end");
  await events.cancel();
  return text.slice(text.indexOf('{"kind":"output"'));
}

/** Returns the status of a request with any headers, which `fetch` would not permit. */
function send(url: URL, method: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? '{"roots":[]}' : undefined);
  });
}

describe("the page of a server over HTTP", () => {
  let dev: DevProcess;
  let url = "";

  beforeAll(async () => {
    project.save({ "server.ts": serverOf("1") });
    rmSync(link, { force: true, recursive: true });
    symlinkSync(packageRoot, link, "junction");
    dev = startDev(project, "--http", await findFreePort());
    url = await dev.said(page);
  });

  test("the page is served at the printed address, and not at the port of the server", async () => {
    expect((await fetch(url)).status).toBe(200);
    const server = await dev.said(address);
    expect(new URL(url).port).not.toBe(new URL(server).port);
    const { pathname } = new URL(url);
    for (const path of ["/inspect", "/inspect/", pathname])
      expect((await fetch(new URL(path, server))).status, path).toBe(404);
  });

  const json = { "content-type": "application/json" };

  test.each<readonly [string, string, string, Readonly<Record<string, string>>]>([
    ["no token", "GET", "/", {}],
    ["a wrong token", "GET", `/${"A".repeat(32)}/`, {}],
    ["another name of this machine", "GET", "", { host: "rebound.example" }],
    ["a command of another page", "POST", "roots", { ...json, origin: "https://evil.example" }],
    ["a command of a page of the server", "POST", "roots", { ...json, origin: "http://127.0.0.1:3000" }],
    ["a command of a page without an origin", "POST", "roots", { ...json, origin: "null" }],
    ["a command of a program without an origin", "POST", "roots", json],
  ])("a request with %s is rejected", async (_what, method, path, headers) => {
    expect(await send(new URL(path, url), method, headers)).toBe(403);
  });

  test("the page is not reachable from other machines", async () => {
    const outside = Object.values(networkInterfaces()).flatMap((list = []) => list.filter(({ internal }) => !internal));
    for (const { address: ip, family } of outside) {
      if (family !== "IPv4") continue;
      await expect(fetch(`http://${ip}:${new URL(url).port}/`), ip).rejects.toThrow("fetch failed");
    }
  });

  test("the page shows why a version is not built until one is, and what the server writes, but not its own address", async () => {
    project.save({ "server.ts": `${serverOf("2")}const = 1;` });
    await expect.poll(() => readOutput(url)).toMatch(/\[dev\] not built; the last version stays:.*server\.ts:5:7/);
    project.save({ "server.ts": serverOf("2") });
    await expect.poll(() => readOutput(url)).toContain("[dev] reloaded");
    const command = { id: "1", protocol: "2026-07-28", method: "tools/call", params: { name: "say", arguments: {} } };
    const headers = { ...json, origin: new URL(url).origin };
    await fetch(new URL("request", url), { method: "POST", headers, body: JSON.stringify(command) });
    await expect.poll(() => readOutput(url)).toContain("said 2");
    expect(await readOutput(url)).not.toContain(new URL(url).pathname);
  });

  test("the page stays when the server ends, and shows that it is served again", async () => {
    project.save({ "server.ts": `${serverOf("3")}setImmediate(() => process.exit(3));` });
    await expect.poll(() => readOutput(url)).toContain("the server has ended with code 3");
    project.save({ "server.ts": serverOf("4") });
    await expect.poll(() => readOutput(url)).toMatch(/has ended with code 3.*\[dev\] watching for changes/);
  });

  test("the page ends with its development server", async () => {
    expect(await dev.stop()).toBe(0);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });
});

test("the page ends when its development server is killed", async () => {
  const dev = start("--http", "0");
  const url = await dev.said(page);
  dev.child.kill("SIGKILL");
  await expect.poll(() => fetch(url).then(String, String)).toContain("fetch failed");
});

test("a server on every address has the page on this machine", async () => {
  vi.stubEnv("HOST", "0.0.0.0");
  vi.stubEnv("ALLOWED_HOSTS", "127.0.0.1,example.com");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await start("--http", "0").said(page)).toMatch(/^http:\/\/127\.0\.0\.1:/);
});

test("a server that requires credentials has a page with those of build.js, and a reason without them", async () => {
  project.save({ "server.ts": serverOf("1", guarded) });
  const without = start("--http", "0");
  await without.said(/\[dev\] no page: .* it requires credentials \(HTTP 401\)/);
  await without.stop();
  setOption(`inspect: ["--header-env", "X-API-Key=KEY"]`);
  vi.stubEnv("KEY", "secret");
  onTestFinished(() => void vi.unstubAllEnvs());
  await start("--http", "0").said(page);
});

test.each([
  ["on stdio", undefined, []],
  ["without the package", () => rmSync(link, { recursive: true }), ["--http", "0"]],
  ["with inspect: false", () => setOption("inspect: false"), ["--http", "0"]],
])("a server %s has no page", async (_what, prepare, args) => {
  prepare?.();
  const dev = start(...args);
  await dev.said(args.length > 0 ? address : /watching for changes/);
  project.save({ "server.ts": serverOf("2") });
  await dev.said(/\[dev\] reloaded/);
  expect(dev.log()).not.toMatch(/\[dev\] (?:call it|no page)/);
});

test("a bundle for production contains nothing of the page", () => {
  execFileSync(process.execPath, ["build.js"], { cwd: project.folder });
  expect(readFileSync(join(project.folder, "dist", "server.js"), "utf8")).not.toMatch(
    /create-mcp-server\/package\.json|call it, and see/,
  );
});
