import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Resolves a path from a client to a file or folder below a root, and follows every symbolic link. Returns `undefined` for missing paths, for hostile
 * ones (absolute paths, `..`, NUL, drive letters) and for links to other places: a client cannot distinguish them.
 *
 * The result holds at the time of the check: programs with write access to the root can replace a file by a link afterwards.
 *
 * @throws {Error} when the root does not exist.
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { resolveInside } from "mcp-server-runtime";
 *
 * const page = defineResourceTemplate({
 *   uriTemplate: "page:///{+path}",
 *   name: "page",
 *   read: async ({ path }) => {
 *     const file = await resolveInside("pages", path);
 *     return file && readFile(file, "utf8");
 *   },
 * });
 * ```
 */
export async function resolveInside(root: string | URL, path: string): Promise<string | undefined> {
  const folder = await realpath(typeof root === "string" ? root : fileURLToPath(root));
  if (!isPlain(path)) return undefined;
  const target = await findTarget(join(folder, path));
  return target !== undefined && isBelow(folder, target) ? target : undefined;
}

/** True if a path is relative and harmless. Backslashes are separators on every platform: a path means the same everywhere. */
function isPlain(path: string): boolean {
  if (path.includes("\0") || /^(?:[/\\]|[a-z]:)/i.test(path)) return false;
  const segments = path.split(/[/\\]/);
  if (segments.includes("..")) return false;
  return process.platform !== "win32" || !segments.some((segment) => windowsSpecial.test(segment));
}

/** Names of devices and of alternate data streams on Windows. */
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
