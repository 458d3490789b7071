import type { ExtensionModel, RevisionModel, Shape } from "../model.ts";
import { declarationsByName, resolveAlias, resolveObject } from "./resolve.ts";

/** Features of other revisions missing from one, each with a sentence about the revision where it was added or removed. Keys are sorted. */
export interface Missing {
  /** Methods missing from this revision, by the name of their declaration. */
  readonly methods: ReadonlyMap<string, string>;
  /** Properties missing from data types of this revision, by declaration and name. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Objects missing from this revision, by the value of their `type`. */
  readonly kinds: ReadonlyMap<string, string>;
}

/** Finds the features of other models of a build missing from this one, except members provided by extensions of the revision. */
export function findMissing(
  model: RevisionModel,
  models: readonly RevisionModel[],
  extensions: readonly ExtensionModel[],
): Missing {
  const sorted = [...new Set([...models, model])].sort((a, b) => (a.id < b.id ? -1 : 1));
  const provided = new Set(extensions.flatMap(({ rules }) => rules.provides));
  const where = { model, sorted, provided };
  const carriers = methodsIn(sorted);
  const missing = [...carriers.keys()].filter((type) => !has(model, type)).sort();
  const dataTypes = model.declarations.map(({ name }) => name).filter((name) => !membersOf(model, name)?.has("method"));
  return {
    methods: toSentences(missing, (type) => sentenceOf(carriers.get(type) ?? type, where, (other) => has(other, type))),
    members: new Map(
      dataTypes.map((name) => [name, findMembers(name, where)] as const).filter(([, found]) => found.size > 0),
    ),
    kinds: findKinds(where),
  };
}

interface Where {
  readonly model: RevisionModel;
  /** All models of the build, oldest first. */
  readonly sorted: readonly RevisionModel[];
  /** Members provided by an extension, as `Type.member`. */
  readonly provided: ReadonlySet<string>;
}

function findMembers(type: string, where: Where): ReadonlyMap<string, string> {
  const own = membersOf(where.model, type);
  if (!own) return new Map();
  const others = where.sorted.flatMap((other) => [...(membersOf(other, type) ?? [])]);
  const missing = [...new Set(others)]
    .filter((member) => !own.has(member) && !where.provided.has(`${type}.${member}`))
    .sort();
  return toSentences(missing, (member) =>
    sentenceOf(`${type}.${member}`, where, (other) => membersOf(other, type)?.has(member) ?? false),
  );
}

function findKinds(where: Where): ReadonlyMap<string, string> {
  const kinds = new Map(where.sorted.map((model) => [model, kindsOf(model)]));
  const hasKind = (model: RevisionModel, kind: string): boolean => kinds.get(model)?.has(kind) ?? false;
  const missing = [...new Set([...kinds.values()].flatMap((found) => [...found]))]
    .filter((kind) => !hasKind(where.model, kind))
    .sort();
  return toSentences(missing, (kind) => sentenceOf(`"${kind}" content`, where, (other) => hasKind(other, kind)));
}

/** Returns the values of `type` among the alternatives of properties called `content`. */
function kindsOf(model: RevisionModel): ReadonlySet<string> {
  const objects = model.declarations.map(({ name }) => resolveObject({ kind: "reference", name }, model));
  const contents = objects.flatMap((object) => object?.properties.filter(({ name }) => name === "content") ?? []);
  return new Set(contents.flatMap(({ shape }) => kindsIn(shape, model)));
}

function kindsIn(shape: Shape, model: RevisionModel): readonly string[] {
  const found = resolveAlias(shape, model);
  if (found.kind === "array") return kindsIn(found.items, model);
  if (found.kind === "union") return found.of.flatMap((option) => kindsIn(option, model));
  const mark = resolveObject(found, model)?.properties.find(({ name }) => name === "type")?.shape;
  return mark?.kind === "literal" && typeof mark.value === "string" ? [mark.value] : [];
}

function membersOf(model: RevisionModel, name: string): ReadonlySet<string> | undefined {
  if (!has(model, name)) return undefined;
  const object = resolveObject({ kind: "reference", name }, model);
  return object && new Set(object.properties.map((property) => property.name));
}

function has(model: RevisionModel, name: string): boolean {
  return declarationsByName(model).has(name);
}

/** Returns the names of methods on the wire, by their declaration. */
function methodsIn(models: readonly RevisionModel[]): ReadonlyMap<string, string> {
  return new Map(models.flatMap(({ methods }) => methods.map(({ type, name }) => [type, name])));
}

/** Returns a sentence about the revision where a feature was added or, if it no longer exists, removed. */
function sentenceOf(subject: string, { model, sorted }: Where, isIn: (model: RevisionModel) => boolean): string {
  const later = sorted.find((other) => other.id > model.id && isIn(other));
  if (later) return `${subject} was added in revision ${later.id}`;
  const last = sorted.findLastIndex(isIn);
  return `${subject} was removed in revision ${sorted[last + 1]?.id ?? model.id}`;
}

function toSentences(names: readonly string[], toSentence: (name: string) => string): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [name, toSentence(name)]));
}
