import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runCreate, type CreateOptions } from "../../../../cli/commands/create.ts";
import { wrapWords } from "../../../../generator/scaffold/create/console.ts";
import {
  choosePackageManager,
  commandsOf,
  packageManagers,
} from "../../../../generator/scaffold/create/package-manager.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";

/** The questions of a new project, in their order. */
const questions = [
  "Project folder",
  "Setup",
  "Target",
  "Features in addition to tools",
  "Transport",
  "Schema library of the tools",
  "Include a client?",
  "Extra files",
  "Protocol revisions to support",
  "Create my-mcp-server",
] as const;

const enter = "\r";
/** Moves to the second option, and chooses it. */
const custom = "\u001B[B\r";
const interrupt = "\u0003";

/** Keys that choose the second setup at its prompt, and accept the proposal at the others. */
const acceptEach = questions.map((question) => (question === "Setup" ? custom : enter));

/** A terminal whose person types a key at each question. Returns what was shown. */
async function inTerminal(
  keys: readonly string[],
  options: Partial<CreateOptions> = {},
  cues: readonly string[] = questions,
): Promise<Outcome> {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input, isRaw: false });
  const stdin = Object.getOwnPropertyDescriptor(process, "stdin") ?? {};
  const tty = Object.getOwnPropertyDescriptor(process.stdout, "isTTY");
  Object.defineProperty(process, "stdin", { value: input, configurable: true });
  Object.defineProperty(process.stdout, "isTTY", { value: true, configurable: true });
  syncBuiltinESMExports();
  let shown = "";
  let asked = 0;
  const show = (text: unknown): boolean => {
    shown += String(text);
    const question = cues[asked];
    if (question !== undefined && shown.includes(question)) {
      const key = keys[asked++];
      // A question listens only after it was drawn.
      if (key !== undefined) setTimeout(() => input.write(key), 50);
    }
    return true;
  };
  const write = vi.spyOn(process.stdout, "write").mockImplementation(show);
  const prints = (["log", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((text: unknown) => void show(`${String(text)}\n`)),
  );
  try {
    const chosen = { directory: "", yes: false, install: false, git: false, dryRun: false, ...options };
    return { code: await runCreate(chosen), shown, asked };
  } finally {
    for (const spy of [write, ...prints]) spy.mockRestore();
    Object.defineProperty(process, "stdin", stdin);
    syncBuiltinESMExports();
    if (tty) Object.defineProperty(process.stdout, "isTTY", tty);
    else Reflect.deleteProperty(process.stdout, "isTTY");
  }
}

interface Outcome {
  readonly code: number;
  readonly shown: string;
  readonly asked: number;
}

it("a terminal shows progress while tools are created, which is slow for many", { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const from = join(folder, "tools.json");
  writeFileSync(from, JSON.stringify({ tools: [{ name: "go", inputSchema: { type: "object" } }] }));
  const made = await inTerminal([], { directory: join(folder, "demo"), yes: true, from });
  expect(made.code).toBe(0);
  expect(made.shown).toMatch(/Making 1 tool from .*tools\.json \.[^]*Made 1 tool from/);
  const listed = await inTerminal([], { directory: join(folder, "other"), yes: true, from, dryRun: true });
  expect(listed.shown).not.toContain("Making");
});

describe("prompts at a terminal", () => {
  let cwd = "";

  beforeEach(() => {
    cwd = temporaryFolder();
    vi.spyOn(process, "cwd").mockReturnValue(cwd);
  });

  afterEach(() => vi.restoreAllMocks());

  it("each prompt accepts Enter, and the output ends with the next three commands", async () => {
    const { code, shown } = await inTerminal(acceptEach);
    expect(code, shown).toBe(0);
    const steps = shown.slice(shown.lastIndexOf("Created my-mcp-server in ")).match(/^ {2}\S.*$/gm);
    expect(steps?.map((line) => line.trim().split(/ {2,}/)[0])).toEqual([
      "cd my-mcp-server",
      "npm install",
      "npm test",
    ]);
    expect(listAll(cwd)).toContain("my-mcp-server/src/server.ts");
  });

  it("the recommended setup needs three prompts and names its choices", async () => {
    const cues = ["Project folder", "Setup", "Create my-mcp-server"];
    const { code, shown } = await inTerminal([enter, enter, enter], {}, cues);
    expect(code, shown).toBe(0);
    expect(shown).toContain("tools, resources, prompts, stdio, zod");
    expect(shown).not.toContain("Schema library");
    expect(listAll(cwd)).toContain("my-mcp-server/src/server.ts");
  });

  it("a prompt with a folder that is not empty is repeated, and choices have descriptions", async () => {
    mkdirSync(join(cwd, "full"));
    writeFileSync(join(cwd, "full", "file"), "");
    const [name, ...rest] = questions;
    const cues = [name, "is not empty", ...rest.slice(0, -1), "Create foo-bar"];
    const keys = ["full\r", "Foo Bar!\r", ...acceptEach.slice(1)];
    const { code, shown } = await inTerminal(keys, {}, cues);
    expect(code, shown).toBe(0);
    expect(shown.indexOf("create-mcp-server ")).toBeLessThan(shown.indexOf(name));
    expect(shown).toContain("text and data that a host reads");
    expect(listAll(cwd)).toContain("Foo Bar!/src/server.ts");
  });

  it("an invalid --name is rejected before the first prompt", async () => {
    const { code, shown, asked } = await inTerminal([enter], { name: "My Server" });
    expect(shown).toMatch(/cannot be a package name.*--name my-server\n$/);
    expect({ code, asked }).toEqual({ code: 2, asked: 0 });
    expect(listAll(cwd)).toEqual([]);
  });

  it("the proposed name is not used by another folder", async () => {
    for (const name of ["my-mcp-server", "my-mcp-server-2"]) {
      mkdirSync(join(cwd, name));
      writeFileSync(join(cwd, name, "file"), "");
    }
    const cues = [...questions.slice(0, -1), "Create my-mcp-server-3"];
    const { code, shown } = await inTerminal(acceptEach, {}, cues);
    expect(code, shown).toBe(0);
    expect(listAll(cwd)).toContain("my-mcp-server-3/src/server.ts");
  });

  it("`No` at the last prompt leaves no files, and is no interruption", async () => {
    const { code, shown } = await inTerminal([...acceptEach.slice(0, -1), "n"]);
    expect(shown).toContain("create-mcp-server: nothing was written.");
    expect(shown).not.toContain("interrupted");
    expect(code).toBe(130);
    expect(listAll(cwd)).toEqual([]);
  });

  it.each(questions.map((question, at) => [question, at] as const))(
    "Ctrl-C at the prompt %j leaves no files",
    async (_question, at) => {
      const keys = [...acceptEach.slice(0, at), interrupt];
      const { code, shown, asked } = await inTerminal(keys);
      expect(shown).toContain("interrupted; nothing was written");
      expect({ code, asked }).toEqual({ code: 130, asked: at + 1 });
      expect(listAll(cwd)).toEqual([]);
    },
  );
});

describe("lines on a screen", () => {
  it.each([
    [80, "a short line", "a short line"],
    [20, "this is not so very short", "this is not so\nvery short"],
    [20, "a /path/that/is/longer/than/the/screen b", "a\n/path/that/is/longer/than/the/screen\nb"],
    [20, "two\nlines, one of them long", "two\nlines, one of\nthem long"],
    [1, "a b", "a\nb"],
  ])("lines are wrapped between words at %d columns: %j", (columns, text, wrapped) => {
    expect(wrapWords(text, columns)).toBe(wrapped);
  });

  it("lines are not wrapped without a screen", () => {
    expect(wrapWords("word ".repeat(100))).toBe("word ".repeat(100));
  });
});

describe("the package manager", () => {
  it.each([
    ["npm/10.8.2 node/v20.20.0 linux x64 workspaces/false", "npm"],
    ["pnpm/10.34.9 npm/? node/v20.20.0 linux x64", "pnpm"],
    ["yarn/1.22.22 npm/? node/v20.20.0 linux x64", "yarn"],
    ["yarn/4.18.1 npm/? node/v20.20.0 linux x64", "yarn"],
    ["bun/1.4.5 npm/? node/v22.6.0 linux x64", "bun"],
    ["deno/2.1.0", "npm"],
    ["", "npm"],
    ["constructor/1", "npm"],
  ])("the user agent %j selects %s", (agent, manager) => expect(choosePackageManager(undefined, agent)).toBe(manager));

  it.each(["", "cargo", "NPM", "npm,pnpm", "__proto__"])("the package manager %j is rejected", (named) =>
    expect(() => choosePackageManager(named)).toThrow("Choose one of npm, pnpm, yarn, bun."),
  );

  it.each(packageManagers)("commands, README, CI and image use %s", async (manager) => {
    const cwd = temporaryFolder();
    const directory = join(cwd, "demo");
    const log = vi.spyOn(console, "log").mockReturnValue();
    const options = { directory, yes: true, install: false, git: false, dryRun: false, packageManager: manager };
    expect(await runCreate({ ...options, extras: "ci,agents,docker", transport: "both", auth: "api-key" })).toBe(0);
    const { install, frozen, setup, lockFiles, run } = commandsOf(manager);
    expect(log.mock.lastCall?.[0]).toContain(install);
    const read = (path: string): string => readFileSync(join(directory, path), "utf8");
    const workflow = ".github/workflows/ci.yml";
    for (const path of ["README.md", workflow]) {
      const own = path === workflow ? frozen : install;
      for (const command of [own, run("test"), run("typecheck")]) expect(read(path), path).toContain(command);
    }
    const image = read("Dockerfile");
    expect(image).toContain(
      `COPY ${lockFiles} ./\nCOPY vendor ./vendor\nRUN ${frozen}\nCOPY . .\nRUN ${run("build")}\n`,
    );
    expect(image).not.toContain("/app/node_modules");
    expect(image.includes(`RUN ${setup}\n`)).toBe(manager !== "npm");
    expect(image).toMatch(/^CMD \["node", "--enable-source-maps", "dist\/server\.js"\]$/m);
    const others = packageManagers.filter((other) => other !== manager);
    for (const path of ["README.md", "AGENTS.md", ".github/workflows/ci.yml"])
      expect(read(path)).not.toMatch(new RegExp(`\\b(${others.join("|")}) (run|test|install|start|dlx)\\b`));
    log.mockRestore();
  });
});
