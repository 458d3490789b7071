import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { generatedMark, joinFiles, replaceFile, writeTree } from "../../../generator/internal/tree.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tree-"));
});

afterEach(() => rm(folder, { recursive: true }));

test("joined files have one writer each", () => {
  expect([...joinFiles([["a", "1"]], new Map([["b", "2"]]))].flat()).toEqual(["a", "1", "b", "2"]);
  expect(() => joinFiles([["a", "1"]], [], [["a", "1"]])).toThrow("a is written twice; give it one writer");
});

test("`writeTree` removes orphaned files before it writes files", async () => {
  await writeFile(join(folder, "tools"), generatedMark);
  const done = await writeTree(folder, new Map([["tools/a.ts", generatedMark]]));
  expect(done).toEqual([
    { kind: "missing", path: "tools/a.ts" },
    { kind: "orphaned", path: "tools" },
  ]);
  expect(await readdir(folder, { recursive: true })).toEqual(["tools", join("tools", "a.ts")]);
});

test("`writeTree` does not write through a symbolic link at the path of a temporary file", async () => {
  const outside = join(folder, "outside");
  await writeFile(outside, "mine");
  await symlink(outside, join(folder, `a.ts.${process.pid}.tmp`));
  await writeTree(folder, new Map([["a.ts", generatedMark]]));
  expect(await readFile(outside, "utf8")).toBe("mine");
  expect(await readFile(join(folder, "a.ts"), "utf8")).toBe(generatedMark);
});

test("`writeTree` replaces a symbolic link by the generated file", async () => {
  const outside = join(folder, "outside");
  await writeFile(outside, "mine");
  await symlink(outside, join(folder, "a.ts"));
  await writeTree(folder, new Map([["a.ts", generatedMark]]));
  expect(await readFile(outside, "utf8")).toBe("mine");
  expect((await lstat(join(folder, "a.ts"))).isSymbolicLink()).toBe(false);
});

test.each([
  ["a file", "other.ts"],
  ["another link", "further"],
])("`replaceFile` replaces the file that a link to %s leads to", async (_what, target) => {
  await writeFile(join(folder, "other.ts"), "before");
  await symlink(join(folder, "other.ts"), join(folder, "further"));
  await symlink(target, join(folder, "link.ts"));
  await replaceFile(join(folder, "link.ts"), "after");
  expect(await readFile(join(folder, "other.ts"), "utf8")).toBe("after");
  expect((await lstat(join(folder, "link.ts"))).isSymbolicLink()).toBe(true);
  expect((await readdir(folder)).sort()).toEqual(["further", "link.ts", "other.ts"]);
});

test("`replaceFile` creates a file, also in place of a link to nothing", async () => {
  await symlink(join(folder, "nothing"), join(folder, "link.ts"));
  for (const path of ["link.ts", "new/a.ts"]) {
    await replaceFile(join(folder, path), "text");
    expect(await readFile(join(folder, path), "utf8")).toBe("text");
  }
});

test("`writeTree` keeps files without its mark, and does not report them", async () => {
  await mkdir(join(folder, "tools"));
  await writeFile(join(folder, "tools", "own.ts"), "// mine");
  expect(await writeTree(folder, new Map([["a.ts", "a"]]))).toEqual([{ kind: "missing", path: "a.ts" }]);
  expect(await readFile(join(folder, "tools", "own.ts"), "utf8")).toBe("// mine");
});

test.each(["mcp.client.lock.json", "mcp.lock.json"])(
  "`writeTree` keeps the files of a folder below that has its own %s",
  async (lock) => {
    await mkdir(join(folder, "other", "tools"), { recursive: true });
    await writeFile(join(folder, "other", lock), "{}");
    await writeFile(join(folder, "other", "tools", "a.ts"), generatedMark);
    await writeFile(join(folder, "old.ts"), generatedMark);
    await writeFile(join(folder, lock), "{}");
    expect(await writeTree(folder, new Map([["a.ts", "a"]]))).toEqual([
      { kind: "missing", path: "a.ts" },
      { kind: "orphaned", path: "old.ts" },
    ]);
    expect(await readFile(join(folder, "other", "tools", "a.ts"), "utf8")).toBe(generatedMark);
  },
);

test.skipIf(process.platform === "win32").each([0o600, 0o755])(
  "`replaceFile` keeps the permissions %i",
  async (mode) => {
    const path = join(folder, "a.ts");
    await writeFile(path, "before");
    await chmod(path, mode);
    await replaceFile(path, "after");
    expect([(await stat(path)).mode & 0o777, await readFile(path, "utf8")]).toEqual([mode, "after"]);
  },
);
