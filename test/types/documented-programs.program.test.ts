import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { readSelection } from "../../generator/scaffold/create/project-choices.ts";
import { emitFiles, linkPackages } from "../kit/projects.ts";
import { createTemporaryFolder } from "../kit/temporary-folders.ts";
import { compile, strictest } from "../kit/compile.ts";

/* The short programs of the cookbook, in the files of a project. */

const section = readFileSync(join(packageRoot, "docs", "cookbook.md"), "utf8").split("\n## Short programs\n")[1] ?? "";
const programs = new Map(
  [...section.matchAll(/```ts (\S+)\n(.*?)```/gs)].map(([, path = "", code = ""]) => [path, code]),
);
const folder = await createTemporaryFolder("documented-programs");

beforeAll(async () => {
  const selection = readSelection({ schema: "json", client: true });
  const files = [...(await emitFiles({ revisions: ["2026-07-28", "2025-11-25"], selection })), ...programs];
  for (const [path, text] of files) {
    if (!path.startsWith("src/")) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  linkPackages(folder);
});

test.each([
  ["src/tools/add.ts", 10],
  ["src/server.ts", 20],
  ["src/client.ts", 6],
])("%s has at most %i lines, and one import", (path, lines) => {
  const code = programs.get(path) ?? expect.unreachable(`the cookbook has no ${path}`);
  expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(lines);
  expect(code.match(/^import /gm)).toHaveLength(1);
});

test("the programs compile", async () => {
  const files = [...programs.keys()].map((path) => join(folder, path));
  const settings = { types: ["node"], lib: strictest.lib, skipLibCheck: true };
  expect(await compile("typescript7", { folder, files, settings })).toEqual([]);
});

test("the client starts the server, and prints the result of its call", async () => {
  for (const name of ["server", "client"]) {
    const options = { bundle: true, platform: "node", format: "esm", logLevel: "error" } as const;
    await build({
      entryPoints: [join(folder, "src", `${name}.ts`)],
      outfile: join(folder, "dist", `${name}.js`),
      ...options,
    });
  }
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const { stdout } = await promisify(execFile)(process.execPath, ["dist/client.js"], { cwd: folder });
  expect(stdout).toContain("5 characters");
});
