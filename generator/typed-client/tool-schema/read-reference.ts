import { note, type Reading } from "./reading.ts";
import { anySchema, type SafeSchema } from "./safe-schema.ts";
import { toTypeName } from "./names.ts";
import { uniqueName } from "../../internal/unique-name.ts";
import { escapeKey, valueAt } from "../../../runtime/internal/json-pointer.ts";
import { parseUrl } from "../../../runtime/internal/parse-url.ts";

/**
 * Follows `$ref` within the schema: by pointer, anchor or embedded identifier. Reports references to other places, and does not follow them.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
export function resolveReference(
  schema: Record<string, unknown>,
  path: string,
  reading: Reading,
): Pick<SafeSchema, "reference"> {
  const { $ref } = schema;
  if ($ref === undefined) return {};
  const place = `${path}/$ref`;
  const target = typeof $ref === "string" ? findTarget($ref, path, reading.root) : undefined;
  if (!target) {
    const shown = JSON.stringify($ref)?.slice(0, 100) ?? "nothing";
    const isLocal = typeof $ref === "string" && $ref.startsWith("#");
    const why = isLocal ? "does not resolve" : "points outside the schema and is never fetched";
    note(reading, "removed", place, `${shown} ${why}; any value is accepted`);
    return {};
  }
  return { reference: define(target, reading) };
}

/** A schema within a schema, with its pointer. */
export interface Target {
  readonly pointer: string;
  readonly schema: unknown;
}

/** Registers a definition. Its name is reserved before the definition is read, because it may refer to itself. */
function define({ pointer, schema }: Target, reading: Reading): string {
  const taken = reading.names.get(pointer);
  if (taken !== undefined) return taken;
  const last = pointer.slice(pointer.lastIndexOf("/") + 1);
  const name = uniqueName(toTypeName(last === "" ? "Root" : last), (one) => reading.definitions.has(one));
  reading.names.set(pointer, name);
  reading.definitions.set(name, anySchema);
  reading.definitions.set(name, reading.read(schema, pointer, reading));
  return name;
}

/** Finds the target of a reference within the schema, seen from a place in it. */
export function findTarget($ref: string, place: string, root: unknown): Target | undefined {
  const resources = resourcesOf(root);
  const target = resolveUri($ref, baseOf(place, resources));
  const [uri = "", fragment = ""] = target?.split(/#(.*)/s) ?? [];
  const resource = resources.find((one) => one.uri === uri);
  if (!resource) return undefined;
  if (fragment === "") return resource;
  return fragment.startsWith("/") ? findPointer(fragment, resource) : findAnchor(resource, fragment);
}

/** A schema with an identifier, or the root. */
interface Resource extends Target {
  readonly uri: string;
}

/** Cached resources by root schema. */
const known = new WeakMap<object, readonly Resource[]>();

function resourcesOf(root: unknown): readonly Resource[] {
  if (typeof root !== "object" || root === null) return [];
  const found = known.get(root) ?? listResources(root);
  known.set(root, found);
  return found;
}

/** Lists the root and all schemas with an identifier. The schema is limited in depth and size. */
function listResources(root: object): readonly Resource[] {
  const found: Resource[] = [];
  const visit = (schema: unknown, pointer: string, base: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    const { $id }: { $id?: unknown } = schema;
    const own = typeof $id === "string" ? resolveUri($id.replace(/#.*/s, ""), base) : undefined;
    if (pointer === "" || own !== undefined) found.push({ pointer, schema, uri: own ?? base });
    for (const [key, value] of Object.entries(schema)) visit(value, `${pointer}/${escapeKey(key)}`, own ?? base);
  };
  visit(root, "", anonymous);
  return found;
}

/** Address of a schema without an identifier. */
const anonymous = "schema:///";

/** Returns the identifier of the innermost resource around a place. */
function baseOf(place: string, resources: readonly Resource[]): string {
  const around = resources.filter(({ pointer }) => `${place}/`.startsWith(`${pointer}/`));
  return around.at(-1)?.uri ?? anonymous;
}

function resolveUri(reference: string, base: string): string | undefined {
  return parseUrl(reference, base)?.href;
}

function findPointer(fragment: string, { pointer: start, schema: resource }: Target): Target | undefined {
  let path: string;
  try {
    path = decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
  const schema = valueAt(resource, path);
  return schema === undefined ? undefined : { pointer: start + path, schema };
}

/** Finds a schema with this `$anchor` or `$dynamicAnchor`. The schema is limited in depth and size. */
function findAnchor({ pointer, schema }: Target, anchor: string): Target | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  const { $anchor, $dynamicAnchor }: { $anchor?: unknown; $dynamicAnchor?: unknown } = schema;
  if ($anchor === anchor || $dynamicAnchor === anchor) return { pointer, schema };
  for (const [key, value] of Object.entries(schema)) {
    const found = findAnchor({ pointer: `${pointer}/${escapeKey(key)}`, schema: value }, anchor);
    if (found) return found;
  }
  return undefined;
}
