import fs, { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runAdd } from "../../../cli/commands/add.ts";
import { runAddOpenapi } from "../../../cli/commands/add-openapi.ts";
import { runRemove } from "../../../cli/commands/remove.ts";
import { runUpdate } from "../../../cli/commands/update.ts";
import { readRuntime } from "../../../generator/scaffold/create/runtime-package.ts";
import { listAll, temporaryFolder } from "../../kit/temporary-folders.ts";
import { emitFiles, writeFiles } from "../../kit/projects.ts";
import { captured } from "../../kit/commands.ts";

const actions = { check: false, dryRun: false, codemod: false, force: false, undo: false };

/** Writes a project whose layer has no validator, and a document with 60 operations. */
async function createProject(): Promise<string> {
  const folder = temporaryFolder();
  writeFiles(folder, await emitFiles({ revisions: ["2025-11-25"], selection: { features: "tools" } }));
  for (const [path, content] of readRuntime("dependency").archives) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const numbers = Array.from({ length: 60 }, (_none, index) => index);
  const responses = { "200": { description: "ok" } };
  const paths = numbers.map((number) => [`/things/${number}`, { get: { operationId: `show${number}`, responses } }]);
  const info = { title: "Big", version: "1" };
  const document = { openapi: "3.1.0", info, paths: Object.fromEntries(paths) };
  writeFileSync(join(folder, "big.json"), JSON.stringify(document));
  return folder;
}

/** Every path, with the text of the files. */
function contents(folder: string): Record<string, string> {
  const paths = listAll(folder);
  const texts = paths.map((path) => (/\.\w+$/.test(path) ? readFileSync(join(folder, path), "utf8") : ""));
  return Object.fromEntries(paths.map((path, index) => [path, texts[index] ?? ""]));
}

/** Sends Ctrl-C to this process with the given call of `rename`, which ends each replacement of a file or folder. */
function interruptAt(count: number): void {
  const { rename } = fs.promises;
  let calls = 0;
  fs.promises.rename = async (from, to) => {
    calls += 1;
    if (calls === count) process.emit("SIGINT");
    await rename(from, to);
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.promises.rename = rename;
    syncBuiltinESMExports();
  });
}

const add = (folder: string): Promise<number> =>
  runAddOpenapi({ document: join(folder, "big.json"), folder, check: false, dryRun: false, force: false });

const interrupted = { code: 130, stderr: expect.stringContaining("interrupted; nothing was written") };

test.each([1, 30, 60])("`add openapi` is undone by Ctrl-C with file %i, and runs again", async (count) => {
  const folder = await createProject();
  const before = contents(folder);
  interruptAt(count);
  expect(await captured(() => add(folder))).toMatchObject(interrupted);
  expect(contents(folder)).toEqual(before);
  const again = await captured(() => add(folder));
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("Added 60 tools in src/big/")]);
});

test.each(["tool", "resource"] as const)("`add %s` is undone by Ctrl-C", async (kind) => {
  const folder = await createProject();
  const before = contents(folder);
  interruptAt(1);
  expect(await captured(() => runAdd({ kind, name: "notes", folder }))).toMatchObject(interrupted);
  expect(contents(folder)).toEqual(before);
});

test("`remove` is undone by Ctrl-C", async () => {
  const folder = await createProject();
  expect((await captured(() => runAdd({ kind: "tool", name: "notes", folder }))).code).toBe(0);
  const before = contents(folder);
  interruptAt(1);
  expect(await captured(() => runRemove({ kind: "tool", name: "notes", folder }))).toMatchObject(interrupted);
  expect(contents(folder)).toEqual(before);
});

test.each([1, 2])("`update` completes at Ctrl-C during move %i of the layer, and fails", async (count) => {
  const folder = await createProject();
  interruptAt(count);
  const { code } = await captured(() => runUpdate({ ...actions, directory: folder, features: "tools,prompts" }));
  expect(code).toBe(130);
  expect(listAll(folder).filter((path) => path.startsWith(".mcp-next-"))).toEqual([]);
  expect((await captured(() => runUpdate({ ...actions, directory: folder, check: true }))).code).toBe(0);
});

test("`update` writes nothing after Ctrl-C", async () => {
  const folder = await createProject();
  const before = contents(folder);
  const result = await captured(() => {
    const done = runUpdate({ ...actions, directory: folder, features: "tools,prompts" });
    process.emit("SIGINT");
    return done;
  });
  expect(result).toMatchObject(interrupted);
  expect(contents(folder)).toEqual(before);
});

test("`update` removes the temporary folders of runs that were killed, except with --check", async () => {
  const folder = await createProject();
  const left = join(folder, ".mcp-next-a1b2c3");
  mkdirSync(join(left, "next"), { recursive: true });
  expect((await captured(() => runUpdate({ ...actions, directory: folder, check: true }))).code).toBe(0);
  expect(existsSync(left)).toBe(true);
  expect((await captured(() => runUpdate({ ...actions, directory: folder }))).code).toBe(0);
  expect(existsSync(left)).toBe(false);
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toContain("\n.mcp-next-*/\n");
});
