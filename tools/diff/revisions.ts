import { typeText } from "../../generator/emit/type-text.ts";
import type { Declaration, RevisionModel } from "../../generator/model.ts";
import { resolveObject } from "../../generator/model/resolve.ts";
import { compareModels } from "./compare-models.ts";
import { compareSides, type Comparison } from "./comparison.ts";

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
    sides: compareSides(readSides(older), readSides(newer)),
  };
}

function readSides(model: RevisionModel): ReadonlyMap<string, readonly string[]> {
  return new Map(model.declarations.map((declaration) => [declaration.name, fieldsOf(declaration, model)]));
}

/** Returns a declaration field by field, including inherited fields. */
function fieldsOf({ kind, name, shape }: Declaration, model: RevisionModel): string[] {
  const object = kind === "interface" ? resolveObject({ kind: "reference", name }, model) : undefined;
  if (!object) return [plain(typeText(shape))];
  return object.properties.map((one) => `${one.name}${one.optional ? "?" : ""}: ${plain(typeText(one.shape))}`);
}

function plain(text: string): string {
  return text
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
