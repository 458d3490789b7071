import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../chromium.ts";
import { openPage, select, startInspect, type Inspected, type Inspector } from "./inspected.ts";

/* Forms for schemas, and views of values, that are odd, but valid: what a person fills in is what the server receives. */

const tools = [
  {
    name: "numbers",
    inputSchema: { type: "object", properties: { ratio: { type: "number" }, count: { type: "integer" } } },
  },
  {
    name: "recursive",
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`self-${at}`, { $ref: "#" }])),
    },
  },
  {
    name: "groups",
    inputSchema: {
      type: "object",
      properties: {
        place: {
          type: "object",
          properties: { city: { type: "string" }, code: { type: "string" } },
          required: ["city"],
        },
        words: { type: "array", items: { type: "string" } },
        pairs: { type: "array", items: { enum: [{ a: 1 }, "b"] } },
      },
    },
  },
  { name: "deep", inputSchema: { type: "object" } },
  { name: "repeated", inputSchema: { type: "object" } },
  { name: "explained", inputSchema: { type: "object" } },
];

const prompts = [{ name: "inherited", arguments: [{ name: "constructor" }, { name: "__proto__" }, { name: "city" }] }];

const resourceTemplates = [{ name: "inherited", uriTemplate: "x://{constructor}/{city}" }];

const texts = {
  deep: "[".repeat(20_000) + "]".repeat(20_000),
  repeated: '{"celsius":4,"city":"Oslo"}',
  explained: "4 degrees",
};

const structured = { repeated: { city: "Oslo", celsius: 4 }, explained: { celsius: 4 } };

let browser: Browser;
let inspector: Inspector;
let opened: Inspected;
let page: Page;

beforeAll(async () => {
  const server = join(import.meta.dirname, "listed-server.mjs");
  const env = `LISTS=${JSON.stringify({ tools, prompts, resourceTemplates, texts, structured })}`;
  [browser, inspector] = await Promise.all([
    startBrowser(),
    startInspect("--env", env, "--", process.execPath, server),
  ]);
  opened = await openPage(browser, inspector.url);
  ({ page } = opened);
});

afterAll(async () => {
  await browser.close();
  await inspector.stop();
});

const details = () => page.locator(".item-details");

/** Sends the form, and expects what the server receives. */
async function expectReceived(button: string, received: object): Promise<void> {
  await details().getByRole("button", { name: button }).click();
  const result = page.getByRole("region", { name: "Result" });
  await expect.poll(() => result.textContent()).toContain(`Received ${JSON.stringify(received)}`);
}

test.each([
  ["repeated", "Structured content, also sent as text", 0],
  ["explained", "Structured content", 1],
])("structured content and the text of the tool %s are not the same JSON twice", async (tool, title, count) => {
  await select(page, "Tools", tool);
  await details().getByRole("button", { name: "Call" }).click();
  const result = page.getByRole("region", { name: "Result" });
  await result.getByRole("heading", { name: title, exact: true }).waitFor();
  expect(await result.locator(".blocks").count()).toBe(count);
  expect(await result.locator(".json").count()).toBe(1);
});

test("a result that is the same at two revisions is shown once", async () => {
  await page.getByLabel("Compare with").selectOption("2024-11-05");
  await select(page, "Tools", "numbers");
  await page.getByText(/^Definition at .*: the same$/).waitFor();
  await details().getByRole("button", { name: "Call at both" }).click();
  const result = page.getByRole("region", { name: "Result" });
  await result.getByText("Both are the same.").waitFor();
  expect(await result.getByText("Received {}").count()).toBe(1);
  await page.getByLabel("Compare with").selectOption("");
});

test.each(["0.05", "-0.5", "1.05", "1.50"])("the number %s is typed key by key", async (text) => {
  await select(page, "Tools", "numbers");
  await details().getByLabel("ratio").fill("");
  await details().getByLabel("ratio").pressSequentially(text);
  expect(await details().getByLabel("ratio").inputValue()).toBe(text);
  await expectReceived("Call", { ratio: Number(text) });
});

test("an integer that is none is reported, and sent nevertheless", async () => {
  await select(page, "Tools", "numbers");
  await details().getByLabel("ratio").fill("");
  await details().getByLabel("count").fill("1.5");
  expect(await details().locator(".issues").textContent()).toContain("do not fit the schema (1)");
  await expectReceived("Call", { count: 1.5 });
  await details().getByLabel("count").fill("");
});

test("a schema that contains itself eight times has fields for the objects that are added", async () => {
  await select(page, "Tools", "recursive");
  expect(
    await details()
      .getByRole("button", { name: /^Add self-/ })
      .count(),
  ).toBe(8);
  await details().getByRole("button", { name: "Add self-3" }).click();
  expect(
    await details()
      .getByRole("button", { name: /^Add self-/ })
      .count(),
  ).toBe(15);
  await expectReceived("Call", { "self-3": {} });
});

test("an object that is optional is added and removed", async () => {
  await select(page, "Tools", "groups");
  await expectReceived("Call", {});
  await details().getByRole("button", { name: "Add place" }).click();
  await details().getByLabel("code").fill("x");
  await expectReceived("Call", { place: { city: "", code: "x" } });
  await details().getByRole("button", { name: "Remove place" }).click();
  await expectReceived("Call", {});
});

test("an item that is empty again is an empty text, and an optional list without items is absent", async () => {
  await select(page, "Tools", "groups");
  await details().getByRole("button", { name: "Add item" }).click();
  await details().getByLabel("Item 1", { exact: true }).fill("x");
  await details().getByLabel("Item 1", { exact: true }).fill("");
  await expectReceived("Call", { words: [""] });
  await details().getByRole("button", { name: "Remove item 1" }).click();
  await expectReceived("Call", {});
});

test("an option that is an object is selected in a list that was written as JSON", async () => {
  await select(page, "Tools", "groups");
  await details().getByRole("button", { name: "JSON" }).click();
  await details().getByLabel("Arguments as JSON").fill('{"pairs":[{"a":1},"b"]}');
  await details().getByRole("button", { name: "Form" }).click();
  await details().getByLabel('{"a":1}').uncheck();
  await expectReceived("Call", { pairs: ["b"] });
});

test("arguments and variables with names of inherited members are empty at first", async () => {
  await select(page, "Prompts", "inherited");
  expect(await details().getByLabel("constructor").inputValue()).toBe("");
  await details().getByLabel("__proto__").fill("x");
  await expectReceived("Get prompt", JSON.parse('{"__proto__":"x"}'));
  await select(page, "Resources", "x://{constructor}/{city}");
  expect(await details().getByLabel("constructor").inputValue()).toBe("");
  await details().getByLabel("constructor").fill("y");
  expect(await details().locator(".block-head code").textContent()).toBe("x://y/");
});

test("suggestions follow the other arguments", async () => {
  await select(page, "Prompts", "inherited");
  for (const word of ["one", "two"]) {
    await details().getByLabel("constructor").fill(word);
    await details().getByLabel("city").focus();
    await details()
      .getByRole("button", { name: `after ${word}` })
      .first()
      .waitFor();
  }
});

test("a list with thousands of levels is folded", async () => {
  await select(page, "Tools", "deep");
  await details().getByRole("button", { name: "Call" }).click();
  const view = page.getByRole("region", { name: "Result" }).locator(".json");
  await view.waitFor();
  expect(await view.locator("details").count()).toBeLessThan(50);
  await view.locator("details:not([open]) summary").click();
  await view.locator("details:not([open]) summary").waitFor();
});

test("nothing went wrong in the page", () => {
  expect(opened.troubles).toEqual([]);
});
