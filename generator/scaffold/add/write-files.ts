import { mkdir, realpath, rm } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { readIfPresent, wholeFolder } from "../../internal/files.ts";
import { replaceFile, type Tree } from "../../internal/tree.ts";
import { systemCode, UserError } from "../../internal/user-error.ts";

/** Files of a project to write and to remove. */
export interface FileChanges {
  /** Texts to write, by path. */
  readonly writes: Tree;
  readonly removals: readonly string[];
}

/** Restores the files of a project as they were before a change. */
export type RestoreFiles = () => Promise<void>;

/**
 * Writes and removes files of a project. When a step fails or the signal aborts, the files are as before. Returns a function to restore them later.
 *
 * @throws {UserError} when the file system rejects a step.
 */
export async function writeFiles(
  project: string,
  { writes, removals }: FileChanges,
  signal: AbortSignal,
): Promise<RestoreFiles> {
  const done: (readonly [path: string, before: string | undefined])[] = [];
  const made: string[] = [];
  const restore = async (): Promise<void> => {
    for (const [target, before] of done.reverse()) await putBack(target, before);
    for (const folder of made) await rm(folder, wholeFolder);
  };
  try {
    for (const path of [...writes.keys(), ...removals]) {
      signal.throwIfAborted();
      const target = join(project, path);
      const text = writes.get(path);
      await rejectOutside(project, path);
      const before = await readIfPresent(target);
      const outermost = await mkdir(dirname(target), { recursive: true });
      if (outermost !== undefined) made.push(outermost);
      done.push([target, before]);
      await putBack(target, text === undefined ? undefined : withLineEndings(text, before));
    }
    return restore;
  } catch (error) {
    await restore();
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new UserError(
      `Nothing was changed: a file could not be written (${code}). Check the permissions of the project.`,
      { cause: error },
    );
  }
}

/** Rejects a path leading out of the project, through a link to a file or a folder. */
async function rejectOutside(project: string, path: string): Promise<void> {
  const place = relative(await realpath(project), await findReal(join(project, path)));
  if (place !== ".." && !place.startsWith(`..${sep}`) && !isAbsolute(place)) return;
  throw new UserError(
    `Nothing was changed: ${path} leads out of the project through a link; replace the link by a copy.`,
  );
}

/** Returns the real path of a file, or of the nearest existing folder. */
async function findReal(path: string): Promise<string> {
  return realpath(path).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT" && dirname(path) !== path) return findReal(dirname(path));
    throw error;
  });
}

async function putBack(path: string, text: string | undefined): Promise<void> {
  await (text === undefined ? rm(path, { force: true }) : replaceFile(path, text));
}

/** Gives a generated text the line endings of the text before. A text with line endings of its own keeps them. */
function withLineEndings(text: string, before: string | undefined): string {
  const isConverted = before?.includes("\r\n") === true && !text.includes("\r\n");
  return isConverted ? text.replaceAll("\n", "\r\n") : text;
}
