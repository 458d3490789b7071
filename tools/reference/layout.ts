import type { Method, Shape } from "../../generator/model.ts";
import { declarationsByName, resolveObject } from "../../generator/model/resolve.ts";
import { referencesIn } from "../../generator/model/shapes.ts";
import { plainResultNames } from "../../generator/emit/method-text.ts";
import { anchorOf } from "./markdown.ts";
import type { LinkOf } from "./type-links.ts";
import type { Version } from "./versions.ts";

/** Page with several messages, and the types used only by them. */
export interface MessagePage {
  readonly file: string;
  readonly title: string;
  /** Names of the methods. */
  readonly messages: readonly string[];
  readonly types: readonly string[];
}

/** Distribution of the messages and types of all versions to pages. */
export interface Layout {
  /** All versions, oldest first. */
  readonly all: readonly Version[];
  readonly pages: readonly MessagePage[];
  /** Types used by messages of several pages. */
  readonly shared: readonly string[];
  /** Types outside the parameters and results of all messages: envelopes, base types, errors. */
  readonly envelope: readonly string[];
  /** Types described in the section of a message: its parameters and its result. The values are names of methods. */
  readonly owners: ReadonlyMap<string, string>;
  /** Returns a function for the links of a page to sections about types. */
  linksFrom(file: string): LinkOf;
  /** Returns a function for the links of a page to sections about methods. */
  linksToMethods(file: string): (method: string) => string;
}

/** File of the page about types used by several pages. */
export const sharedFile = "types.md";

/** File of the page about the types of JSON-RPC. */
export const envelopeFile = "json-rpc.md";

/** Versions to assign to pages, and how. */
export interface LayoutInput {
  /** All versions, oldest first. */
  readonly all: readonly Version[];
  /** Returns the page of a method. */
  readonly groupOf: (method: string) => Pick<MessagePage, "file" | "title">;
  /** File of the page about types used by no message. */
  readonly envelopeFile: string;
  /** Layout of the core, for an extension: its types keep their pages. */
  readonly base?: Pick<Layout, "all" | "linksFrom">;
}

/** Assigns messages and types to pages. */
export function layOut({ all, groupOf, envelopeFile, base }: LayoutInput): Layout {
  const newestFirst = [...all].reverse();
  const messages = unique(newestFirst.flatMap(({ methods }) => methods.map(({ name }) => name)));
  const groups = new Map(messages.map((name) => [groupOf(name).file, groupOf(name)]));
  const messagesOf = (file: string): string[] => messages.filter((name) => groupOf(name).file === file);
  const owners = findOwners(all);
  const used = [...groups.keys()].map((file) => ({ file, types: reach(all, messagesOf(file), owners) }));
  const core = new Set(base?.all.at(-1)?.declarations);
  const described = unique(
    newestFirst.flatMap(({ declarations }) =>
      declarations.filter((each) => !core.has(each) && !owners.has(each.name)).map(({ name }) => name),
    ),
  );
  const filesOf = (type: string): string[] => used.filter(({ types }) => types.has(type)).map(({ file }) => file);
  const onlyIn = (file: string): string[] => described.filter((type) => filesOf(type).join() === file);
  const pages = [...groups.values()].map((group) => ({
    ...group,
    messages: messagesOf(group.file),
    types: onlyIn(group.file),
  }));
  const shared = described.filter((type) => filesOf(type).length > 1);
  const envelope = described.filter((type) => filesOf(type).length === 0);
  const homes = new Map([
    ...pages.flatMap(({ file, types }) => types.map((type) => [type, { file, heading: type }] as const)),
    ...shared.map((type) => [type, { file: sharedFile, heading: type }] as const),
    ...envelope.map((type) => [type, { file: envelopeFile, heading: type }] as const),
    ...[...owners].map(([type, method]) => [type, { file: groupOf(method).file, heading: method }] as const),
  ]);
  return {
    all,
    pages,
    shared,
    envelope,
    owners,
    linksFrom: (file) => (type) => {
      const home = homes.get(type);
      return home ? addressOf(home, file) : base?.linksFrom(file)(type);
    },
    linksToMethods: (file) => (method) => addressOf({ file: groupOf(method).file, heading: method }, file),
  };
}

function addressOf({ file, heading }: { readonly file: string; readonly heading: string }, from: string): string {
  return `${file === from ? "" : file}#${anchorOf(heading)}`;
}

/** Finds the types of exactly one method: the type with its name, its parameters, its own result. */
function findOwners(all: readonly Version[]): ReadonlyMap<string, string> {
  const users = new Map<string, Set<string>>();
  for (const method of all.flatMap(({ methods }) => methods)) {
    for (const type of ownTypes(method)) users.set(type, (users.get(type) ?? new Set()).add(method.name));
  }
  return new Map([...users].flatMap(([type, [first, ...others]]) => (first && !others.length ? [[type, first]] : [])));
}

/** Returns the type of a method's message, the type of its parameters and the type of its own result. */
export function ownTypes(method: Method): string[] {
  const { type, params } = method;
  const result = plainResultNames(method).slice(0, 1);
  return [type, ...(params?.shape.kind === "reference" ? [params.shape.name] : []), ...result];
}

/**
 * Returns the names of the types behind messages, directly or through others. Types described in the section of another message are included, and
 * their parts are not.
 */
function reach(
  all: readonly Version[],
  names: readonly string[],
  owners: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const version of all) {
    const seen = new Set<string>();
    const methods = version.methods.filter(({ name }) => names.includes(name));
    const open = methods.flatMap((method) => shapesOf(method));
    for (let shape = open.pop(); shape; shape = open.pop()) {
      for (const name of referencesIn(shape).filter((each) => !seen.has(each))) {
        seen.add(name);
        const owner = owners.get(name);
        if (owner === undefined || names.includes(owner)) open.push(...partsOf(name, version));
      }
    }
    for (const name of seen) found.add(name);
  }
  return found;
}

function shapesOf({ params, result, alternatives }: Method): Shape[] {
  return [
    ...(params ? [params.shape] : []),
    ...(result ? [result] : []),
    ...alternatives.map(({ type: name }): Shape => ({ kind: "reference", name })),
  ];
}

/** Returns the shapes inside a declaration, including inherited ones. */
function partsOf(name: string, version: Version): Shape[] {
  const object = resolveObject({ kind: "reference", name }, version);
  if (object) return [...object.properties.map(({ shape }) => shape), ...(object.index ? [object.index] : [])];
  const declaration = declarationsByName(version).get(name);
  return declaration ? [declaration.shape] : [];
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
