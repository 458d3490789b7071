import { spawn, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { chromium, type Browser, type Page } from "playwright-core";

/*
 * `npm run docs:picture`: creates a project, edits a tool while `npm run dev` serves it, calls the tool in the page of `npm run dev`, and writes what the
 * terminal and the page show to `docs/pictures/develop-{light,dark}.webp`. Everything in the pictures is real output. It needs Chromium.
 */

const root = join(import.meta.dirname, "..");
const program = join(root, "dist", "bundle", "generator", "cli.js");
const port = "3000";
const pageAddress = /^\[dev\] call it, and see its messages, at (\S+)/;
const viewport = { width: 1240, height: 620 };
const { revisions }: { readonly revisions: Readonly<Record<string, unknown>> } = JSON.parse(
  await readFile(join(root, "spec", "pins.json"), "utf8"),
);
const [oldest = ""] = Object.keys(revisions);
const home = await mkdtemp(join(tmpdir(), "picture-"));
const project = join(home, "demo");

try {
  const create = [program, "demo", "--yes", "--no-git", "--transport", "both"];
  await promisify(execFile)(process.execPath, create, { cwd: home });
  const server = await start("npm", ["run", "-s", "dev", "--", "--http", port], pageAddress);
  try {
    await editTool(server);
    await inspect(server);
  } finally {
    server.stop();
  }
} finally {
  await rm(home, { recursive: true, force: true });
}

/** Writes a picture of the page of a development server for each colour scheme. */
async function inspect({ lines }: Started): Promise<void> {
  const address = lines.flatMap((line) => pageAddress.exec(line)?.[1] ?? []).at(-1) ?? "";
  // The token is a long secret of one run.
  const shown = lines.map((line) => line.replace(/(:\d+\/[\w-]{6})[\w-]+\/$/, "$1…/"));
  const terminal = [`$ npm run dev -- --http ${port}`, ...shown];
  const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
  try {
    for (const scheme of ["light", "dark"] as const) await writePicture(browser, { scheme, terminal, address });
  } finally {
    await browser.close();
  }
}

interface Started {
  /** Everything printed so far. */
  readonly lines: readonly string[];
  /** Waits for a line. */
  until(pattern: RegExp): Promise<void>;
  stop(): void;
}

/** Starts a program in the project, and waits until it prints a line. */
async function start(command: string, args: readonly string[], first: RegExp): Promise<Started> {
  const child = spawn(command, args, { cwd: project, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      for (const check of waiting) check();
    });
  }
  const until = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${command} printed no ${pattern}:\n${lines.join("\n")}`)),
        60_000,
      );
      const check = (): void => {
        if (!lines.some((line) => pattern.test(line))) return;
        clearTimeout(timer);
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  // npm starts a process of its own: both end with their group.
  const stop = (): void =>
    void (child.pid !== undefined && child.exitCode === null && process.kill(-child.pid, "SIGKILL"));
  await until(first).catch((error: unknown) => {
    stop();
    throw error;
  });
  return { lines, until, stop };
}

/** Adds a member to the result of the project's tool, and waits until the server has loaded it. */
async function editTool(server: Started): Promise<void> {
  const file = join(project, "src", "definition.ts");
  const before = await readFile(file, "utf8");
  const after = before
    .replace("words: z.number(), ", "words: z.number(), letters: z.number(), ")
    .replace("return { words", "return { letters: text.replace(/\\P{L}/gu, '').length, words");
  if (after === before) throw new Error("The tool of a new project has changed; change the edit in .build/picture.ts.");
  await writeFile(file, after);
  await server.until(/reloaded/);
}

/** Calls the tool in the page, and draws the terminal above the page. */
async function writePicture(
  browser: Browser,
  {
    scheme,
    terminal,
    address,
  }: { readonly scheme: "light" | "dark"; readonly terminal: readonly string[]; readonly address: string },
): Promise<void> {
  const context = await browser.newContext({ viewport, colorScheme: scheme });
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByRole("tab", { name: "Tools" }).click();
  await page.locator(".item").first().click();
  await page.getByLabel("Compare with").selectOption(oldest);
  await page.getByText(/^Definition at/).click();
  await page.getByRole("textbox", { name: /^text/ }).fill("Each client gets its own revision.");
  await page.getByRole("button", { name: "Call at both" }).click();
  await page.locator(".outcome .comparison").waitFor();
  await page.locator(".row").last().click();
  await page.locator(".message-details").waitFor();
  const shot = await page.screenshot();
  await context.close();
  // The page of inspect permits no styles of others.
  const canvas = await browser.newPage({ viewport });
  const drawn = await compose(canvas, { terminal, scheme, shot: `data:image/png;base64,${shot.toString("base64")}` });
  await mkdir(join(root, "docs", "pictures"), { recursive: true });
  await writeFile(join(root, "docs", "pictures", `develop-${scheme}.webp`), await toWebp(canvas, drawn));
  await canvas.close();
}

interface Parts {
  readonly terminal: readonly string[];
  readonly scheme: "light" | "dark";
  readonly shot: string;
}

/** Returns a PNG image of the terminal and the page below it. */
async function compose(page: Page, { terminal, scheme, shot }: Parts): Promise<string> {
  const lines = terminal.map((line) => `<div>${escape(line) || "&nbsp;"}</div>`).join("");
  const border = scheme === "dark" ? "#30363d" : "#d0d7de";
  await page.setContent(`<style>
    body { margin: 0; width: ${viewport.width}px; }
    main { border: 1px solid ${border}; border-radius: 10px; overflow: hidden; }
    pre { margin: 0; padding: 14px 20px; background: #161b22; color: #d4d4d4; font: 15px/1.5 monospace; }
    pre div:first-child { color: #7ee787; }
    img { display: block; width: 100%; }
  </style><main><pre>${lines}</pre><img src="${shot}"></main>`);
  const drawn = await page.locator("main").screenshot({ omitBackground: true });
  return `data:image/png;base64,${drawn.toString("base64")}`;
}

/** Converts an image in the browser: WebP takes a third of the bytes of PNG. */
async function toWebp(page: Page, image: string): Promise<Buffer> {
  await page.setContent(`<img src="${image}">`);
  const url: unknown = await page.evaluate(`(async () => {
    const image = document.querySelector("img");
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.9);
  })()`);
  return Buffer.from(String(url).replace(/^data:image\/webp;base64,/, ""), "base64");
}

function findChromium(): string {
  const places = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome"];
  const found = process.env["CHROMIUM"] ?? places.find((place) => existsSync(place));
  if (found === undefined) throw new Error("There is no Chromium; name a program in CHROMIUM.");
  return found;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
