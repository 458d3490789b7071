import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeProject, type WriteOptions } from "../../../../generator/scaffold/create/write-project.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";

const tree = new Map([
  ["a.txt", "A"],
  ["b/c.txt", "C"],
  ["b/d/e.txt", "E"],
]);
const written = ["a.txt", "b", "b/c.txt", "b/d", "b/d/e.txt"];

/** Lets so many files through, then does something else. */
function after(count: number, act: () => void): NonNullable<WriteOptions["write"]> {
  let left = count;
  return (path, text) => {
    if (left-- === 0) act();
    writeFileSync(path, text);
  };
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: something`), { code });
}

describe("`writeProject`", () => {
  test("`writeProject` creates the folder and its parents", async () => {
    const root = temporaryFolder();
    await writeProject({ folder: join(root, "x", "y"), exists: false }, tree);
    expect(listAll(join(root, "x", "y"))).toEqual(written);
    expect(listAll(join(root, "x")).filter((path) => !path.startsWith("y"))).toEqual([]);
    expect(readFileSync(join(root, "x/y/b/d/e.txt"), "utf8")).toBe("E");
    mkdirSync(join(root, "plain"));
    expect(statSync(join(root, "x", "y")).mode).toBe(statSync(join(root, "plain")).mode);
  });

  test("`writeProject` fills an empty folder without replacing it", async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, ".git"));
    const { ino } = statSync(root);
    await writeProject({ folder: root, exists: true }, tree);
    expect(listAll(root)).toEqual([".git", ...written]);
    expect(statSync(root).ino).toBe(ino);
  });

  describe.each([0, 1, 2])("an error at file %i", (count) => {
    const fail = (): WriteOptions => ({
      write: after(count, () => {
        throw systemError("ENOSPC");
      }),
    });

    test("`writeProject` leaves no new folder and no parents after the error", async () => {
      const root = temporaryFolder();
      const target = { folder: join(root, "x", "y"), exists: false };
      await expect(writeProject(target, tree, fail())).rejects.toThrow(
        /could not be written \(ENOSPC\); nothing was left/,
      );
      expect(listAll(root)).toEqual([]);
    });

    test("`writeProject` leaves an empty folder empty after the error", async () => {
      const root = temporaryFolder();
      await expect(writeProject({ folder: root, exists: true }, tree, fail())).rejects.toThrow("ENOSPC");
      expect(listAll(root)).toEqual([]);
    });
  });

  test.each([0, 1, 2])("`writeProject` leaves no files if it is interrupted at file %i", async (count) => {
    const root = temporaryFolder();
    const interruption = new AbortController();
    const reason = new Error("stop");
    const write = after(count, () => interruption.abort(reason));
    const options = { signal: interruption.signal, write };
    await expect(writeProject({ folder: join(root, "x"), exists: false }, tree, options)).rejects.toBe(reason);
    expect(listAll(root)).toEqual([]);
  });

  test("`writeProject` does not replace a folder that was created in the meantime", async () => {
    const root = temporaryFolder();
    const folder = join(root, "x");
    const write = after(2, () => {
      mkdirSync(folder);
      writeFileSync(join(folder, "theirs"), "");
    });
    await expect(writeProject({ folder, exists: false }, tree, { write })).rejects.toThrow("could not be written");
    expect(listAll(root)).toEqual(["x", "x/theirs"]);
  });

  test("`writeProject` does not write into an existing temporary folder (R59)", async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, `.x.create-mcp-server-${process.pid}`));
    await expect(writeProject({ folder: join(root, "x"), exists: false }, tree)).rejects.toThrow("EEXIST");
    expect(existsSync(join(root, "x"))).toBe(false);
  });
});
