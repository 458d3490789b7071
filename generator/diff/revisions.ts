import { typeText } from "../emit/type-text.ts";
import type { Declaration, RevisionModel } from "../model.ts";
import { declarationsByName, resolveObject } from "../model/resolve.ts";
import { compareModels } from "./compare-models.ts";
import type { Comparison, Side } from "./comparison.ts";

/** Compares two revisions. `all` lists the known revisions, for an overview. */
export function compareRevisionModels(
  older: RevisionModel,
  newer: RevisionModel,
  all: readonly RevisionModel[],
): Comparison {
  const sorted = [...all].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    kind: "revisions",
    older: older.id,
    newer: newer.id,
    changes: compareModels(older, newer),
    timeline: sorted.map((model) => ({
      id: model.id,
      status: model.status,
      lifecycle: model.rules.lifecycle,
      methods: model.methods.length,
      declarations: model.declarations.length,
      isCompared: model === older || model === newer,
    })),
    matrix: [...new Set(sorted.flatMap(({ methods }) => methods.map(({ name }) => name)))].sort().map((method) => ({
      method,
      cells: sorted.map((model) => model.methods.find(({ name }) => name === method)?.senders.join(", ") ?? ""),
    })),
    sides: readSides(older, newer),
  };
}

function readSides(older: RevisionModel, newer: RevisionModel): Side[] {
  const before = declarationsByName(older);
  const after = declarationsByName(newer);
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((name) => {
    const side = { subject: name, before: linesOf(before.get(name), older), after: linesOf(after.get(name), newer) };
    return side.before.join("\n") === side.after.join("\n") ? [] : [side];
  });
}

/** Returns a declaration field by field, including inherited fields. */
function linesOf(declaration: Declaration | undefined, model: RevisionModel): string[] {
  if (!declaration) return [];
  const object =
    declaration.kind === "interface" ? resolveObject({ kind: "reference", name: declaration.name }, model) : undefined;
  if (!object) return [plain(typeText(declaration.shape))];
  return object.properties.map(
    ({ name, optional, shape }) => `${name}${optional ? "?" : ""}: ${plain(typeText(shape))}`,
  );
}

function plain(text: string): string {
  return text
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
