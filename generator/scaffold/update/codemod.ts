import type { RevisionModel } from "../../model.ts";
import { countText } from "../../internal/text.ts";
import type { Place } from "./misfits.ts";
import { findRenames, planRewrites, type Rename, type Rewrite } from "./rename.ts";

/** Mechanical changes of a project's own code for another revision. */
export interface Codemod {
  readonly renames: readonly Rename[];
  readonly rewrites: readonly Rewrite[];
  /** Lines that the codemod changes. */
  readonly settled: readonly Place[];
}

/** Plans the mechanical changes of a project's own code. Writes nothing. */
export async function planCodemod(project: string, older: RevisionModel, newer: RevisionModel): Promise<Codemod> {
  const renames = findRenames(older, newer);
  const rewrites = await planRewrites(project, { renames, revisions: { from: older.id, to: newer.id } });
  const settled = rewrites.flatMap(({ file, places }) => places.map(({ line }) => ({ file, line })));
  return { renames, rewrites, settled };
}

/** Describes the changes, one line each, and their number. */
export function describeCodemod({ rewrites, settled }: Codemod, dryRun: boolean): readonly string[] {
  const lines = rewrites.flatMap(({ file, places }) =>
    places.map(({ line, from, to }) => `${file}:${line}: ${from} is ${to}`),
  );
  const done = dryRun ? "would be rewritten; nothing was." : "rewritten.";
  return [...lines, `${countText(settled.length, "place")} in ${countText(rewrites.length, "file")} ${done}`];
}
