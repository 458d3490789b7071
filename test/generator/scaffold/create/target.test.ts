import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findTarget } from "../../../../generator/scaffold/create/target.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";

describe("the folder of a project", () => {
  test.each(["new", "new/deep/er", "there/../new", "./new/"])("the folder may be new: %s", async (path) => {
    const root = temporaryFolder();
    const target = await findTarget(`${root}/${path}`);
    expect(target).toEqual({ folder: join(root, path).replace(/\/$/, ""), exists: false, nearest: root });
    expect(listAll(root)).toEqual([]);
  });

  test("the folder may be empty or a new repository", async () => {
    const root = temporaryFolder();
    expect(await findTarget(root)).toEqual({ folder: root, exists: true, nearest: root });
    mkdirSync(join(root, ".git"));
    for (const name of [".DS_Store", "desktop.ini", "Thumbs.db"]) writeFileSync(join(root, name), "");
    expect(await findTarget(root)).toEqual({ folder: root, exists: true, nearest: root });
  });

  test.each([
    ["is not empty", "full", "is not empty (a.txt)"],
    ["is a file", "file", "exists and is not a folder"],
    ["is in a file", "file/project", "is a file, so it cannot contain a folder"],
    ["is deep in a file", "file/a/b/project", "is a file, so it cannot contain a folder"],
    ["is a link to a folder (R59)", "link", "is a symbolic link"],
    ["is a link to nothing (R59)", "dangling", "is a symbolic link"],
    ["has a very long name", "a".repeat(300), "name is too long"],
    ["has a line break in its name", "a\nb", "control characters"],
    ["has a zero byte in its name", "a\0b", "control characters"],
  ])("the folder is rejected if it %s", async (_what, path, message) => {
    const root = temporaryFolder();
    mkdirSync(join(root, "full"));
    mkdirSync(join(root, "empty"));
    writeFileSync(join(root, "full", "a.txt"), "");
    writeFileSync(join(root, "file"), "");
    symlinkSync(join(root, "empty"), join(root, "link"));
    symlinkSync(join(root, "nowhere"), join(root, "dangling"));
    await expect(findTarget(`${root}/${path}`)).rejects.toThrow(message);
  });

  test.skipIf(process.platform === "win32")("the folder is rejected if its path is one of Windows", async () => {
    await expect(findTarget("C:\\Users\\me\\demo")).rejects.toThrow(
      "C:\\Users\\me\\demo is a path of Windows. Name a folder of this system, for example ./my-server.",
    );
  });

  test.each(["", "  "])("the folder is rejected if its name is %j", async (name) => {
    await expect(findTarget(name)).rejects.toThrow("name a folder for the new project");
  });
});
