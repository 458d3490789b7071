import { mkdirSync, writeFileSync } from "node:fs";
import { mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Tree } from "../emit/tree.ts";
import type { Target } from "./target.ts";
import { setImmediate } from "node:timers/promises";
import { move, wholeFolder } from "../move.ts";
import { UserError, systemCode } from "../user-error.ts";

/** Where a project is written. */
type Place = Pick<Target, "folder" | "exists">;

/** How a project is written. */
export interface WriteOptions {
  /** Stops the writing; nothing stays behind. */
  readonly signal?: AbortSignal;
  /** Files that are no text, by path. */
  readonly archives?: ReadonlyMap<string, Uint8Array>;
  /** Writes one file that does not exist yet. Default: the file system's. */
  readonly write?: (path: string, content: string | Uint8Array) => void;
}

/**
 * Writes a project all at once: into a folder aside, which then takes its place. When anything fails, all that was made
 * is removed again.
 */
export async function writeProject(target: Place, tree: Tree, options: WriteOptions = {}): Promise<void> {
  try {
    await (target.exists ? fill(target.folder, tree, options) : make(target.folder, tree, options));
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || error === options.signal?.reason) throw error;
    throw new UserError(
      `${target.folder} could not be written (${code}); nothing was left behind. Choose another place, or free this one.`,
      { cause: error },
    );
  }
}

/** A new folder: its sibling is renamed, which is one step. */
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
 * An empty folder stays, because a shell may stand in it and it may be a mount point: what was written aside, inside it,
 * moves up entry by entry.
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

/** Without waiting: for many small files that takes many times as long as writing them. A folder at a time, so that signals come through. */
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

/** `wx` neither overwrites nor follows a link. */
function writeNew(path: string, content: string | Uint8Array): void {
  writeFileSync(path, content, { flag: "wx" });
}

/** Removes parents that were made for the project, innermost first, as long as they are empty. */
async function removeEmpty(innermost: string, outermost: string): Promise<void> {
  for (let folder = innermost; folder.startsWith(outermost); folder = dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}
