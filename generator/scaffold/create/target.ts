import { constants } from "node:fs";
import { access, lstat, readdir, stat } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { UserError, systemCode } from "../../internal/user-error.ts";

/** Place of a new project. */
export interface Target {
  /** Absolute path of the project's folder. */
  readonly folder: string;
  /** True if the folder exists already, and is empty. */
  readonly exists: boolean;
  /** Nearest existing folder: the project's own, or an ancestor to create it in. */
  readonly nearest: string;
}

/** Resolves the folder of a new project. Changes nothing. @throws {UserError} when the folder cannot become a project. */
export async function findTarget(directory: string): Promise<Target> {
  if (directory.trim() === "") {
    throw new UserError("name a folder for the new project, for example: create-mcp-server my-server");
  }
  if (/\p{Cc}/u.test(directory)) {
    throw new UserError(`the folder's name ${JSON.stringify(directory)} has control characters. Choose another.`);
  }
  if (sep === "/" && /^[a-z]:\\/i.test(directory))
    throw new UserError(`${directory} is a path of Windows. Name a folder of this system, for example ./my-server.`);
  const folder = resolve(directory);
  const kind = await kindOf(folder);
  if (kind === "link")
    throw new UserError(`${folder} is a symbolic link. Name the folder that it leads to, or choose another name.`);
  if (kind === "other") throw new UserError(`${folder} exists and is not a folder. Choose another name.`);
  if (kind === "folder") await checkEmpty(folder);
  const nearest = kind === "folder" ? folder : await nearestFolder(dirname(folder));
  await checkWritable(nearest);
  return { folder, exists: kind === "folder", nearest };
}

type Kind = "absent" | "folder" | "link" | "other";

async function kindOf(path: string): Promise<Kind> {
  try {
    const entry = await lstat(path);
    if (entry.isSymbolicLink()) return "link";
    return entry.isDirectory() ? "folder" : "other";
  } catch (error) {
    // ENOTDIR: one of its parents is a file, which `nearestFolder` reports.
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return "absent";
    if (systemCode(error) === "ENAMETOOLONG")
      throw new UserError("the folder's name is too long. Choose a shorter one.");
    throw new UserError(`${path} cannot be accessed (${systemCode(error)}). Choose another folder.`, { cause: error });
  }
}

/** Names permitted in an empty folder: a fresh repository, and files left behind by macOS and Windows. */
const harmless: readonly string[] = [".git", ".DS_Store", "desktop.ini", "Thumbs.db"];

async function checkEmpty(folder: string): Promise<void> {
  const present = (await list(folder)).filter((name) => !harmless.includes(name));
  if (present.length === 0) return;
  const shown = present.slice(0, 5).join(", ");
  const more = present.length > 5 ? ` and ${present.length - 5} more` : "";
  const other = present.includes("package.json") ? " To add a server to an application: create-mcp-server init" : "";
  throw new UserError(
    `${folder} is not empty (${shown}${more}). Choose another folder, or empty this one first.${other}`,
  );
}

async function list(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    throw new UserError(`${folder} cannot be read (${systemCode(error)}). Choose another folder.`, { cause: error });
  }
}

async function nearestFolder(path: string): Promise<string> {
  try {
    if ((await stat(path)).isDirectory()) return path;
  } catch (error) {
    const parent = dirname(path);
    if (systemCode(error) === "ENOENT" && parent !== path) return nearestFolder(parent);
    if (systemCode(error) === "ENOTDIR") return nearestFolder(parent);
    throw new UserError(`${path} cannot be accessed (${systemCode(error)}). Choose another folder.`, { cause: error });
  }
  throw new UserError(`${path} is a file, so it cannot contain a folder. Choose another path.`);
}

async function checkWritable(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UserError(`${folder} cannot be written to. Change its permissions or choose another place.`, {
      cause: error,
    });
  }
}
