import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBrowser } from "../chromium.ts";
import { everything, findViolations, openPage, select, startInspect, type Inspector } from "./inspected.ts";

let browser: Browser;
let inspector: Inspector;

beforeAll(async () => {
  [browser, inspector] = await Promise.all([startBrowser(), startInspect(everything)]);
});

afterAll(async () => {
  await browser.close();
  await inspector.stop();
});

/** States of the page, each with something to see. */
const views: readonly (readonly [name: string, show: (page: Page) => Promise<void>])[] = [
  [
    "a tool with its result",
    async (page) => {
      await select(page, "Tools", "test_multiple_content_types");
      await page.getByRole("button", { name: "Call" }).click();
      await page.getByRole("region", { name: "Result" }).waitFor();
    },
  ],
  [
    "a form of the server",
    async (page) => {
      await select(page, "Tools", "test_elicitation_sep1330_enums");
      await page.getByRole("button", { name: "Call" }).click();
      await page.getByRole("region", { name: "The server requests input" }).waitFor();
    },
  ],
  [
    "a request for a message of a model",
    async (page) => {
      await page
        .getByRole("region", { name: "The server requests input" })
        .getByRole("button", { name: "Decline" })
        .click();
      await select(page, "Tools", "test_sampling");
      await page.getByRole("button", { name: "Call" }).click();
      const form = page.getByRole("region", { name: "The server requests a message of a model" });
      await form.getByRole("button", { name: "Return an error" }).waitFor();
    },
  ],
  [
    "a comparison of two revisions",
    async (page) => {
      const form = page.getByRole("region", { name: "The server requests a message of a model" });
      await form.getByRole("button", { name: "Return an error" }).click();
      await page.getByLabel("Compare with").selectOption("2024-11-05");
      await select(page, "Tools", "test_simple_text");
      await page.getByRole("button", { name: "Call at both" }).click();
      await page.locator(".outcome .comparison").waitFor();
    },
  ],
  ...["Resources", "Prompts", "Tasks", "Log", "Request", "Server"].map(
    (tab) => [tab, (page: Page) => page.getByRole("tab", { name: tab }).click()] as const,
  ),
];

describe.each(["light", "dark"] as const)("the page where the reader prefers %s", (colorScheme) => {
  let page: Page;

  beforeAll(async () => {
    ({ page } = await openPage(browser, inspector.url, { colorScheme }));
  });

  test.each(views)("%s has no violations of accessibility rules", async (_name, show) => {
    await show(page);
    expect(await findViolations(page)).toEqual([]);
  });

  test("a message with its details has no violations of accessibility rules", async () => {
    // Only messages in view are elements.
    await page.getByLabel("Problems only").check();
    await page.locator(".row", { hasText: "lost" }).first().click();
    await page.locator(".message-details").waitFor();
    expect(await findViolations(page)).toEqual([]);
  });
});

test.each([360, 900, 1600])("no part is cut off where the window is %d pixels wide", async (width) => {
  const { page } = await openPage(browser, inspector.url, { viewport: { width, height: 800 } });
  const expectFit = async (): Promise<void> => {
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThanOrEqual(800);
  };
  await expectFit();
  await select(page, "Tools", "greet");
  await page.getByLabel("name").fill("Ada");
  await page.getByRole("button", { name: "Call" }).click();
  await page.getByText("Hello, Ada!").waitFor();
  await expectFit();
  if (width < 1100) await page.getByRole("tab", { name: "Messages" }).click();
  await page.locator(".row").last().click();
  await page.locator(".message-details").waitFor();
  await expectFit();
});
