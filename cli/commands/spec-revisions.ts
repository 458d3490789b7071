import { resolve } from "node:path";
import { revisions as packagedRevisions } from "../../generated/revisions.ts";
import type { Extension, Revision } from "../../runtime/index.ts";
import { knownExtensions } from "../../runtime/gateway/extensions.ts";
import { findSpec } from "../../generator/scaffold/layer/catalogue.ts";
import { findProject, readInstalledLayer } from "../../generator/scaffold/layer/installed-layer.ts";

/** Value of the option `spec`. */
export interface SpecFlags {
  /** Spec folder; `false`: the one of this package. Default: the one of the project in the working directory, if there is a project. */
  readonly spec?: string | false;
}

/**
 * Returns the tables of the spec folder named by a command, or of the project in a folder, or of this package: revisions, newest first, and extensions,
 * those of this package included. `spec` is the folder; `undefined` for the one of this package.
 *
 * @throws {UserError} when the spec folder of the project is missing.
 * @throws {SpecError} when a file of the spec folder is not valid.
 */
export async function openSpecRevisions(
  flags: SpecFlags,
  folder: string = process.cwd(),
): Promise<{
  readonly spec: string | undefined;
  readonly revisions: readonly Revision[];
  readonly extensions: readonly Extension[];
}> {
  const spec = await chooseSpec(flags, folder);
  if (spec === undefined) return { spec, revisions: packagedRevisions, extensions: knownExtensions };
  const { loadTables } = await import("./load-tables.ts");
  const { revisions, extensions } = await loadTables(spec);
  // The gateway relies on its own tables of the extensions of this package.
  const further = extensions.filter((one) => !knownExtensions.some(({ id }) => id === one.id));
  return { spec, revisions, extensions: [...knownExtensions, ...further] };
}

/** Returns the spec folder of a command; `undefined` for the one of this package. @throws {UserError} when the project's is missing. */
export async function chooseSpec({ spec }: SpecFlags, folder: string = process.cwd()): Promise<string | undefined> {
  if (spec !== undefined) return spec === false ? undefined : resolve(spec);
  const project = findProject(resolve(folder));
  if (project === undefined) return undefined;
  // A command that needs nothing else of the project works without its lock file.
  const layer = await readInstalledLayer(project).catch(() => undefined);
  return layer && findSpec(undefined, { project, choices: layer.choices });
}
