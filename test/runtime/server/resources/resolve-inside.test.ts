import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveInside } from "../../../../runtime/index.ts";

let parent = "";
let root = "";

beforeAll(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), "inside-")));
  root = join(parent, "notes");
  await mkdir(join(root, "sub"), { recursive: true });
  await mkdir(join(parent, "notes-secret"));
  await writeFile(join(parent, "secret.txt"), "secret");
  await writeFile(join(parent, "notes-secret", "a.txt"), "secret");
  await writeFile(join(root, "a.txt"), "a");
  await writeFile(join(root, "..b.txt"), "b");
  await writeFile(join(root, "%2e%2e"), "literal");
  await writeFile(join(root, "sub", "c ä.txt"), "c");
  await symlink(join(root, "a.txt"), join(root, "sub", "near"));
  await symlink(join(parent, "secret.txt"), join(root, "far"));
  await symlink("../secret.txt", join(root, "far-relative"));
  await symlink(parent, join(root, "far-folder"));
  await symlink("loop", join(root, "loop"));
  await symlink(root, join(parent, "link"));
});

afterAll(() => rm(parent, { recursive: true, force: true }));

describe("a path inside the folder", () => {
  test.each([
    ["a.txt", "a.txt"],
    ["./sub//c ä.txt", "sub/c ä.txt"],
    ["sub/near", "a.txt"],
    ["..b.txt", "..b.txt"],
    ["%2e%2e", "%2e%2e"],
    ["sub", "sub"],
  ])("a path inside the folder is resolved: %j", async (path, expected) => {
    expect(await resolveInside(root, path)).toBe(join(root, expected));
  });

  test("a path inside the folder is resolved where the folder is a URL, or a link itself", async () => {
    expect(await resolveInside(pathToFileURL(root), "a.txt")).toBe(join(root, "a.txt"));
    expect(await resolveInside(join(parent, "link"), "a.txt")).toBe(join(root, "a.txt"));
  });
});

describe("a path that leads outside of the folder", () => {
  test.each([
    ["the folder itself", () => ""],
    ["the folder itself by a dot", () => "."],
    ["the parent", () => ".."],
    ["a file beside the folder", () => "../secret.txt"],
    ["a file beside the folder, by a folder in it", () => "sub/../../secret.txt"],
    ["a folder whose name begins alike", () => "../notes-secret/a.txt"],
    ["back into the folder", () => `../${basename(root)}/a.txt`],
    ["`..` that stays inside", () => "sub/../a.txt"],
    ["`..` behind a backslash", () => "sub\\..\\..\\secret.txt"],
    ["an absolute path", () => join(parent, "secret.txt")],
    ["an absolute path into the folder", () => join(root, "a.txt")],
    ["two slashes", () => "//etc/passwd"],
    ["a share of Windows", () => "\\\\host\\share\\a.txt"],
    ["a path from the root of a drive", () => "\\a.txt"],
    ["a drive", () => "C:\\a.txt"],
    ["a path relative to a drive", () => "c:a.txt"],
    ["a file URL", () => pathToFileURL(join(parent, "secret.txt")).href],
    ["a NUL", () => "a.txt\0.png"],
    ["a link to a file outside", () => "far"],
    ["a relative link to a file outside", () => "far-relative"],
    ["a link to a folder outside", () => "far-folder"],
    ["a file behind a link to a folder outside", () => "far-folder/secret.txt"],
    ["a link to itself", () => "loop"],
    ["a file below a file", () => "a.txt/b"],
    ["a name that is too long", () => "x".repeat(5_000)],
    ["a file that does not exist", () => "none.txt"],
  ])("a path that leads outside of the folder resolves to nothing: %s", async (_, path) => {
    expect(await resolveInside(root, path())).toBeUndefined();
  });
});

test("a folder that does not exist is an error of the program", async () => {
  await expect(resolveInside(join(parent, "none"), "a.txt")).rejects.toMatchObject({ code: "ENOENT" });
});
