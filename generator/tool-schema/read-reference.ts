import { isRecord, note, type Reading } from "./reading.ts";
import { anySchema, type SafeSchema } from "./safe-schema.ts";
import { toTypeName, uniqueName } from "./names.ts";

/**
 * Follows `$ref` within the schema: by pointer, anchor or embedded identifier. Whatever leads elsewhere is not followed but reported.
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
  const target = typeof $ref === "string" ? find($ref, reading.root) : undefined;
  if (!target) {
    const shown = JSON.stringify($ref)?.slice(0, 100) ?? "nothing";
    const isLocal = typeof $ref === "string" && $ref.startsWith("#");
    const why = isLocal ? "leads nowhere" : "leads out of the schema and is never fetched";
    note(reading, "removed", place, `${shown} ${why}; anything is accepted here`);
    return {};
  }
  return { reference: define(target, reading) };
}

interface Target {
  readonly pointer: string;
  readonly schema: unknown;
}

/** A name is taken before its definition is read, because it may refer to itself. */
function define({ pointer, schema }: Target, reading: Reading): string {
  const known = reading.names.get(pointer);
  if (known !== undefined) return known;
  const last = pointer.slice(pointer.lastIndexOf("/") + 1);
  const name = uniqueName(toTypeName(last === "" ? "Root" : last), (taken) => reading.definitions.has(taken));
  reading.names.set(pointer, name);
  reading.definitions.set(name, anySchema);
  reading.definitions.set(name, reading.read(schema, pointer, reading));
  return name;
}

function find($ref: string, root: unknown): Target | undefined {
  const own = isRecord(root) && typeof root.$id === "string" ? root.$id : undefined;
  const local = own !== undefined && $ref.startsWith(`${own}#`) ? $ref.slice(own.length) : $ref;
  if (local === "" || local === "#" || local === own) return { pointer: "", schema: root };
  if (local.startsWith("#/")) return findPointer(local.slice(1), root);
  return findMark(root, "", local);
}

function findPointer(fragment: string, root: unknown): Target | undefined {
  let pointer: string;
  try {
    pointer = decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
  let schema = root;
  for (const segment of pointer.slice(1).split("/")) {
    const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, key)) return undefined;
    schema = Reflect.get(schema, key);
  }
  return { pointer, schema };
}

/** Looks for a schema that bears `$anchor`, `$dynamicAnchor` or `$id`. The schema is bounded in depth and size. */
function findMark(schema: unknown, pointer: string, mark: string): Target | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  const { $anchor, $dynamicAnchor, $id }: { $anchor?: unknown; $dynamicAnchor?: unknown; $id?: unknown } = schema;
  if (`#${String($anchor)}` === mark || `#${String($dynamicAnchor)}` === mark || (pointer !== "" && $id === mark))
    return { pointer, schema };
  for (const [key, value] of Object.entries(schema)) {
    const found = findMark(value, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, mark);
    if (found) return found;
  }
  return undefined;
}
