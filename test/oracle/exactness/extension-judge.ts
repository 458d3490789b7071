import { join } from "node:path";
import { isObject } from "../../../generated/support.ts";
import { toJsonSchema, type JsonSchema } from "../json-schema.ts";
import type { ExtensionModel, RevisionModel, Shape } from "../../../generator/model.ts";
import { openSpecFolder } from "../../../generator/read/spec-folder.ts";
import { createValidators, type Validator } from "../official-validators.ts";
import { findStrays, type Judgement } from "./judge.ts";
import type { Seen } from "./tap.ts";

/** Holds what extensions add to a conversation against their pinned declarations, and gives back the conversation without it. */
export interface ExtensionJudge {
  judge(seen: readonly Seen[]): ExtensionJudgement;
}

/** Problems of the parts of extensions, the parts that occurred, and the rest, which belongs to the core. */
export interface ExtensionJudgement extends Judgement {
  readonly rest: readonly Seen[];
}

/**
 * Prepares a judge. Its validators are compiled by ajv from the JSON Schema of the declarations: another way from spec to check than that of the
 * generated code. It proves that nothing invalid and no unknown key is sent; that the declarations are those of the extension's authors is for the
 * comparison with their files to prove (test/upstream), which also brings those files' own schemas for this judge.
 */
export async function createExtensionJudge(
  names: readonly string[],
  official: Readonly<Record<string, JsonSchema>> = {},
): Promise<ExtensionJudge> {
  const folder = await openSpecFolder(join(import.meta.dirname, "../../../spec"));
  const newest = [...folder.pins.keys()].sort().at(-1) ?? "";
  const core = await folder.readModel(newest);
  const laws = await Promise.all(
    names.map(async (name) => createLaw(await folder.readExtension(name, core), official[name])),
  );
  return { judge: (seen) => judgeAll(seen, laws) };
}

interface Law {
  readonly extension: ExtensionModel;
  /** The extension upon its core, as something in which names are looked up. */
  readonly model: RevisionModel;
  readonly validatorOf: (definition: string) => Validator;
}

function createLaw(extension: ExtensionModel, official: JsonSchema | undefined): Law {
  const model = { ...extension.core, declarations: extension.scope };
  return { extension, model, validatorOf: createValidators(official ?? toJsonSchema(model)) };
}

type Members = Readonly<Record<string, unknown>>;

/** Outcome of a message or a part of it. */
interface Finding {
  readonly problems: readonly string[];
  readonly used: readonly string[];
}

const nothing: Finding = { problems: [], used: [] };

function judgeAll(seen: readonly Seen[], laws: readonly Law[]): ExtensionJudgement {
  const requested = new Map<string, string>();
  const findings: Finding[] = [];
  const rest = seen.filter(({ from, message }) => {
    if (!isObject(message)) return true;
    const { id, method } = message;
    if (typeof method === "string" && id !== undefined) requested.set(`${from} ${JSON.stringify(id)}`, method);
    const sender = from === "client" ? "server" : "client";
    const name = typeof method === "string" ? method : requested.get(`${sender} ${JSON.stringify(id)}`);
    const own = laws.flatMap((law) => judgeMessage(message, name, law));
    findings.push(...own, ...laws.map((law) => judgeMeta(message, law)));
    return own.length === 0;
  });
  const used = new Set(findings.flatMap((finding) => finding.used));
  const problems = findings.flatMap((finding) => finding.problems);
  return { problems, used, rest: rest.map((one) => ({ ...one, message: withoutExtensions(one.message, laws) })) };
}

/** A message that is the extension's as a whole; of others, the members that are. */
function judgeMessage(message: Members, name: string | undefined, law: Law): readonly Finding[] {
  const { extension } = law;
  const method = extension.methods.find((candidate) => candidate.name === name);
  const result = isObject(message.result) ? message.result : undefined;
  const other = extension.rules.results.find(({ method: of, kind }) => of === name && result?.resultType === kind);
  if (other) return [check(result, { name: other.type, law, use: `${name} ${other.kind}` })];
  if (!method || message.error !== undefined) return [];
  if (result) return method.result ? [check(result, { shape: method.result, law, use: `${name} result` })] : [];
  const params =
    message.params === undefined ? [] : findStrays(message.params, method.params?.shape ?? empty, law.model);
  const whole = law.validatorOf(method.type)(message) ? [] : [`${name}: invalid ${JSON.stringify(message)}`];
  return [{ problems: [...whole, ...params.map((path) => `${name} params: ${path}`)], used: [method.name] }];
}

const empty: Shape = { kind: "unknown" };

interface Checking {
  readonly law: Law;
  /** Description as text. */
  readonly use: string;
  readonly name?: string;
  readonly shape?: Shape;
}

function check(value: unknown, { law, use, name = "", shape = { kind: "reference", name } }: Checking): Finding {
  const fits = namesOf(shape).some((definition) => law.validatorOf(definition)(value));
  const strays = findStrays(value, shape, law.model).map((path) => `${use}: ${path}`);
  return { problems: [...(fits ? [] : [`${use}: invalid ${JSON.stringify(value)}`]), ...strays], used: [use] };
}

function namesOf(shape: Shape): readonly string[] {
  if (shape.kind === "reference") return [shape.name];
  return shape.kind === "union" ? shape.of.flatMap(namesOf) : [];
}

/** Checks the additions to messages of the core: declarations, members of params, and metadata of tools and resources. */
function judgeMeta(message: Members, law: Law): Finding {
  const { id, declared, members } = law.extension.rules;
  const settings = findAll(message, "extensions").flatMap((given) =>
    isObject(given) && given[id] !== undefined ? [given[id]] : [],
  );
  const side = isObject(message.result) ? declared.server : declared.client;
  const own = settings.map((value) =>
    side === undefined ? nothing : check(value, { name: side, law, use: `${id} declared as ${side}` }),
  );
  const added = members
    .filter(({ method }) => method === message.method)
    .map(({ type, at }) => check(pick(read(message.params, at), keysOf(type, law)), { name: type, law, use: type }));
  return merge([...own, ...added, ...(law.extension.name === "ui" ? judgeViews(message, law) : [])]);
}

/** Views: what `_meta.ui` says of tools, and of resources. */
function judgeViews({ result }: Members, law: Law): readonly Finding[] {
  const lists = isObject(result) ? result : {};
  const of = (member: string, name: string): readonly Finding[] => {
    const list = lists[member];
    return (Array.isArray(list) ? list : [])
      .map((item: unknown) => read(item, ["_meta", "ui"]))
      .filter((value) => value !== undefined)
      .map((value) => check(value, { name, law, use: name }));
  };
  return [...of("tools", "UiToolMeta"), ...of("resources", "UiResourceMeta"), ...of("contents", "UiResourceMeta")];
}

function merge(findings: readonly Finding[]): Finding {
  return { problems: findings.flatMap(({ problems }) => problems), used: findings.flatMap(({ used }) => used) };
}

/** The message as one who knows no extension would have it: without declarations, and without members that were added. */
function withoutExtensions(message: unknown, laws: readonly Law[]): unknown {
  if (!isObject(message)) return message;
  const added = laws.flatMap((law) =>
    law.extension.rules.members
      .filter(({ method }) => method === message.method)
      .map(({ at, type }) => ({ at: ["params", ...at], keys: keysOf(type, law) })),
  );
  const plain = added.reduce<unknown>(
    (value, { at, keys }) => change(value, at, (object) => omit(object, keys)),
    message,
  );
  const places = [
    ["params", "capabilities"],
    ["result", "capabilities"],
  ];
  return places.reduce<unknown>((value, at) => change(value, at, (object) => omit(object, ["extensions"])), plain);
}

function change(value: unknown, [key, ...rest]: readonly string[], to: (object: Members) => Members): unknown {
  if (!isObject(value)) return value;
  if (key === undefined) return to(value);
  return Object.hasOwn(value, key) ? { ...value, [key]: change(value[key], rest, to) } : value;
}

function omit(object: Members, keys: readonly string[]): Members {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

function pick(value: unknown, keys: readonly string[]): Members {
  return Object.fromEntries(Object.entries(isObject(value) ? value : {}).filter(([key]) => keys.includes(key)));
}

function keysOf(name: string, { model }: Law): readonly string[] {
  const shape = model.declarations.find((declaration) => declaration.name === name)?.shape;
  return shape?.kind === "object" ? shape.properties.map((property) => property.name) : [];
}

function read(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

/** Every value of this key, however deep. */
function findAll(value: unknown, key: string): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => findAll(item, key));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === key ? [inner] : findAll(inner, key)));
}
