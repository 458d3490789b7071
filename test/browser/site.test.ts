import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readGroups } from "../../.build/site-sidebar.ts";
import { run } from "../kit/programs.ts";
import { searches } from "../docs/searches.ts";
import { serveRaw, type RawServer } from "../kit/raw-server.ts";
import { createTemporaryFolder } from "../kit/temporary-folders.ts";
import { startBrowser } from "./chromium.ts";

/* The site of the documentation, served as files. `DOCS_SITE` names the folder of a built one; without it, the site is built here. */

const root = join(import.meta.dirname, "..", "..");

const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

let browser: Browser;
let server: RawServer;

beforeAll(async () => {
  const folder = process.env["DOCS_SITE"] ?? (await buildSite());
  server = await serveFiles(folder);
  browser = await startBrowser();
}, 600_000);

afterAll(async () => {
  await browser.close();
  await server.close();
});

async function buildSite(): Promise<string> {
  const folder = join(await createTemporaryFolder("site"), "site");
  const args = ["--import", "tsx", join(".build", "site.ts"), "--out", folder];
  const { code, output } = await run(process.execPath, args, { cwd: root, signal: AbortSignal.timeout(590_000) });
  expect(code, output).toBe(0);
  return folder;
}

/** Serves the files of a folder, as any host of static files does. */
function serveFiles(folder: string): Promise<RawServer> {
  return serveRaw((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = join(folder, decodeURIComponent(pathname.endsWith("/") ? `${pathname}index.html` : pathname));
    readFile(file).then(
      (bytes) => response.writeHead(200, { "content-type": types[extname(file)] ?? "font/woff2" }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
}

interface Opened {
  readonly page: Page;
  /** Output of the page, failed requests, and requests to other addresses. */
  readonly troubles: readonly string[];
}

async function open(path: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1600, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const troubles: string[] = [];
  page.on("console", (message) => troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("request", (request) => {
    if (!/^data:/.test(request.url()) && !request.url().startsWith(`${server.origin}/`)) troubles.push(request.url());
  });
  page.on("response", (response) => {
    if (response.status() >= 400) troubles.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(`${server.origin}${path}`, { waitUntil: "networkidle" });
  return { page, troubles };
}

describe("the site of the documentation", () => {
  test("the index leads to guides, to the protocol and to the API", async () => {
    const { page, troubles } = await open("/");
    await page.locator(".actions").getByRole("link", { name: "All guides" }).click();
    await page.locator("h1", { hasText: "Guides" }).waitFor();
    await page.locator(".vp-doc a", { hasText: "First server" }).click();
    await page.waitForURL("**/first-server.html");
    await page.locator("h1", { hasText: "First server" }).waitFor();
    const bar = page.getByRole("navigation", { name: "Main Navigation" });
    await bar.getByRole("link", { name: "Protocol" }).click();
    await page.locator(".vp-doc td a", { hasText: /^tools\/call$/ }).click();
    await page.waitForURL("**/protocol/tools.html#toolscall");
    await expect.poll(() => page.locator("#toolscall").isVisible()).toBe(true);
    await bar.getByRole("link", { name: "API" }).click();
    await page.locator(".vp-doc a", { hasText: /^mcp-server-runtime\/tasks$/ }).click();
    await page.locator("h1", { hasText: "mcp-server-runtime/tasks" }).waitFor();
    expect(troubles).toEqual([]);
  });

  test.each([
    ["a message", "elicitation/create", /protocol\/elicitation\.html#elicitationcreate$/],
    ["a guide", "record a server", /record-and-replay\.html/],
    ["a name of the API", "connectClient", /api\/mcp-server-runtime\/.*#connectclient$/],
  ])("the search finds %s", async (_, words, address) => {
    const { page, troubles } = await open("/");
    const box = page.getByRole("searchbox");
    // The key does nothing until the scripts of the page have run.
    await expect.poll(() => page.keyboard.press("Control+k").then(() => box.isVisible())).toBe(true);
    await box.fill(words);
    const links = page.locator(".VPLocalSearchBox a.result");
    const addresses = (): Promise<string[]> =>
      links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
    await expect.poll(async () => (await addresses()).filter((each) => address.test(each)).length).toBeGreaterThan(0);
    await page.locator(`a.result[href="${(await addresses()).find((each) => address.test(each))}"]`).click();
    await page.waitForURL(address);
    expect(troubles).toEqual([]);
  });

  test("the sidebar has the groups of the guides, and each guide once", async () => {
    const { page } = await open("/guides.html");
    const groups = readGroups(await readFile(join(root, "docs", "README.md"), "utf8"));
    const shown = (): Promise<string[]> => page.locator(".VPSidebar h2").allTextContents();
    expect((await shown()).map((text) => text.trim())).toEqual([...groups.map(({ text }) => text), "Protocol", "API"]);
    for (const { link } of groups.flatMap(({ items }) => items))
      expect(await page.locator(`.VPSidebar a[href="${link}.html"]`).count(), link).toBe(1);
  });

  test.each(searches)("the words %j find the guide %s first", async (words, guide) => {
    const { page } = await open("/guides.html");
    const box = page.getByRole("searchbox");
    await expect.poll(() => page.keyboard.press("Control+k").then(() => box.isVisible())).toBe(true);
    await box.fill(words);
    const first = page.locator(".VPLocalSearchBox a.result").first();
    await expect.poll(() => first.getAttribute("href")).toMatch(new RegExp(`^/${guide}\\.html(#|$)`));
    expect(await page.locator(".VPLocalSearchBox a.result", { hasText: "Not exported" }).count()).toBe(0);
  });

  test.each(
    [360, 768, 1440].flatMap((width) =>
      (["light", "dark"] as const).map((colorScheme) => [width, colorScheme] as const),
    ),
  )("the landing page fits %d pixels where the reader prefers %s, and is accessible", async (width, colorScheme) => {
    const { page, troubles } = await open("/", { viewport: { width, height: 900 }, colorScheme });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    const picture = page.locator(".vp-doc picture img");
    await picture.scrollIntoViewIfNeeded();
    await expect.poll(() => picture.evaluate((image) => image.clientWidth)).toBeGreaterThan(200);
    await expect
      .poll(() => picture.evaluate((image) => (image instanceof HTMLImageElement ? image.currentSrc : "")))
      .toContain(colorScheme);
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
    // The label of the button for the search leaves out the keys beside it.
    expect(
      await page.evaluate(`axe.run({ exclude: [".DocSearch-Button"] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`),
    ).toEqual([]);
    const folder = process.env["SITE_PICTURES"];
    if (folder !== undefined)
      await page.screenshot({ path: join(folder, `home-${width}-${colorScheme}.png`), fullPage: true });
    expect(troubles).toEqual([]);
  });

  test("the page is light or dark as the reader prefers, and the switch changes it", async () => {
    const { page, troubles } = await open("/protocol/tools.html", { colorScheme: "dark" });
    const background = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const dark = await background();
    await page.getByRole("switch", { name: /theme/ }).first().click();
    await expect.poll(background).not.toBe(dark);
    expect(await page.locator("html.dark").count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  test("the charts of a page are part of the site", async () => {
    const { page, troubles } = await open("/benchmarks.html");
    const widths = page.locator(".vp-doc picture img").evaluateAll((all) => all.map((image) => image.clientWidth));
    expect((await widths).filter((width) => width < 200)).toEqual([]);
    expect((await widths).length).toBeGreaterThan(3);
    expect(troubles).toEqual([]);
  });

  test("tables scroll by themselves where the window is narrow", async () => {
    const { page } = await open("/protocol/tools.html", { viewport: { width: 360, height: 800 } });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
  });
});
