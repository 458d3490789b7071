import { SpecError } from "../internal/spec-error.ts";
import type { ExtensionModel, RevisionModel } from "../model.ts";
import { readNames, usedNames, type Named, type UsedName } from "./names.ts";
import { shapeAt } from "./places.ts";

const lostNames = "names that code uses are not declared; if the revision really has none, add them to `removed`:";
const staleNames = "`removed` has names that this revision does not remove; delete them there:";

/**
 * Checks that each revision has the names used in code, or lists them as removed.
 *
 * @throws {SpecError} when a name of the revision before is missing, or when a removed one is not missing.
 */
export function checkNames(models: readonly RevisionModel[]): void {
  const used = usedNames(readNames());
  const nothing = { declarations: [], methods: [], rules: { errors: [], headers: [], reservedMeta: [] } };
  for (const [index, after] of models.entries()) {
    const before = models[index - 1] ?? nothing;
    const { lost, stale } = findGoneNames(used, { before, after, removed: after.removed ?? [] });
    const file = after.source.path.replace(/[^/]*$/, "overlay.json");
    if (lost.length > 0) throw new SpecError({ file, text: [lostNames, ...lost].join("\n  ") });
    if (stale.length > 0) throw new SpecError({ file, text: [staleNames, ...stale].join("\n  ") });
  }
}

const lostOfExtension =
  "names that code uses are not declared by the extension; restore them, or remove the extension from pins.json:";

/**
 * Checks that each extension has the names used in code.
 *
 * @throws {SpecError} when a name is missing
 */
export function checkExtensionNames(extensions: readonly ExtensionModel[]): void {
  const { extensions: names } = readNames();
  for (const { name, scope, methods, rules, source } of extensions) {
    const named: Named = {
      declarations: scope,
      methods,
      rules: { errors: [], headers: rules.headers, reservedMeta: [] },
    };
    const lost = usedNames(names[name] ?? {}).filter((used) => !used.isIn(named));
    const outermost = new Set(lost.map((used) => toOutermost(used.name, named)));
    if (outermost.size > 0)
      throw new SpecError({ file: source.path, text: [lostOfExtension, ...outermost].join("\n  ") });
  }
}

/** Compares two revisions by the names used in code. `removed` lists names gone from the newer one; a declaration stands for all below it. */
export function findGoneNames(
  used: readonly UsedName[],
  revisions: { readonly before: Named; readonly after: Named; readonly removed: readonly string[] },
): {
  /** Names of the revision before, neither present nor removed in the newer one. A declaration stands for all below it. */
  readonly lost: readonly string[];
  /** Names listed as removed, but not gone. */
  readonly stale: readonly string[];
} {
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
