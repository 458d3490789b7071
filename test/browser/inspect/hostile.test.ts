import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../chromium.ts";
import { openPage, startInspect, type Inspected, type Inspector } from "./inspected.ts";

/* Text of a hostile server is shown as text: in names, descriptions, schemas, results, errors, the log, media types and URIs. */

const texts = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "<svg/onload=alert(1)>",
  "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "' onfocus='alert(1)' autofocus='",
  "</textarea><script>alert(1)</script>",
  "</style><script>alert(1)</script>",
  "<a href=javascript:alert(1)>x</a>",
  "<meta http-equiv=refresh content='0;url=https://example.com/'>",
  "<link rel=stylesheet href=https://example.com/x.css>",
  "\u202etxt.exe\u0000\u001b[31m\u2028",
  "__proto__",
  "{{constructor.constructor('alert(1)')()}}",
];

let browser: Browser;
let inspector: Inspector;
let opened: Inspected;

beforeAll(async () => {
  const server = join(import.meta.dirname, "hostile-server.mjs");
  const env = `HOSTILE_TEXTS=${JSON.stringify(texts)}`;
  [browser, inspector] = await Promise.all([
    startBrowser(),
    startInspect("--env", env, "--", process.execPath, server),
  ]);
  opened = await openPage(browser, inspector.url);
});

afterAll(async () => {
  await browser.close();
  await inspector.stop();
});

test.each([
  ["Tools", "Call"],
  ["Resources", "Read"],
  ["Prompts", "Get prompt"],
])("%s of a hostile server are text", async (tab, action) => {
  const { page } = opened;
  await page.getByRole("tab", { name: tab }).click();
  await page.locator(".item").first().waitFor();
  const count = await page.locator(".item").count();
  expect(count).toBeGreaterThanOrEqual(texts.length);
  for (let at = 0; at < count; at += 1) {
    await page.locator(".item").nth(at).click();
    const button = page.locator(".item-details").getByRole("button", { name: action });
    if ((await button.count()) === 0) continue;
    await button.click();
    await page.getByRole("region", { name: "Result" }).waitFor();
    if (tab === "Tools" && at > 2) break;
  }
  await expectOnlyText();
});

test("the log, the server and the messages of a hostile server are text", async () => {
  const { page } = opened;
  for (const tab of ["Log", "Server", "Request"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.locator(".panel-body").waitFor();
    await expectOnlyText();
  }
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".rows").focus();
  await page.keyboard.press("End");
  for (let at = 0; at < 25; at += 1) {
    await page.locator(".message-details").waitFor();
    await expectOnlyText();
    await page.keyboard.press("ArrowUp");
  }
});

/** No element came from text, nothing ran, nothing was loaded, and no link leads elsewhere. */
async function expectOnlyText(): Promise<void> {
  const { page, troubles } = opened;
  expect(await page.locator("script, svg, iframe, link[href^='http'], meta[http-equiv], style").count()).toBe(1);
  expect(await page.locator("img, a[href]:not([href^='http'])").count()).toBe(0);
  const handlers = await page.evaluate(
    "[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames().filter((name) => /^on/.test(name))).length",
  );
  expect(handlers).toBe(0);
  expect(await page.locator("body").textContent()).not.toMatch(/[\u202e\u0000\u001b]/);
  const names = await page.evaluate(
    "['placeholder', 'title', 'aria-label'].flatMap((name) => [...document.querySelectorAll(`[${name}]`)].map((one) => one.getAttribute(name))).join()",
  );
  expect(names).not.toMatch(/[\u202e\u0000\u001b]/);
  expect(troubles).toEqual([]);
}
