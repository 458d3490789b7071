import { SpecError } from "../internal/spec-error.ts";
import { findGoneNames } from "../model/gone-names.ts";
import { readNames, usedNames } from "../model/names.ts";
import type { RevisionModel } from "../model.ts";

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

const lostNames = "names that code uses are not declared; if the revision really has none, add them to `removed`:";
const staleNames = "`removed` has names that this revision does not remove; delete them there:";
