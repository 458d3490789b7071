import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../kit/programs.ts";
import { startBrowser } from "./chromium.ts";

const folder = mkdtempSync(join(tmpdir(), "page-"));
let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A page, and everything that went wrong in it. */
async function open(older: string, newer: string, options: Parameters<Browser["newPage"]>[0] = {}): Promise<Opened> {
  const file = await writePage(older, newer);
  const page = await browser.newPage(options);
  const troubles: string[] = [];
  page.on("console", (message) => troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("dialog", (dialog) => void dialog.dismiss().then(() => troubles.push(dialog.message())));
  page.on("request", (request) => request.url().startsWith("file:") || troubles.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  return { page, troubles };
}

async function writePage(older: string, newer: string): Promise<string> {
  const file = join(folder, `${older}-${newer}.html`);
  if (existsSync(file)) return file;
  const { code, stderr } = await runCli(["diff", older, newer, "--format", "html", "--output", file], { cwd: folder });
  expect(code, stderr).toBe(0);
  return file;
}

interface Opened {
  readonly page: Page;
  readonly troubles: readonly string[];
}

describe("the page of two revisions", () => {
  let opened: Opened;

  beforeAll(async () => {
    opened = await open("2025-11-25", "2026-07-28");
  });

  test("the page shows the timeline with both revisions, and their methods", async () => {
    const { page, troubles } = opened;
    expect(await page.locator(".timeline li").count()).toBe(5);
    expect(await page.locator(".timeline .compared b").allTextContents()).toEqual(["2025-11-25", "2026-07-28"]);
    const cells = page.locator("#matrix tr", { hasText: "server/discover" }).locator("td");
    expect(await cells.allTextContents()).toEqual(["–", "–", "–", "–", "client"]);
    expect(troubles).toEqual([]);
  });

  test("the page finds entries with every search word, and shows all again", async () => {
    const { page, troubles } = opened;
    const rows = page.locator("[data-row]");
    const all = await rows.count();
    await page.getByLabel("Search").fill("Elicitation breaking");
    const shown = await page.locator("[data-row]:visible").allTextContents();
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.length).toBeLessThan(all / 4);
    for (const text of shown) expect(text.toLowerCase()).toMatch(/(?=.*elicitation)(?=.*breaking)/s);
    expect(await page.locator("#count").textContent()).toBe(`${shown.length} of ${all}`);
    await page.getByLabel("Search").fill("");
    expect(await page.locator("[data-row]:visible").count()).toBe(all);
    expect(troubles).toEqual([]);
  });

  test("the page opens changes side by side", async () => {
    const { page } = opened;
    const details = page.locator("details", { has: page.locator("summary", { hasText: /^CallToolResult$/ }) });
    expect(await details.locator("pre").first().isVisible()).toBe(false);
    await details.locator("summary").click();
    const boxes = await Promise.all((await details.locator("td").all()).map((cell) => cell.boundingBox()));
    expect(boxes).toHaveLength(2);
    expect(boxes[0]?.y).toBe(boxes[1]?.y);
    expect(await details.locator("ins").count()).toBeGreaterThan(0);
  });
});

test.each([360, 800, 1600])("the page is not cut off where the window is %d pixels wide", async (width) => {
  const { page } = await open("2025-11-25", "2026-07-28", { viewport: { width, height: 800 } });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  expect(await page.getByLabel("Search").isVisible()).toBe(true);
});

test.each(["light", "dark"] as const)(
  "the page has readable contrast where the reader prefers %s",
  async (colorScheme) => {
    const { page } = await open("2025-11-25", "2026-07-28", { colorScheme });
    for (const impact of ["breaking", "risky", "additive", "neutral"]) {
      expect(await contrastOf(page, `.verdict.${impact}`), impact).toBeGreaterThanOrEqual(4.5);
    }
    expect(await contrastOf(page, "thead th")).toBeGreaterThanOrEqual(4.5);
  },
);

test("the page shows text of servers as text, whatever it contains", async () => {
  const name = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
  const list = (tools: readonly object[]): string => JSON.stringify({ server: { name, version: "1" }, tools });
  const tool = { name: "evil", description: name, inputSchema: { type: "object" } };
  writeFileSync(join(folder, "a.json"), list([tool]));
  writeFileSync(join(folder, "b.json"), list([{ ...tool, description: `${name}${name}` }]));
  const { page, troubles } = await open("a.json", "b.json");
  expect(await page.locator("img").count()).toBe(0);
  expect(await page.locator("script").count()).toBe(1);
  expect(await page.locator("body").textContent()).toContain("<script>alert(2)</script>");
  expect(troubles).toEqual([]);
});

/** The contrast of text to what is behind it, as readability rules count it; both drawn, so that transparency counts. */
async function contrastOf(page: Page, selector: string): Promise<number> {
  const [text = [], back = []] = await page.locator(selector).first().evaluate(readColors);
  const [lighter = 0, darker = 0] = [luminance(text), luminance(back)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function readColors(element: Element): number[][] {
  const canvas = document.createElement("canvas");
  const brush = canvas.getContext("2d");
  const layers: string[] = [];
  for (let at: Element | null = element; at; at = at.parentElement)
    layers.unshift(getComputedStyle(at).backgroundColor);
  return [[], [getComputedStyle(element).color]]
    .map((top) => {
      for (const color of [...layers, ...top]) {
        if (!brush) continue;
        brush.fillStyle = color;
        brush.fillRect(0, 0, 1, 1);
      }
      return [...(brush?.getImageData(0, 0, 1, 1).data ?? [])];
    })
    .reverse();
}

function luminance(rgb: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
