import { mkdirSync, writeFileSync } from "node:fs";
import { mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Tree } from "../../internal/tree.ts";
import type { Target } from "./target.ts";
import { setImmediate } from "node:timers/promises";
import { move, wholeFolder } from "../../internal/files.ts";
import { UserError, systemCode } from "../../internal/user-error.ts";

/** Folder to write a project to. */
type Place = Pick<Target, "folder" | "exists">;

/** Options of the writing of a project. */
export interface WriteOptions {
  /** Cancels the writing; nothing stays behind. */
  readonly signal?: AbortSignal;
  /** Binary files, by path. */
  readonly archives?: ReadonlyMap<string, Uint8Array>;
  /** Writes one file, which does not exist yet. Default: writes to the file system. */
  readonly write?: (path: string, content: string | Uint8Array) => void;
}

/**
 * Writes a project atomically: into a temporary folder, which then takes its place. On failure, everything created is removed again.
 * @throws {UserError} when the file system rejects an operation.
 */
export async function writeProject(target: Place, tree: Tree, options: WriteOptions = {}): Promise<void> {
  try {
    await (target.exists ? fill(target.folder, tree, options) : make(target.folder, tree, options));
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || error === options.signal?.reason) throw error;
    throw new UserError(
      `${target.folder} could not be written (${code}); nothing was left behind. Choose another folder, or make room there.`,
      { cause: error },
    );
  }
}

/** Creates a new folder: a sibling is written and renamed, which is one step. */
async function make(folder: string, tree: Tree, options: WriteOptions): Promise<void> {
  const parent = dirname(folder);
  const outermost = await mkdir(parent, { recursive: true });
  const aside = join(parent, `.${basename(folder)}.${asideMark}-${process.pid}`);
  try {
    await writeAside(aside, tree, options);
    await move(aside, folder);
  } catch (error) {
    await rm(aside, wholeFolder);
    if (outermost !== undefined) await removeEmpty(parent, outermost);
    throw error;
  }
}

/**
 * Fills an empty folder. The folder itself stays, because it may be the working directory of a shell, or a mount point. The files are written to a
 * folder inside it and moved up entry by entry.
 */
async function fill(folder: string, tree: Tree, options: WriteOptions): Promise<void> {
  const aside = join(folder, `.${asideMark}-${process.pid}`);
  const moved: string[] = [];
  try {
    await writeAside(aside, tree, options);
    for (const name of await readdir(aside)) {
      await move(join(aside, name), join(folder, name));
      moved.push(name);
    }
    await rmdir(aside);
  } catch (error) {
    for (const name of [...moved, basename(aside)]) await rm(join(folder, name), wholeFolder);
    throw error;
  }
}

const asideMark = "create-mcp-server";

/**
 * Writes synchronously: for many small files, asynchronous writes take many times as long. Pauses after each folder, because otherwise no signal is
 * handled.
 */
async function writeAside(aside: string, tree: Tree, options: WriteOptions): Promise<void> {
  const { signal, write = writeNew, archives = [] } = options;
  signal?.throwIfAborted();
  mkdirSync(aside);
  const files = [...tree, ...archives];
  for (const folder of new Set(files.map(([path]) => dirname(path)))) {
    mkdirSync(join(aside, folder), { recursive: true });
    for (const [path, content] of files) if (dirname(path) === folder) write(join(aside, path), content);
    await setImmediate();
    signal?.throwIfAborted();
  }
}

/** The flag `wx` neither overwrites a file nor follows a link. */
function writeNew(path: string, content: string | Uint8Array): void {
  writeFileSync(path, content, { flag: "wx" });
}

/** Removes parents created for the project, innermost first, as long as they are empty. */
async function removeEmpty(innermost: string, outermost: string): Promise<void> {
  for (let folder = innermost; folder.startsWith(outermost); folder = dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}
