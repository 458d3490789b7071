import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../../kit/programs.ts";
import { createTemporaryFolder } from "../../kit/temporary-folders.ts";
import { startBrowser } from "../chromium.ts";
import { everything, findViolations, openPage, startInspect, type Inspector } from "./inspected.ts";

interface Reply {
  readonly status: number | undefined;
  readonly text: string;
}

/** Sends a request with any headers, which `fetch` would not allow. */
function send(url: string, method: string, headers: Readonly<Record<string, string>>, body = ""): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

describe("access to the page", () => {
  let inspector: Inspector;

  beforeAll(async () => {
    inspector = await startInspect(everything);
  });

  afterAll(() => inspector.stop());

  test("the page is served with a policy that allows nothing but itself", async () => {
    const response = await fetch(inspector.url);
    expect(response.status).toBe(200);
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe/);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });

  const json = { "content-type": "application/json" };

  test.each<readonly [string, (url: URL) => Promise<Reply>, number, RegExp]>([
    [
      "a wrong token",
      ({ origin }) => send(`${origin}/${"A".repeat(32)}/`, "GET", {}),
      403,
      /token .* missing or wrong/,
    ],
    ["no token", ({ origin }) => send(origin, "GET", {}), 403, /token .* missing or wrong/],
    [
      "another host",
      ({ href }) => send(href, "GET", { host: "evil.example" }),
      403,
      /Host header must be 127\.0\.0\.1/,
    ],
    [
      "a command of another page",
      ({ href }) => send(`${href}roots`, "POST", { ...json, origin: "https://evil.example" }, '{"roots":[]}'),
      403,
      /Requests of other pages/,
    ],
    [
      "a command without an origin",
      ({ href }) => send(`${href}roots`, "POST", json, '{"roots":[]}'),
      403,
      /Requests of other pages/,
    ],
    [
      "a form of another type",
      ({ href, origin }) => send(`${href}roots`, "POST", { origin, "content-type": "text/plain" }, "{}"),
      415,
      /must be application\/json/,
    ],
    ["text that is no JSON", ({ href, origin }) => send(`${href}roots`, "POST", { ...json, origin }, "{"), 400, /JSON/],
    ["an unknown command", ({ href, origin }) => send(`${href}no`, "POST", { ...json, origin }, "{}"), 400, /unknown/],
    [
      "a root that is no folder",
      ({ href, origin }) => send(`${href}roots`, "POST", { ...json, origin }, '{"roots":["https://x"]}'),
      400,
      /is not a file:\/\/ URI/,
    ],
    ["an unknown path", ({ href }) => send(`${href}etc/passwd`, "GET", {}), 404, /no such page/],
    ["another method", ({ href, origin }) => send(href, "PUT", { origin }), 405, /Only GET and POST/],
    ["a document that was never shown", ({ origin }) => send(`${origin}/view/x`, "GET", {}), 404, /show it again/],
  ])("%s is rejected with a clear text", async (_name, run, status, text) => {
    const reply = await run(new URL(inspector.url));
    expect(reply.status).toBe(status);
    expect(reply.text).toMatch(text);
  });

  test("a document for a frame is served once, with a sandbox of its own", async () => {
    const { href, origin } = new URL(inspector.url);
    const reply = await send(`${href}view`, "POST", { ...json, origin }, '{"html":"<p>Hello"}');
    const { path } = JSON.parse(reply.text);
    const first = await fetch(new URL(path, origin));
    expect(await first.text()).toBe("<p>Hello");
    expect(first.headers.get("content-security-policy")).toMatch(/^sandbox allow-scripts; default-src 'none'/);
    expect((await fetch(new URL(path, origin))).status).toBe(404);
  });
});

describe("servers that fail", () => {
  test.each([
    [["--", "no-such-program"], /the server cannot be reached: the command no-such-program does not exist/],
    [["--", process.execPath, "-e", "process.exit(3)"], /the server cannot be reached: .*Run the command directly/s],
    [["http://127.0.0.1:9/mcp"], /the server cannot be reached: .*Check the address/s],
    [["--port", "99999", "--", "x"], /--port is not a port/],
    [[], /no server is given/],
  ])("inspect %j ends with a clear text", async (words, text) => {
    const { code, stderr } = await runCli(["inspect", ...words], { cwd: join(import.meta.dirname, "..") });
    expect(stderr).toMatch(text);
    expect(code).toBe(2);
  });

  test("a version that is not built is reported above the panels, and beside the server and the log, until one is", async () => {
    const folder = await createTemporaryFolder("developed");
    const file = join(folder, "server.mjs");
    await writeFile(file, developed);
    let browser: Browser | undefined;
    const inspector = await startInspect(file);
    try {
      browser = await startBrowser();
      const { page } = await openPage(browser, inspector.url);
      const call = async (tool: string): Promise<void> => {
        await page.locator(".item", { hasText: tool }).click();
        await page.getByRole("button", { name: "Call" }).click();
      };
      await call("breaks");
      await expect
        .poll(() => page.locator(".banner").textContent())
        .toContain("not built; the last version stays: src/a.ts:1:2");
      expect(await page.getByRole("tab", { name: "Log" }).textContent()).toBe("Log!");
      expect(await page.locator(".banner").textContent()).toContain("The page goes on with the last good version.");
      await page.locator(".identity .badge", { hasText: "last good version" }).waitFor();
      expect(await findViolations(page)).toEqual([]);
      await call("mends");
      await page.locator(".banner").waitFor({ state: "detached" });
      expect(await page.getByRole("tab", { name: "Log" }).textContent()).toBe("Log");
      expect(await page.locator(".identity .badge").count()).toBe(0);
    } finally {
      await browser?.close();
      await inspector.stop();
    }
  });

  test("a server that dies is reported on the page, and can be connected to again", async () => {
    const folder = await createTemporaryFolder("dying");
    const file = join(folder, "server.mjs");
    await writeFile(file, dying);
    let browser: Browser | undefined;
    const inspector = await startInspect(file);
    try {
      browser = await startBrowser();
      const { page } = await openPage(browser, inspector.url);
      await page.locator(".item", { hasText: "die" }).click();
      await page.getByRole("button", { name: "Call" }).click();
      await expect.poll(() => page.locator(".banner").textContent()).toMatch(/The session at .* has ended: .*goodbye/);
      await expect.poll(() => page.locator(".item-details .issue").textContent()).toContain("closed");
      await page.getByRole("button", { name: "Connect again" }).click();
      await page.locator(".banner").waitFor({ state: "detached" });
    } finally {
      await browser?.close();
      await inspector.stop();
    }
  });
});

const developed = `
import { createInterface } from "node:readline";
const inputSchema = { type: "object" };
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "developed", version: "1" } },
  "tools/list": { tools: [{ name: "breaks", inputSchema }, { name: "mends", inputSchema }] },
  "tools/call": { content: [] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (params?.name === "breaks") console.error("[dev] not built; the last version stays:\\n  src/a.ts:1:2: Expected identifier");
  if (params?.name === "mends") console.error("[dev] reloaded");
  if (id === undefined) return;
  const result = results[method];
  const error = { code: -32601, message: "Method not found" };
  console.log(JSON.stringify(result ? { jsonrpc: "2.0", id, result } : { jsonrpc: "2.0", id, error }));
});
`;

const dying = `
import { createInterface } from "node:readline";
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "dying", version: "1" } },
  "tools/list": { tools: [{ name: "die", inputSchema: { type: "object" } }] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "tools/call") { console.error("goodbye"); process.exit(1); }
  if (id === undefined) return;
  const result = results[method];
  const error = { code: -32601, message: "Method not found" };
  console.log(JSON.stringify(result ? { jsonrpc: "2.0", id, result } : { jsonrpc: "2.0", id, error }));
});
`;
