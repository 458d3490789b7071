import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readIfPresent } from "../../internal/files.ts";
import { replaceFile, type Tree } from "../../internal/tree.ts";
import { systemCode, UserError } from "../../internal/user-error.ts";

/** Files of a project to write and to remove. */
export interface FileChanges {
  /** Texts to write, by path. */
  readonly writes: Tree;
  readonly removals: readonly string[];
}

/** Writes and removes files of a project. When a step fails, the files are as before. @throws {UserError} when the file system rejects a step. */
export async function writeFiles(project: string, { writes, removals }: FileChanges): Promise<void> {
  const done: (readonly [path: string, before: string | undefined])[] = [];
  try {
    for (const path of [...writes.keys(), ...removals]) {
      const target = join(project, path);
      const text = writes.get(path);
      const before = await readIfPresent(target);
      done.push([target, before]);
      if (text === undefined) await rm(target, { force: true });
      else await replaceFile(target, before?.includes("\r\n") === true ? text.replaceAll(/\r?\n/g, "\r\n") : text);
    }
  } catch (error) {
    for (const [target, before] of done.reverse()) {
      if (before === undefined) await rm(target, { force: true });
      else await replaceFile(target, before);
    }
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new UserError(
      `Nothing was changed: a file could not be written (${code}). Check the permissions of the project.`,
      {
        cause: error,
      },
    );
  }
}
