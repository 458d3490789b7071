import { basename } from "node:path";
import validate from "validate-npm-package-name";
import { isDeviceName } from "../../internal/files.ts";
import { UserError } from "../../internal/user-error.ts";

/** Sources of a project's name. */
export interface NameSource {
  /** Absolute path of the project's folder. */
  readonly folder: string;
  /** Name requested by the user. Default: one like the name of the folder. */
  readonly name?: string;
  /** Names of the project's dependencies: npm installs no package into a project of the same name. */
  readonly taken: readonly string[];
}

/** Returns the package name of a new project. A folder whose name is none, such as `My Server`, gives a similar one. @throws {UserError} for an invalid `name`. */
export function readPackageName({ folder, name, taken }: NameSource): string {
  if (name === undefined) return suggestName(basename(folder), taken);
  checkPackageName(name, taken);
  return name;
}

/** Rejects a requested name if it is no package name. @throws {UserError} with a valid suggestion. */
export function checkPackageName(name: string, taken: readonly string[]): void {
  const reason = nameProblem(name, taken);
  if (reason === undefined) return;
  throw new UserError(
    `${JSON.stringify(name)} (from --name) cannot be a package name: ${reason}. ` +
      `Choose another, for example --name ${suggestName(name, taken)}`,
  );
}

/** Returns a valid package name similar to a text: the text itself if it is one. */
export function suggestName(text: string, taken: readonly string[]): string {
  if (nameProblem(text, taken) === undefined) return text;
  const slug = text
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, maxLength - suffix.length)
    .replaceAll(/-+$/g, "");
  if (nameProblem(slug, taken) === undefined) return slug;
  const longer = `${slug}${suffix}`;
  return nameProblem(longer, taken) === undefined ? longer : "my-mcp-server";
}

const maxLength = 64;
const suffix = "-server";

function nameProblem(name: string, taken: readonly string[]): string | undefined {
  const { errors = [], ...result } = validate(name);
  const [problem] = "warnings" in result && result.warnings ? [...errors, ...result.warnings] : errors;
  if (problem !== undefined) return problem;
  if (name.length > maxLength) return `name is longer than ${maxLength} characters`;
  const unscoped = name.slice(name.indexOf("/") + 1);
  if (isDeviceName(unscoped)) return "Windows reserves it for a device";
  if (unscoped.startsWith(".") || unscoped.startsWith("-")) return `name cannot start with ${unscoped.charAt(0)}`;
  if (unscoped.endsWith(".")) return "name cannot end with a dot, which Windows takes away";
  if (taken.includes(name)) return "the project depends on a package of this name";
  return undefined;
}
