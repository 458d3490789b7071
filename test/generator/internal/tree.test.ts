import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { generatedMark, writeTree } from "../../../generator/internal/tree.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tree-"));
});

afterEach(() => rm(folder, { recursive: true }));

test("what is generated no more goes before anything is written: a name in another case is the same file on many systems", async () => {
  await writeFile(join(folder, "tools"), generatedMark);
  const done = await writeTree(folder, new Map([["tools/a.ts", generatedMark]]));
  expect(done).toEqual([
    { kind: "missing", path: "tools/a.ts" },
    { kind: "orphaned", path: "tools" },
  ]);
  expect(await readdir(folder, { recursive: true })).toEqual(["tools", join("tools", "a.ts")]);
});

test("nothing is written through a link that lies where a file is written aside", async () => {
  const outside = join(folder, "outside");
  await writeFile(outside, "mine");
  await symlink(outside, join(folder, `a.ts.${process.pid}.tmp`));
  await writeTree(folder, new Map([["a.ts", generatedMark]]));
  expect(await readFile(outside, "utf8")).toBe("mine");
  expect(await readFile(join(folder, "a.ts"), "utf8")).toBe(generatedMark);
});

test("what somebody else wrote stays, and is not told as written", async () => {
  await mkdir(join(folder, "tools"));
  await writeFile(join(folder, "tools", "own.ts"), "// mine");
  expect(await writeTree(folder, new Map([["a.ts", "a"]]))).toEqual([{ kind: "missing", path: "a.ts" }]);
  expect(await readFile(join(folder, "tools", "own.ts"), "utf8")).toBe("// mine");
});
