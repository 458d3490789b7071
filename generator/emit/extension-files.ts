import type { ExtensionModel, Method } from "../model.ts";
import { methodsOf, tableSpecs, viewTables, type MessageTable } from "./method-text.ts";
import { referencesIn } from "../model/shapes.ts";
import { digestText } from "./digest-text.ts";
import { findStage, readStages } from "../read/stages.ts";
import type { Templates } from "../internal/templates.ts";
import { literalText, rowTypesIn, tableViews } from "./views/methods.ts";
import { typesView } from "./views/types.ts";
import { validateView, type ValidateView } from "./views/validate.ts";

/** Templates for {@link emitExtension}. */
export const extensionTemplates = [
  "extension-types.ts",
  "extension-validate.ts",
  "extension-methods.ts",
  "extension-index.ts",
] as const;

/**
 * Returns the unformatted text of the files of one extension, by path relative to the output folder.
 *
 * @param command - command that writes the files again, for their first lines; default: the one of this repository
 */
export function emitExtension(model: ExtensionModel, templates: Templates, command?: string): Map<string, string> {
  const core = model.core.id;
  const header = { source: model.source.path, digest: digestText(model), core, command };
  const types = typesView(model);
  const validate = validateView(model);
  const uses = usesOf(model, validate);
  const views = {
    "types.ts": { ...types, imports: uses.types.join(", "), exports: uses.tableTypes.join(", ") },
    "validate.ts": { ...validate, imports: uses.checks.join(", "), exports: uses.tableChecks.join(", ") },
    "methods.ts": methodsView(model, validate.callees),
    "index.ts": {
      names: model.declarations.map(({ name }) => name),
      values: [...usedTables(model, [...messageSpecs, ...viewTables]).map(({ name }) => name), "extension"]
        .sort()
        .join(", "),
    },
  };
  return new Map(
    Object.entries(views).map(([name, view]) => [
      `extensions/${model.name}/${name}`,
      templates.render(`extension-${name}`, { ...header, ...view }),
    ]),
  );
}

/** Names of the core that the files of an extension use. */
interface CoreUses {
  readonly types: readonly string[];
  readonly checks: readonly string[];
  /** Types and checks in the dispatch tables, which find them beside those of the extension. */
  readonly tableTypes: readonly string[];
  readonly tableChecks: readonly string[];
}

/** Returns the types and checks of the core that the files of an extension import. */
export function coreUses(model: ExtensionModel): Pick<CoreUses, "types" | "checks"> {
  const { types, tableTypes, checks, tableChecks } = usesOf(model, validateView(model));
  return { types: [...types, ...tableTypes], checks: [...checks, ...tableChecks] };
}

function usesOf({ core, declarations, methods }: ExtensionModel, validate: ValidateView): CoreUses {
  const names = core.declarations.map(({ name }) => name);
  const named = new Set(declarations.flatMap((own) => [...own.extends, own.shape].flatMap(referencesIn)));
  const called = new Set(validate.functions.flatMap(({ calls }) => calls));
  const inTables = new Set(methods.flatMap(typesInTables));
  const checksIn = (checks: ReadonlySet<string>): readonly string[] =>
    names.map((name) => `check${name}`).filter((name) => checks.has(name));
  return {
    types: names.filter((name) => named.has(name)),
    checks: checksIn(called),
    tableTypes: names.filter((name) => inTables.has(name)),
    tableChecks: checksIn(validate.tableChecks),
  };
}

/** Returns the named types of the params and results of a method. */
function typesInTables({ params, result, alternatives }: Method): readonly string[] {
  const shapes = [...(params?.shape.kind === "reference" ? [params.shape] : []), ...(result ? [result] : [])];
  return [...shapes.flatMap(referencesIn), ...alternatives.map(({ type }) => type)];
}

/** Tables of messages: an extension has no input requests of its own. */
const messageSpecs = tableSpecs.filter(({ kind }) => kind !== "embedded");

function usedTables({ methods }: ExtensionModel, all: readonly MessageTable[]): readonly MessageTable[] {
  return all.filter((spec) => methodsOf(methods, spec).length > 0);
}

/** Says what the stage of an extension means; empty if the stage is not known. */
function stageText(id: string): string {
  const stage = findStage(id, readStages())?.stage;
  return stage === undefined || stage === "stable" ? (stage ?? "") : `${stage}: it may change incompatibly`;
}

function methodsView(model: ExtensionModel, checks: ValidateView["callees"]): object {
  const { methods, rules, scope, status } = model;
  const used = usedTables(model, messageSpecs);
  const tabled = { methods, declarations: scope };
  const tables = tableViews(tabled, used, checks);
  const others = tableViews(tabled, usedTables(model, viewTables), checks);
  const { id, lifecycles, declared, headers, results, members } = rules;
  const emptyTables = messageSpecs.filter((spec) => !used.includes(spec)).map(({ name }) => name);
  const checkName = (type: string): string => `check${type}`;
  return {
    support: ["Extension", ...(emptyTables.length > 0 ? ["NoRows"] : []), ...rowTypesIn([...tables, ...others])]
      .sort()
      .join(", "),
    tables: [...tables, ...others],
    extensionTables: tables,
    emptyTables,
    stage: stageText(id),
    id: literalText(id),
    status: literalText(status),
    lifecycles: literalText(lifecycles),
    declared: Object.entries(declared).map(([side, type]) => ({ side, check: checkName(type) })),
    headers: headers.map(literalText),
    results: results.map(({ method, kind, type }) => ({
      method: literalText(method),
      kind: literalText(kind),
      check: checkName(type),
    })),
    members: members.map(({ method, at, type }) => ({
      method: literalText(method),
      at: literalText(at),
      check: checkName(type),
    })),
  };
}
