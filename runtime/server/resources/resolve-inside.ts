import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/**
 * Resolves a path that a client names to the file or folder below a root, with every symbolic link followed. Gives `undefined` for what does
 * not exist and for paths that are hostile or lead outside, so that a client cannot tell one from the other: absolute paths, `..`, NUL, drive
 * letters, links to elsewhere. Rejects if the root does not exist.
 *
 * The result holds at the time of the check: programs that may write into the root can replace a file by a link afterwards.
 */
export async function resolveInside(root: string | URL, path: string): Promise<string | undefined> {
  const folder = await realpath(typeof root === "string" ? root : fileURLToPath(root));
  if (!isPlain(path)) return undefined;
  const target = await findTarget(join(folder, path));
  return target !== undefined && isBelow(folder, target) ? target : undefined;
}

/** Backslashes separate everywhere: a path means the same on every platform. */
function isPlain(path: string): boolean {
  if (path.includes("\0") || /^(?:[/\\]|[a-z]:)/i.test(path)) return false;
  const segments = path.split(/[/\\]/);
  if (segments.includes("..")) return false;
  return process.platform !== "win32" || !segments.some((segment) => windowsSpecial.test(segment));
}

/** Names of devices and of alternate data streams. */
const windowsSpecial = /:|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

async function findTarget(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && absent.includes(String(error.code))) return undefined;
    throw error;
  }
}

const absent: readonly string[] = ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];

function isBelow(folder: string, target: string): boolean {
  const path = relative(folder, target);
  return path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
