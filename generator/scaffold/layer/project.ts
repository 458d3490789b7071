import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { lockName } from "./lock.ts";
import { UserError } from "../../internal/user-error.ts";

/** Returns the absolute path of the nearest project that contains a folder, or that is the folder itself. */
export function findProject(folder: string): string | undefined {
  if (isProject(folder)) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findProject(parent);
}

/** Requires a folder to be a project. @throws {UserError} that names the enclosing project, or the command that creates one. */
export function requireProject(folder: string): void {
  if (isProject(folder)) return;
  const project = findProject(dirname(folder));
  throw new UserError(
    project === undefined
      ? `${folder} is not a project (it has no ${mark}); run this in one, or make one: create-mcp-server my-server`
      : `${folder} is inside of a project; run this in its folder, ${project}`,
  );
}

function isProject(folder: string): boolean {
  return existsSync(join(folder, mark));
}

/** File that identifies a project. */
const mark = `src/mcp/${lockName}`;
