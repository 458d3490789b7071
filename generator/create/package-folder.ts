import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { writeTree } from "../emit/tree.ts";
import { wholeFolder } from "../move.ts";
import { packageRoot } from "../package-info.ts";
import { UserError } from "../user-error.ts";
import type { LayerChoices } from "./layer/choices.ts";

/** Returns the path of a spec folder relative to a project, with forward slashes. */
export function toSpecPath(spec: string, project: string): string {
  return relative(project, resolve(spec)).split(sep).join("/");
}

/** Returns the spec folder of an update: the named one, or the one that the layer was emitted from. @throws {UserError} when that is missing. */
export function findSpec(
  named: string | false | undefined,
  { project, choices }: { readonly project: string; readonly choices: LayerChoices },
): string | undefined {
  if (named !== undefined) return named === false ? undefined : resolve(named);
  if (choices.spec === undefined) return undefined;
  const spec = resolve(project, choices.spec);
  if (existsSync(join(spec, "pins.json"))) return spec;
  throw new UserError(
    `${project} was made from the revisions in ${spec}, which are not there. Say where they are with --spec, or take those of this package with --no-spec.`,
  );
}

/**
 * Runs work on a folder that projects can be created from, with `runtime/`, `generated/`, `spec/` and `templates/`. Without a spec folder it is that
 * of this package; with one, a temporary copy with the revisions of that spec folder, which is removed afterwards.
 */
export async function withPackageFolder<Result>(
  spec: string | undefined,
  work: (packageFolder: string) => Promise<Result>,
): Promise<Result> {
  if (spec === undefined) return work(packageRoot);
  // Loaded only here: it needs a compiler and a formatter.
  const { emitTree } = await import("../generate.ts");
  const tree = await emitTree({ spec });
  const folder = await mkdtemp(join(tmpdir(), "create-mcp-server-"));
  try {
    for (const name of ["runtime", "templates"])
      await cp(join(packageRoot, name), join(folder, name), { recursive: true });
    await cp(spec, join(folder, "spec"), { recursive: true });
    await writeTree(join(folder, "generated"), tree);
    return await work(folder);
  } finally {
    await rm(folder, wholeFolder);
  }
}
