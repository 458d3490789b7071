import { digestText } from "../../emit/digest-text.ts";
import { coreUses } from "../../emit/extension-files.ts";
import type { Templates } from "../../internal/templates.ts";
import { convertView, type ConvertView } from "../../emit/views/convert.ts";
import { declarationsView } from "../../emit/views/declarations.ts";
import { factsOf, methodsView, tableTypes } from "../../emit/views/methods.ts";
import { typesView } from "../../emit/views/types.ts";
import { supportOf, validateView, type FunctionView, type ValidateView } from "../../emit/views/validate.ts";
import { findMissing } from "../../model/missing.ts";
import type { Declaration, ExtensionModel, Method, RevisionModel } from "../../model.ts";
import { declarationsByName } from "../../model/resolve.ts";
import { referencesIn } from "../../model/shapes.ts";
import { negotiatesExtensions, type SpecModels } from "../../read/spec-models.ts";
import { hasEveryMethod, type LayerChoices } from "./choices.ts";
import { addOmittedFeatures, usedDeclarations } from "./declarations.ts";
import { narrowModel } from "./narrow-model.ts";
import type { ConversionsById } from "./packaged-conversions.ts";
import { shareChecks, type SharedChecks } from "./shared-checks.ts";

/** Templates for {@link emitRevisions}. */
export const revisionTemplates = ["types.ts", "validate.ts", "convert.ts", "methods.ts", "declarations.ts"] as const;

/** What the layers of a spec folder have in common: the templates, the conversions to the older revisions, and the extensions. */
export interface LayerParts {
  readonly templates: Templates;
  readonly conversions: ConversionsById;
  /** Extensions of the folder that the runtime does not have. */
  readonly extensions: readonly ExtensionModel[];
}

/** Command that writes the layer again. */
export const updateCommand = "npx create-mcp-server update";

/** A revision of a project, the part used by the project, and the checks for this part. */
interface UsedRevision {
  readonly model: RevisionModel;
  readonly narrow: RevisionModel;
  readonly checks: ValidateView;
}

/**
 * Returns the unformatted files of every revision of a project, by path relative to `src/mcp/`. The newest revision has types, because the code of
 * the project is written for it. The other revisions have conversions.
 */
export function emitRevisions(
  choices: LayerChoices,
  spec: SpecModels,
  { templates, conversions, extensions }: LayerParts,
): Map<string, string> {
  const used = choices.revisions.map((id) => readUsed(id, choices, spec));
  const ofExtensions = usesOf(extensions, choices);
  const shared = shareChecks(
    used.map(({ model, checks }, at) => ({
      revision: model.id,
      functions: calledChecks(checks, at === 0 ? ofExtensions.checks : []),
    })),
  );
  const files = used.flatMap((revision, at) => {
    const { model } = revision;
    const isNewest = at === 0;
    const header = { project: true, command: updateCommand, source: model.source.path, digest: digestText(model) };
    const convert = isNewest ? undefined : conversionsView(revision, choices, conversions);
    const views = {
      "validate.ts": checksView(revision, shared),
      "methods.ts": {
        ...tablesView(revision),
        converts: convert !== undefined,
        receives: convert !== undefined && convert.received.length > 0,
      },
      ...(convert ? { "convert.ts": convert } : newestViews(revision, choices, spec, ofExtensions.types)),
    };
    return Object.entries(views).map(([name, view]): [string, string] => [
      `${model.id}/${name}`,
      templates.render(name, { ...view, ...header }),
    ]);
  });
  return new Map(files);
}

function readUsed(id: string, choices: LayerChoices, { models }: SpecModels): UsedRevision {
  const model = models.find((one) => one.id === id);
  if (!model) throw new Error(`Revision ${id} was chosen but has no model; this is a bug in generator/scaffold.`);
  const narrow = narrowModel(model, choices);
  return { model, narrow, checks: validateView(narrow) };
}

/** Returns the types and checks of the newest revision that its extensions import. */
function usesOf(
  extensions: readonly ExtensionModel[],
  { revisions: [newest] }: LayerChoices,
): { readonly types: readonly string[]; readonly checks: readonly string[] } {
  const uses = extensions.filter(({ core }) => core.id === newest).map(coreUses);
  return { types: uses.flatMap(({ types }) => types), checks: uses.flatMap(({ checks }) => checks) };
}

/** Returns the checks the dispatch tables and `further` refer to, and the ones called by these, in their order. */
function calledChecks({ functions, tableChecks }: ValidateView, further: readonly string[]): readonly FunctionView[] {
  const byName = new Map(functions.map((check) => [check.name, check]));
  const called = new Set([...tableChecks, ...further]);
  for (const name of called) for (const other of byName.get(name)?.calls ?? []) called.add(other);
  return functions.filter(({ name }) => called.has(name));
}

/** View of the checks of one revision: its own, and the ones taken from newer revisions. */
function checksView({ model, checks }: UsedRevision, all: readonly SharedChecks<FunctionView>[]): object {
  const own = all.find(({ revision }) => revision === model.id);
  const functions = own?.functions ?? [];
  const called = new Set(functions.flatMap(({ calls }) => calls));
  const taken = new Set(all.flatMap(({ shared }) => shared.get(model.id) ?? []));
  return {
    support: supportOf(functions),
    functions: functions.map((check) => (taken.has(check.name) ? { ...check, export: "export " } : check)),
    shared: [...(own?.shared ?? [])].map(([revision, names]) => ({
      revision,
      imported: names.filter((name) => called.has(name)).join(", "),
      exported: names.filter((name) => checks.tableChecks.has(name)).join(", "),
    })),
  };
}

/** View of the dispatch tables. Their rows have no types of params and results, which only generated stubs need. */
function tablesView({ model, narrow, checks }: UsedRevision): object {
  const view = methodsView(narrow, checks.callees);
  return { ...view, ...factsOf(model), support: [...tableTypes(view.tables), "Revision", "Table"].sort().join(", ") };
}

/** Views of the files for the newest revision only: its types, and its declarations by name. */
function newestViews(
  { model, narrow }: UsedRevision,
  choices: LayerChoices,
  { models, extensions }: SpecModels,
  ofExtensions: readonly string[],
): Record<"types.ts" | "declarations.ts", object> {
  const names = usedDeclarations(model, choices);
  const missing = findMissing(model, models, negotiatesExtensions(model) ? extensions : []);
  const methods = hasEveryMethod(choices) ? model.methods : model.methods.filter(({ type }) => hasMethod(narrow, type));
  const types = reachDeclarations(model, [...names, ...methods.flatMap(typesOf), ...ofExtensions]);
  return {
    "types.ts": typesView({ constants: model.constants, declarations: types }),
    "declarations.ts": {
      ...declarationsView(
        { declarations: model.declarations.filter(({ name }) => names.includes(name)) },
        addOmittedFeatures(missing, model, choices),
      ),
      subset: !hasEveryMethod(choices),
    },
  };
}

function hasMethod({ methods }: RevisionModel, type: string): boolean {
  return methods.some((method) => method.type === type);
}

/** Names of the declarations of a method: its own, its params and its results. */
function typesOf({ type, params, result, alternatives }: Method): readonly string[] {
  return [
    type,
    ...(params ? referencesIn(params.shape) : []),
    ...(result ? referencesIn(result) : []),
    ...alternatives.map((alternative) => alternative.type),
  ];
}

/** Returns the named declarations and everything they refer to, in the order of the schema. */
function reachDeclarations(model: RevisionModel, names: readonly string[]): readonly Declaration[] {
  const known = declarationsByName(model);
  const reached = new Set(names);
  for (const name of reached) {
    const declaration = known.get(name);
    if (!declaration) continue;
    for (const other of [...declaration.extends, declaration.shape].flatMap(referencesIn)) reached.add(other);
  }
  return model.declarations.filter(({ name }) => reached.has(name));
}

/**
 * View of the conversions of an older revision: of the methods used in the project, and without a client only of what a server sends and receives.
 * The code of the project is written for its newest revision.
 */
function conversionsView(
  { model, narrow }: UsedRevision,
  { client, revisions: [newest = ""] }: LayerChoices,
  all: ConversionsById,
): ConvertView {
  const written = all.get(model.id);
  if (!written) throw new Error(`Revision ${model.id} has no conversions; this is a bug in generator/scaffold.`);
  const received = written.received.findLast(({ since }) => since <= newest);
  return convertView(narrow, { ...written, received: received ? [received] : [] }, client ? undefined : "server");
}
