import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBrowser } from "../chromium.ts";
import { everything, openPage, select, startInspect, type Inspected, type Inspector } from "./inspected.ts";

/* Every part of the page, with the server of the examples. */

let browser: Browser;
let inspector: Inspector;
let opened: Inspected;
let page: Page;

beforeAll(async () => {
  [browser, inspector] = await Promise.all([startBrowser(), startInspect(everything)]);
  opened = await openPage(browser, inspector.url, { permissions: ["clipboard-read", "clipboard-write"] });
  ({ page } = opened);
});

afterAll(async () => {
  await browser.close();
  expect(await inspector.stop()).toBe(0);
});

const details = () => page.locator(".item-details");
const result = () => page.getByRole("region", { name: "Result" });

async function choose(protocol: string, other = ""): Promise<void> {
  await page.getByLabel("Revision", { exact: true }).selectOption(protocol);
  await page.getByLabel("Compare with").selectOption(other);
}

describe("tools", () => {
  test("a tool is found, called by its form, and its result is shown", async () => {
    await select(page, "Tools", "greet");
    await details().getByLabel("name").fill("Ada");
    await details().getByRole("button", { name: "Call" }).click();
    await expect.poll(() => result().textContent()).toContain("Hello, Ada!");
  });

  test("arguments are edited as JSON, and a deviation from the schema is reported before the call", async () => {
    await details().getByRole("button", { name: "JSON" }).click();
    await details().getByLabel("Arguments as JSON").fill('{"name": 5}');
    expect(await details().locator(".issues").textContent()).toContain("do not fit the schema (1)");
    await details().getByLabel("Arguments as JSON").fill('{"name": ');
    await details().locator(".editor [role=alert]").waitFor();
    await details().getByLabel("Arguments as JSON").fill('{"name": "Grace"}');
    await details().getByRole("button", { name: "Form" }).click();
    expect(await details().getByLabel("name").inputValue()).toBe("Grace");
  });

  test("images are shown as data, and text with an error as a failure", async () => {
    await select(page, "Tools", "test_image_content");
    await details().getByRole("button", { name: "Call" }).click();
    expect(await result().locator("img").getAttribute("src")).toMatch(/^data:image\/png;base64,/);
    await select(page, "Tools", "test_error_handling");
    await details().getByRole("button", { name: "Call" }).click();
    await expect.poll(() => result().textContent()).toContain("The tool reports an error.");
  });

  test("progress is shown while a tool runs, and a running call can be cancelled", async () => {
    await choose("2025-11-25");
    await select(page, "Tools", "slow_compute");
    await details().getByLabel("seconds").fill("60");
    await details().getByRole("button", { name: "Call" }).click();
    await details().getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => result().textContent()).toContain("The request was cancelled.");
    await choose("2026-07-28");
  });
});

describe.each(["2025-11-25", "2026-07-28"])("input requests at %s", (protocol) => {
  test("a form of the server is filled in by hand", async () => {
    await choose(protocol);
    await select(page, "Tools", "test_elicitation_sep1330_enums");
    await details().getByRole("button", { name: "Call" }).click();
    const form = page.getByRole("region", { name: "The server requests input" });
    await form.getByLabel("titledSingle", { exact: true }).selectOption("Number two");
    await form.getByLabel("Number three").first().check();
    await form.getByRole("button", { name: "Accept" }).click();
    await expect.poll(() => result().textContent()).toMatch(/action=accept.*"titledSingle":"two"/);
    await form.waitFor({ state: "detached" });
  });

  test("a form that does not fit stays open, and can be declined", async () => {
    await select(page, "Tools", "test_elicitation");
    await details().getByLabel("message").fill("Please");
    await details().getByRole("button", { name: "Call" }).click();
    const form = page.getByRole("region", { name: "The server requests input" });
    await form.getByRole("button", { name: "JSON" }).click();
    await form.getByLabel("Content as JSON").fill("{}");
    await form.getByRole("button", { name: "Accept" }).click();
    await expect.poll(() => form.textContent()).toContain("The form is incomplete");
    await form.getByRole("button", { name: "Decline" }).click();
    await expect.poll(() => result().textContent()).toContain("action=decline");
  });

  test("a message of the model is written by hand", async () => {
    await select(page, "Tools", "test_sampling");
    await details().getByLabel("prompt").fill("How are you?");
    await details().getByRole("button", { name: "Call" }).click();
    const form = page.getByRole("region", { name: "The server requests a message of a model" });
    expect(await form.textContent()).toContain("How are you?");
    await form.getByLabel("Message of the assistant").fill("Fine.");
    await form.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => result().textContent()).toContain("LLM response: Fine.");
  });

  test("two messages of the model are written at the same time", async () => {
    const forms = page.getByRole("region", { name: "The server requests a message of a model" });
    await details().getByRole("button", { name: "Call" }).click();
    await forms.waitFor();
    await details().getByRole("button", { name: "Call" }).click();
    await expect.poll(() => page.getByLabel("Message of the assistant").count()).toBe(2);
    expect(await page.getByLabel("Model", { exact: true }).count()).toBe(2);
    await forms.last().getByLabel("Message of the assistant").fill("Second.");
    await forms.last().getByRole("button", { name: "Send" }).click();
    await expect.poll(() => result().textContent()).toContain("LLM response: Second.");
    await forms.getByRole("button", { name: "Return an error" }).click();
    await forms.waitFor({ state: "detached" });
  });

  test("the server reads the roots that were set", async () => {
    await page.getByRole("tab", { name: "Server" }).click();
    await page.getByLabel("URIs that begin with file://, one on each line").fill("file:///home/ada");
    await page.getByRole("button", { name: "Set roots" }).click();
    await page.getByText("The roots are set").waitFor();
    await select(page, "Tools", "test_roots");
    await details().getByRole("button", { name: "Call" }).click();
    await expect.poll(() => result().textContent()).toContain("file:///home/ada");
  });
});

describe("resources and prompts", () => {
  test("a resource is read", async () => {
    await choose("2026-07-28");
    await select(page, "Resources", "test://static-text");
    await details().getByRole("button", { name: "Read" }).click();
    await expect.poll(() => result().textContent()).toContain("static text resource");
  });

  test("a template is filled in with completions of the server", async () => {
    await select(page, "Resources", "test://template/{id}/data");
    await details().getByLabel("id").fill("1");
    expect(await details().locator(".block-head code").first().textContent()).toContain("test://template/1/data");
    await details().getByRole("button", { name: "Read" }).click();
    await expect.poll(() => result().textContent()).toContain("test://template/1/data");
  });

  test("a view runs in a sandboxed frame without an origin, and receives the result of its tool", async () => {
    await select(page, "Tools", "show_time");
    await details().getByRole("button", { name: "Call" }).click();
    await details().getByRole("button", { name: "Show the view" }).click();
    const frame = page.locator("iframe");
    expect(await frame.getAttribute("sandbox")).toBe("allow-scripts");
    await page
      .frameLocator("iframe")
      .getByText(/^It is 20/)
      .waitFor();
    const inner = page.frames().find((one) => one.url().includes("/view/"));
    expect(await inner?.evaluate("origin")).toBe("null");
    expect(await inner?.evaluate("location.href")).not.toContain(new URL(inspector.url).pathname);
    const reached = await inner?.evaluate("fetch(location.origin).then(() => 'reached', () => 'blocked')");
    expect(reached).toBe("blocked");
  });

  test("a prompt is filled in with completions of the server", async () => {
    await select(page, "Prompts", "test_prompt_with_arguments");
    await details().getByLabel("arg1").fill("par");
    await details().getByLabel("arg2").fill("two");
    await details().getByRole("button", { name: "Get prompt" }).click();
    await expect.poll(() => result().textContent()).toContain("two");
  });
});

describe("tasks and log", () => {
  test("a tool runs as a task, whose result is fetched later", async () => {
    await choose("2025-11-25");
    await select(page, "Tools", "slow_compute");
    await details().getByLabel("seconds").fill("0.2");
    await details().getByLabel("as a task").check();
    await details().getByRole("button", { name: "Call" }).click();
    await expect.poll(() => result().textContent()).toContain("taskId");
    await page.getByRole("tab", { name: "Tasks" }).click();
    const card = page.locator(".card").first();
    await card.getByRole("button", { name: "Get result" }).click();
    await expect.poll(() => card.textContent()).toContain("work is done.");
    await expect.poll(() => card.locator(".badge").first().textContent()).toBe("completed");
  });

  test.each(["2025-11-25", "2026-07-28"])("log messages at %s are listed from the start", async (protocol) => {
    await choose(protocol);
    await select(page, "Tools", "test_tool_with_logging");
    await details().getByRole("button", { name: "Call" }).click();
    await expect.poll(() => result().textContent()).toContain("Three messages");
    await page.getByRole("tab", { name: "Log" }).click();
    await expect
      .poll(() => page.locator(".log li").allTextContents())
      .toEqual(expect.arrayContaining([expect.stringContaining("Tool processing data")]));
  });

  test.each(["2025-11-25", "2026-07-28"])(
    "the level of log messages at %s stays for later sessions",
    async (protocol) => {
      await choose(protocol);
      await page.getByRole("tab", { name: "Log" }).click();
      await page.getByLabel("Least severe level").selectOption("error");
      await page.getByRole("button", { name: "Set level" }).click();
      await page.getByText("The level is set.").waitFor();
      await page.getByRole("tab", { name: "Server" }).click();
      await page.getByRole("button", { name: "End the session" }).click();
      await page.getByRole("button", { name: "Connect again" }).click();
      await page.locator(".banner").waitFor({ state: "detached" });
      await page.getByRole("tab", { name: "Log" }).click();
      const before = await page.locator(".log li").count();
      await select(page, "Tools", "test_tool_with_logging");
      await details().getByRole("button", { name: "Call" }).click();
      await expect.poll(() => result().textContent()).toContain("Three messages");
      await page.getByRole("tab", { name: "Log" }).click();
      expect(await page.locator(".log li").count()).toBe(before);
    },
  );

  test("any request is sent with params as JSON", async () => {
    await choose("2025-11-25");
    await page.getByRole("tab", { name: "Request" }).click();
    await page.getByLabel("Method", { exact: true }).first().selectOption("ping");
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => result().locator(".badge").textContent()).toBe("Result");
  });
});

describe("revisions", () => {
  test("two revisions are compared: the list, the definitions and the results of a call", async () => {
    await choose("2026-07-28", "2024-11-05");
    await page.getByRole("tab", { name: "Tools" }).click();
    await page.getByLabel("Filter tools").fill("show_time");
    await expect.poll(() => page.locator(".item").textContent()).toContain("differs");
    await select(page, "Tools", "show_time");
    await page.getByText("Definition at 2026-07-28 and 2024-11-05: different").waitFor();
    await select(page, "Tools", "test_simple_text");
    await details().getByRole("button", { name: "Call at both" }).click();
    await expect.poll(() => result().textContent()).toMatch(/\d+ lines? differs?/);
    expect(await result().locator("th").allTextContents()).toEqual(["2026-07-28", "2024-11-05"]);
    expect(await result().locator("tr.differs").first().textContent()).toContain("differs");
  });

  test("a message that lost something in a conversion says what, and shows both sides", async () => {
    await choose("2024-11-05");
    await page.getByRole("tab", { name: "Tools" }).click();
    const row = page.locator(".row", { hasText: "lost" }).last();
    await page.getByLabel("Problems only").check();
    await row.click();
    const message = page.locator(".message-details");
    await expect.poll(() => message.textContent()).toContain("Lost in the conversion to the older revision");
    expect(await message.textContent()).toContain("Converted between the two sides");
    await page.getByLabel("Problems only").uncheck();
  });
});

describe("timeline", () => {
  test("messages are filtered by text, method, direction and side", async () => {
    await choose("2025-11-25");
    await select(page, "Tools", "greet");
    await details().getByLabel("name").fill("Needle");
    await details().getByRole("button", { name: "Call" }).click();
    await expect.poll(() => result().textContent()).toContain("Hello, Needle!");
    await page.getByLabel("Text in messages").fill("needle");
    await expect.poll(() => page.locator(".row").count()).toBe(2);
    expect(await page.locator(".row.server").count()).toBe(0);
    await page.getByLabel("Side", { exact: true }).selectOption("");
    await expect.poll(() => page.locator(".row").count()).toBe(4);
    await page.getByLabel("Direction", { exact: true }).selectOption("to-server");
    await page.getByLabel("Side", { exact: true }).selectOption("client");
    await expect.poll(() => page.locator(".row").count()).toBe(1);
    await page.getByLabel("Method", { exact: true }).selectOption("tools/call");
    expect(await page.locator(".row").textContent()).toContain("greet");
  });

  test("a message is selected with the keyboard", async () => {
    await page.locator(".rows").focus();
    await page.keyboard.press("End");
    await expect.poll(() => page.locator(".message-details h2").textContent()).toContain("request tools/call");
    expect(await page.locator(".rows").getAttribute("aria-activedescendant")).toMatch(/^message-\d+$/);
  });

  test("a call is copied as a test", async () => {
    await page.getByRole("button", { name: "Copy as test" }).click();
    await page.getByText("Copied").waitFor();
    const text = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(text).toContain('import { server } from "../src/definition.ts";');
    expect(text).toContain('test("tools/call greet at 2025-11-25"');
    expect(text).toMatch(/\[">", \{"id":\d+,"method":"initialize"/);
    expect(text).toMatch(/\["<", \{.*Hello, Needle!/);
  });

  test("new messages are followed until someone scrolls up, also if they arrive before the event of a scroll", async () => {
    const rows = page.locator(".rows");
    const isAtEnd = () => rows.evaluate((one) => one.scrollTop + one.clientHeight >= one.scrollHeight - 1);
    const count = async () => Number.parseInt((await page.locator(".filters .count").textContent()) ?? "");
    const call = async (): Promise<void> => {
      const before = await count();
      await details().getByRole("button", { name: "Call" }).click();
      // A request and a result.
      await expect.poll(count).toBe(before + 2);
    };
    await page.reload();
    await select(page, "Tools", "greet");
    await details().getByLabel("name").fill("Ada");
    for (let time = 1; time <= 12; time += 1) await call();
    await rows.evaluate((one) => (one.scrollTop = one.scrollHeight));
    await expect.poll(isAtEnd).toBe(true);
    await page.locator(".rows-space").evaluate((one) => {
      one.style.height = "1000000px";
      one.parentElement?.dispatchEvent(new Event("scroll"));
    });
    await call();
    await expect.poll(isAtEnd).toBe(true);
    const scrollUp = () => rows.evaluate((one) => (one.scrollTop -= 100));
    await expect.poll(() => scrollUp().then(isAtEnd)).toBe(false);
    const seen = await rows.evaluate((one) => one.scrollTop);
    await call();
    expect(await rows.evaluate((one) => one.scrollTop)).toBe(seen);
  });

  test("nothing went wrong in the page", () => {
    // A form that does not fit is rejected with 400, and the frame tried to reach the network: the browser logs both.
    const expected = /400 \(Bad Request\)|Content.Security.Policy/i;
    expect(opened.troubles.filter((text) => !expected.test(text))).toEqual([]);
  });
});
