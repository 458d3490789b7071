import { cleanSchema } from "../tool-schema/clean-schema.ts";
import { toTypeName, uniqueName } from "../tool-schema/names.ts";
import { isRecord } from "../tool-schema/reading.ts";
import { SchemaRefusal } from "../tool-schema/safe-schema.ts";

/** What a value is, or what it refers to within the document. Throws a {@link SchemaRefusal} for references that lead elsewhere. */
export function follow(value: unknown, document: unknown, hops = 32): unknown {
  if (!isRecord(value) || value.$ref === undefined) return value;
  if (hops === 0) throw new SchemaRefusal(`${JSON.stringify(value.$ref)} refers to itself`);
  return follow(findTarget(value.$ref, document), document, hops - 1);
}

/** A schema taken out of its document. */
export interface Extract {
  readonly schema: Record<string, unknown>;
  /** Whether something that it refers to was left open, because there is too much of it. */
  readonly isOpen: boolean;
}

/**
 * Characters that a schema may have before what else it refers to is left open. In some documents everything leads to everything: then each tool
 * would describe the whole API. Hosts hand schemas to models, which need to know what to send, and what the first levels of an answer are.
 */
const fullAt = { request: 40_000, response: 15_000 } as const;

/** A schema of the document that stands for itself: whatever it refers to is among its own definitions. */
export function extractSchema(schema: unknown, document: unknown, side: "request" | "response"): Extract {
  const names = new Map<string, string>();
  const reference = (target: string, path: string): string => {
    findTarget(target, document, path);
    const wanted = toTypeName(target.slice(target.lastIndexOf("/") + 1));
    const taken = new Set(names.values());
    const name = names.get(target) ?? uniqueName(wanted, (one) => taken.has(one));
    names.set(target, name);
    return `#/$defs/${name}`;
  };
  const clean = (value: unknown): unknown => cleanSchema(value, { reference, side });
  const root = clean(schema);
  // The map grows while it is walked: definitions refer to others.
  const definitions: [string, unknown][] = [];
  let size = lengthOf(root);
  let isOpen = false;
  for (const [target, name] of names) {
    const isFull = size >= fullAt[side];
    const definition = isFull ? {} : clean(findTarget(target, document));
    definitions.push([name, definition]);
    size += lengthOf(definition);
    isOpen ||= isFull;
  }
  const own = isRecord(root) ? root : {};
  return { schema: definitions.length === 0 ? own : { ...own, $defs: Object.fromEntries(definitions) }, isOpen };
}

function lengthOf(schema: unknown): number {
  return JSON.stringify(schema).length;
}

function findTarget(reference: unknown, document: unknown, path = "$ref"): unknown {
  const shown = JSON.stringify(reference)?.slice(0, 120);
  if (typeof reference !== "string" || !reference.startsWith("#/"))
    throw new SchemaRefusal(`${path} leads out of the document (${shown}) and is never fetched`);
  let target = document;
  for (const segment of reference.slice(2).split("/")) {
    const key = unescape(segment);
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key))
      throw new SchemaRefusal(`${path} leads nowhere (${shown})`);
    target = Reflect.get(target, key);
  }
  return target;
}

function unescape(segment: string): string {
  try {
    return decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    // Not percent-encoded: then it is meant as it stands.
    return segment.replaceAll("~1", "/").replaceAll("~0", "~");
  }
}
