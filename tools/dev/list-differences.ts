import { isObject } from "../../generated/support.ts";
import { listKinds, type ListKind } from "../../runtime/protocol/methods/list-kinds.ts";
import type { CoreServer } from "../../runtime/server/server.ts";
import { toJsonSchema, type Schema } from "../../runtime/server/standard-schema.ts";

/** Difference between the lists of two servers. */
export interface ListDifference {
  readonly kind: ListKind;
  /** Names or URIs of definitions, each with a sign: `+` was added, `-` was removed, `~` is shown in another way. */
  readonly changes: readonly string[];
}

/** Compares what two servers show in their lists. Definitions are equal if they differ only in their functions. */
export function compareLists(before: CoreServer, after: CoreServer): readonly ListDifference[] {
  return listKinds.flatMap((kind) => {
    const changes = compareEntries(readEntries(before, kind), readEntries(after, kind));
    return changes.length > 0 ? [{ kind, changes }] : [];
  });
}

function compareEntries(before: Entries, after: Entries): readonly string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const changes = names.flatMap((name) => {
    if (!before.has(name)) return [`+${name}`];
    if (!after.has(name)) return [`-${name}`];
    return before.get(name) === after.get(name) ? [] : [`~${name}`];
  });
  const isMoved = changes.length === 0 && [...before.keys()].join("\n") !== [...after.keys()].join("\n");
  return isMoved ? ["another order"] : changes;
}

/** Descriptions of the definitions in a list, by name or URI. */
type Entries = ReadonlyMap<string, string>;

const lists: { readonly [Kind in ListKind]: readonly string[] } = {
  tools: ["tools"],
  resources: ["resources", "resourceTemplates"],
  prompts: ["prompts"],
};

function readEntries(server: CoreServer, kind: ListKind): Entries {
  const definitions = lists[kind].flatMap((name) => readList(Reflect.get(server, name)));
  return new Map(definitions.map((definition) => [keyOf(definition), describe(definition)]));
}

function readList(list: unknown): readonly unknown[] {
  return isObject(list) && isIterable(list) ? [...list] : [];
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}

function keyOf(definition: unknown): string {
  const { uri, uriTemplate, name } = isObject(definition) ? definition : {};
  return String(uri ?? uriTemplate ?? name);
}

/** Describes a definition as text. Without a text, because a value in it is not JSON, it differs from every other. */
function describe(definition: unknown): string {
  try {
    return JSON.stringify(definition, describeMember);
  } catch {
    return crypto.randomUUID();
  }
}

/** Functions do not matter, except the ones to select what a client is shown. */
function describeMember(name: string, value: unknown): unknown {
  if (isSchema(value)) return toJsonSchema(value, name === "outputSchema" ? "output" : "input", {});
  if (typeof value !== "function") return value;
  return name === "visible" || name === "list" ? String(value) : undefined;
}

/** Some libraries make schemas of functions. */
function isSchema(value: unknown): value is Schema<unknown> {
  return (isObject(value) || typeof value === "function") && "~standard" in value;
}
