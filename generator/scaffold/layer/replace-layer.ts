import { existsSync } from "node:fs";
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Tree } from "../../internal/tree.ts";
import { move, wholeFolder } from "../../internal/files.ts";
import { systemCode, UserError } from "../../internal/user-error.ts";

/** Name of the folder with the layer before the last update, beside `src/`. */
export const previousName = ".mcp-previous";

/** Replaces a layer and keeps the old one. On failure, one of the two is in place as a whole. @throws {UserError} when the replacement fails. */
export async function replaceLayer(project: string, folder: string, tree: Tree): Promise<void> {
  try {
    await replaceFolder(project, { folder, tree, keep: join(project, previousName) });
  } catch (error) {
    throw explainFailure(folder, error);
  }
}

/** Folder inside a project, and the new files for it. */
export interface Replaced {
  readonly folder: string;
  readonly tree: Tree;
  /** Place for the old folder, instead of the one already there. Default: the old folder is removed. */
  readonly keep?: string;
}

/** Replaces a folder inside a project. On failure, one of the two is in place as a whole. */
export async function replaceFolder(project: string, { folder, tree, keep }: Replaced): Promise<void> {
  const temporary = await makeTemporary(project);
  const aside = join(temporary, "next");
  try {
    for (const [path, text] of tree) {
      await mkdir(dirname(join(aside, path)), { recursive: true });
      await writeFile(join(aside, path), text, { flag: "wx" });
    }
    if (keep !== undefined) await rm(keep, wholeFolder);
    await swap({ from: aside, to: folder, keep: keep ?? join(temporary, "previous") });
  } finally {
    await rm(temporary, wholeFolder);
  }
}

/** Creates a folder with an unpredictable name: no link can be prepared there. */
function makeTemporary(project: string): Promise<string> {
  return mkdtemp(join(project, temporaryStart));
}

const temporaryStart = ".mcp-next-";

/** Removes the temporary folders of interrupted replacements. */
export async function removeTemporary(project: string): Promise<void> {
  const names = await readdir(project);
  for (const name of names) if (name.startsWith(temporaryStart)) await rm(join(project, name), wholeFolder);
}

/**
 * Restores the layer before the last update, and keeps the current one instead, if there is one: a replacement may have been cut off.
 * @throws {UserError} when there is no former layer, or a move fails.
 */
export async function restoreLayer(project: string, folder: string): Promise<void> {
  const previous = join(project, previousName);
  await access(previous).catch(() => {
    throw new UserError(`${previous} does not exist; nothing was updated here, or the update was undone already.`);
  });
  const temporary = await makeTemporary(project);
  const aside = join(temporary, "layer");
  await move(previous, aside);
  try {
    await mkdir(dirname(folder), { recursive: true });
    await (existsSync(folder) ? swap({ from: aside, to: folder, keep: previous }) : move(aside, folder));
  } catch (error) {
    await move(aside, previous);
    throw explainFailure(folder, error);
  } finally {
    await rm(temporary, wholeFolder);
  }
}

/** Creates the error of a failed replacement. On Windows, a program with an open file in a folder prevents its move. */
function explainFailure(folder: string, cause: unknown): UserError {
  const code = systemCode(cause) ?? String(cause);
  const advice = "End programs that have something in it open, then run the same command again.";
  return new UserError(`${folder} could not be replaced (${code}); it is as it was. ${advice}`, { cause });
}

async function swap({
  from,
  to,
  keep,
}: {
  readonly from: string;
  readonly to: string;
  readonly keep: string;
}): Promise<void> {
  await move(to, keep);
  try {
    await move(from, to);
  } catch (error) {
    await move(keep, to);
    throw error;
  }
}
