import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { lockName } from "../create/lock.ts";
import { UserError } from "../user-error.ts";
import { moduleName } from "./package-module.ts";

/** Nearest project that a folder is in or is itself, as an absolute path. */
export function findProject(folder: string): string | undefined {
  if (isProject(folder)) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findProject(parent);
}

/** Throws a {@link UserError} that names the project above, or what makes one, when a folder is no project. */
export function requireProject(folder: string): void {
  if (isProject(folder)) return;
  const project = findProject(dirname(folder));
  throw new UserError(
    project === undefined
      ? `${folder} is not a project (it has no ${marks.join(" and no ")}); run this in one, or make one: create-mcp-server my-server`
      : `${folder} is inside of a project; run this in its folder, ${project}`,
  );
}

function isProject(folder: string): boolean {
  return marks.some((path) => existsSync(join(folder, path)));
}

/** Files of which a project has one. */
const marks: readonly string[] = [`src/mcp/${lockName}`, moduleName];
