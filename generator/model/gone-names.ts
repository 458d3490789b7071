import type { Named, UsedName } from "./names.ts";
import { shapeAt } from "./places.ts";

/** Names used in code, compared with a revision. */
export interface GoneNames {
  /** Names of the revision before, neither present nor removed in this one. A declaration stands for all below it. */
  readonly lost: readonly string[];
  /** Names listed as removed, but not gone. */
  readonly stale: readonly string[];
}

/** Compares two revisions by the names used in code. `removed` lists names gone from the newer one; a declaration stands for all below it. */
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

/** Returns the first undeclared part of a place: the declaration itself, or a member on a longer path. */
function toOutermost(name: string, model: Named): string {
  if (!/^[A-Z]\w*[.:]/.test(name)) return name;
  const [place = ""] = name.split(":", 1);
  const ends = [...place.matchAll(/\.|$/g)].map(({ index }) => place.slice(0, index));
  return ends.find((end) => shapeAt(end, model) === undefined) ?? name;
}
