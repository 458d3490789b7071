import { cleanSchema } from "../typed-client/tool-schema/clean-schema.ts";
import { toTypeName, uniqueName } from "../typed-client/tool-schema/names.ts";
import { isRecord } from "../typed-client/tool-schema/reading.ts";
import { SchemaRejection } from "../typed-client/tool-schema/safe-schema.ts";

/**
 * Resolves a value: returns the target of its reference within the document, or the value itself.
 *
 * @throws {SchemaRejection} when a reference leads out of the document, leads nowhere, or refers to itself.
 */
export function follow(value: unknown, document: unknown, hops = 32): unknown {
  if (!isRecord(value) || value.$ref === undefined) return value;
  if (hops === 0) throw new SchemaRejection(`${JSON.stringify(value.$ref)} refers to itself`);
  return follow(findTarget(value.$ref, document), document, hops - 1);
}

/** A schema extracted from its document. */
export interface Extract {
  readonly schema: Record<string, unknown>;
  /** True if some of its definitions accept anything, because the full schema would be too large. */
  readonly isOpen: boolean;
}

/**
 * Number of characters of a schema after which further definitions accept anything. In some documents every schema leads to every other one: then
 * each tool would describe the whole API. Hosts pass schemas to models, which need to know what to send, and the first levels of a response.
 */
const fullAt = { request: 40_000, response: 15_000 } as const;

/**
 * Extracts a self-contained schema from the document, with all referenced schemas among its own definitions.
 *
 * @throws {SchemaRejection} when a reference leads out of the document or leads nowhere.
 */
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
  const isDiscriminated = createDiscriminatorTest(document);
  const resolve = (value: unknown): unknown => follow(value, document);
  const clean = (value: unknown): unknown => cleanSchema(value, { reference, side, isDiscriminated, resolve });
  const root = clean(schema);
  // The map grows during the loop: definitions refer to others.
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

/** Returns a test for schemas with a discriminator: among their own keywords, or in a schema that each of their alternatives extends. */
function createDiscriminatorTest(document: unknown): (schema: Record<string, unknown>) => boolean {
  const known = new Map<unknown, boolean>();
  const inherits = (value: unknown, levels: number): boolean => {
    const schema = follow(value, document);
    if (!isRecord(schema) || levels === 0) return false;
    if (isRecord(schema.discriminator)) return true;
    const found = known.get(schema);
    if (found !== undefined) return found;
    known.set(schema, false);
    const isFound = Array.isArray(schema.allOf) && schema.allOf.some((base) => inherits(base, levels - 1));
    known.set(schema, isFound);
    return isFound;
  };
  return ({ discriminator, oneOf }) =>
    isRecord(discriminator) || (Array.isArray(oneOf) && oneOf.every((one) => inherits(one, 16)));
}

function lengthOf(schema: unknown): number {
  return JSON.stringify(schema).length;
}

function findTarget(reference: unknown, document: unknown, path = "$ref"): unknown {
  const shown = JSON.stringify(reference)?.slice(0, 120);
  if (typeof reference !== "string" || !reference.startsWith("#/"))
    throw new SchemaRejection(`${path} points outside the document (${shown}) and is never fetched`);
  let target = document;
  for (const segment of reference.slice(2).split("/")) {
    const key = unescape(segment);
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key))
      throw new SchemaRejection(`${path} does not resolve (${shown})`);
    target = Reflect.get(target, key);
  }
  return target;
}

function unescape(segment: string): string {
  try {
    return decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    // Not percent-encoded: use the segment unchanged.
    return segment.replaceAll("~1", "/").replaceAll("~0", "~");
  }
}
