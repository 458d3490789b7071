import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** The page of a server, and everything that went wrong in it. */
export interface Inspected {
  readonly page: Page;
  readonly url: string;
  /** Output of the page, dialogs, and requests to other addresses. */
  readonly troubles: readonly string[];
}

/** A running command `inspect`. */
export interface Inspector {
  readonly url: string;
  stop(): Promise<number | null>;
}

const root = join(import.meta.dirname, "..", "..", "..");
const program = join(root, "dist", "bundle", "generator", "cli.js");

/** The server of the examples, which uses every feature. */
export const everything: string = join(root, "dist", "examples", "everything", "server.js");

/** Starts the command as a user does. */
export async function startInspect(...words: readonly string[]): Promise<Inspector> {
  const child = spawn(process.execPath, [program, "inspect", ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith("http://")) continue;
    return {
      url: line,
      async stop() {
        child.kill("SIGTERM");
        const [code] = await exited;
        return typeof code === "number" ? code : null;
      },
    };
  }
  throw new Error(`inspect has ended: ${errors}`);
}

/** Opens the page of an inspector in a browser of its own state. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Inspected> {
  const context = await browser.newContext({ viewport: { width: 1600, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const troubles: string[] = [];
  page.on("console", (message) => troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("dialog", (dialog) => void dialog.dismiss().then(() => troubles.push(dialog.message())));
  const { origin } = new URL(url);
  page.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith(origin) && !address.startsWith("data:")) troubles.push(address);
  });
  await page.goto(url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return { page, url, troubles };
}

/** Selects a part of the server, and an item of its list. */
export async function select(page: Page, tab: string, item: string): Promise<void> {
  await page.getByRole("tab", { name: tab }).click();
  await page.getByLabel(`Filter ${tab.toLowerCase()}`, { exact: true }).fill(item);
  await page.locator(".item", { has: page.getByText(item, { exact: true }) }).click();
}

/** Returns the violations of accessibility rules in a page. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(await readFile(axe, "utf8"));
  const found: unknown = await page.evaluate(
    "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))",
  );
  return Array.isArray(found) ? found.map(String) : [String(found)];
}
