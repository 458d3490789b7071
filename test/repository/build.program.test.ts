import { copyFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../kit/temporary-folders.ts";

/*
 * The build before the tests, in a project whose compiler copies the bundler, and whose bundler writes the command line. Not a unit test: the copy of
 * test/build.ts starts both.
 */

const root = join(import.meta.dirname, "../..");
const program = "dist/bundle/generator/cli.js";

const compiler = `
const { cpSync } = require("node:fs");
cpSync(".build/bundle.ts", "dist.next/.build/bundle.js");`;

const bundler = `require("node:fs").writeFileSync("${program}", "new");`;

/** Sources of each folder. */
const sources = [
  ".build/bundle.ts",
  "cli/cli.ts",
  "cluster/index.ts",
  "examples/echo/server.ts",
  "generated/revisions.ts",
  "generator/index.ts",
  "tools/inspect/page/main.tsx",
  "tools/inspect/page/page.css",
  "tools/inspect/page/page.html",
  "runtime/index.ts",
  "spec/2025-11-25/overlay.json",
  "spec/2025-11-25/schema.ts",
  "templates/server.ts.hbs",
];

/** Creates a project whose build is newer than its sources. */
function createProject(): string {
  const folder = temporaryFolder();
  const write = (path: string, text: string, seconds: number): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    utimesSync(join(folder, path), seconds, seconds);
  };
  for (const path of sources) write(path, path === ".build/bundle.ts" ? bundler : "", 1_000);
  write("node_modules/typescript7/bin/tsc", compiler, 1_000);
  write(program, "old", 2_000);
  mkdirSync(join(folder, "test"));
  copyFileSync(join(root, "test/build.ts"), join(folder, "test/build.ts"));
  return folder;
}

/** Does what Vitest does before the tests. */
async function setUp(folder: string): Promise<void> {
  const { setup }: { readonly setup: () => void } = await import(join(folder, "test/build.ts"));
  setup();
}

describe("the build before the tests", () => {
  test.each(sources)("a build that is older than %s is replaced", async (path) => {
    const folder = createProject();
    utimesSync(join(folder, path), 3_000, 3_000);
    await setUp(folder);
    expect(readFileSync(join(folder, program), "utf8")).toBe("new");
  });

  test("a build that is newer than its sources is left as it is", async () => {
    const folder = createProject();
    await setUp(folder);
    expect(readFileSync(join(folder, program), "utf8")).toBe("old");
  });

  test("a build that fails ends the tests, also where there is an older one", async () => {
    const folder = createProject();
    writeFileSync(join(folder, ".build/bundle.ts"), "process.exit(1);");
    await expect(setUp(folder)).rejects.toThrow("The command line could not be built");
  });
});
