import type { Named, UsedName } from "./names.ts";
import { shapeAt } from "./places.ts";

/** Names that code uses, compared with those of a revision. */
export interface GoneNames {
  /** Names that the revision before has, and that this one neither has nor removes. A declaration stands for all below it. */
  readonly lost: readonly string[];
  /** Removed names that are not gone. */
  readonly stale: readonly string[];
}

/** Compares the names that code uses in two revisions. `removed` lists those that the newer one no longer has; a declaration stands for all below it. */
export function findGoneNames(
  used: readonly UsedName[],
  revisions: { readonly before: Named; readonly after: Named; readonly removed: readonly string[] },
): GoneNames {
  const { before, after, removed } = revisions;
  const gone = used.filter((name) => name.isIn(before) && !name.isIn(after)).map(({ name }) => name);
  const lost = gone.filter((name) => !removed.some((entry) => covers(entry, name)));
  return {
    lost: [...new Set(lost.map((name) => toOutermost(name, after)))],
    stale: removed.filter((entry) => shapeAt(entry, after) !== undefined || !gone.some((name) => covers(entry, name))),
  };
}

function covers(entry: string, name: string): boolean {
  return name === entry || name.startsWith(`${entry}.`) || name.startsWith(`${entry}:`);
}

/** Returns the first part of a place that is not declared: the declaration itself, or the member that a longer path leads through. */
function toOutermost(name: string, model: Named): string {
  if (!/^[A-Z]\w*[.:]/.test(name)) return name;
  const [place = ""] = name.split(":", 1);
  const ends = [...place.matchAll(/\.|$/g)].map(({ index }) => place.slice(0, index));
  return ends.find((end) => shapeAt(end, model) === undefined) ?? name;
}
