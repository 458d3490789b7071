import { existsSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { UserError } from "../../internal/user-error.ts";
import type { LayerChoices } from "./choices.ts";

/** Returns the path of a spec folder relative to a project, with forward slashes. */
export function toSpecPath(spec: string, project: string): string {
  return relative(project, resolve(spec)).split(sep).join("/");
}

/** Returns the spec folder of an update: the named one, or the one that the project was made from. @throws {UserError} when that is missing. */
export function findSpec(
  named: string | false | undefined,
  { project, choices }: { readonly project: string; readonly choices: LayerChoices },
): string | undefined {
  if (named !== undefined) return named === false ? undefined : resolve(named);
  if (choices.spec === undefined) return undefined;
  const spec = resolve(project, choices.spec);
  if (existsSync(join(spec, "pins.json"))) return spec;
  throw new UserError(
    `${spec} has no revisions; name their folder with --spec, or take those of the package with --no-spec`,
  );
}
