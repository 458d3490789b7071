import { typeText } from "../../generator/emit/type-text.ts";
import type { Declaration, ExtensionModel, RevisionModel } from "../../generator/model.ts";
import { resolveObject } from "../../generator/model/resolve.ts";
import { compareMessages, compareModels } from "./compare-models.ts";
import { compareExtensionRules } from "./compare-rules.ts";
import type { ContractChange } from "../../generator/typed-client/contract/impact.ts";
import { compareSides, type Comparison } from "./comparison.ts";
import type { Messages } from "./writers.ts";

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

/** Compares two versions of an extension: its own declarations, not those of the core. */
export function compareExtensionModels(older: ExtensionModel, newer: ExtensionModel): Comparison {
  const own = new Set([...older.declarations, ...newer.declarations].map(({ name }) => name));
  const isOwn = ({ subject }: ContractChange): boolean =>
    !subject.startsWith("type ") || own.has(subject.slice("type ".length).replace(/\..*$/, ""));
  return {
    kind: "revisions",
    older: versionText(older),
    newer: versionText(newer),
    changes: [
      ...compareExtensionRules(older.rules, newer.rules),
      ...compareMessages(toMessages(older), toMessages(newer)).filter(isOwn),
    ],
    timeline: [],
    matrix: [],
    sides: compareSides(readSides(older, older.scope), readSides(newer, newer.scope)),
  };
}

function toMessages({ scope, methods, rules: { declared } }: ExtensionModel): Messages {
  return { declarations: scope, methods, declared };
}

/** Returns the identifier of an extension with the start of the hash of its schema. */
function versionText({ rules, source }: ExtensionModel): string {
  return `${rules.id} (sha256 ${source.sha256.slice(0, 12)})`;
}

/** Returns the declarations in full, by name. `scope` has the declarations they refer to. */
function readSides(
  { declarations }: Pick<RevisionModel, "declarations">,
  scope: readonly Declaration[] = declarations,
): ReadonlyMap<string, readonly string[]> {
  return new Map(declarations.map((declaration) => [declaration.name, fieldsOf(declaration, { declarations: scope })]));
}

/** Returns a declaration field by field, including inherited fields. */
function fieldsOf({ kind, name, shape }: Declaration, model: Pick<RevisionModel, "declarations">): string[] {
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
