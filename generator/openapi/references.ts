import { cleanSchema } from "../typed-client/tool-schema/clean-schema.ts";
import { toTypeName } from "../typed-client/tool-schema/names.ts";
import { uniqueName } from "../internal/unique-name.ts";
import { isRecord } from "../internal/json-text.ts";
import { findTarget, follow } from "./follow.ts";
import { acceptText } from "./large-integers.ts";
import { findSubtypes, isBaseReference, markBases, prepareAlternatives } from "./discriminators.ts";

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
  const names = new Map<string, Definition>();
  const subtypes = new Map<string, Record<string, unknown> | undefined>();
  const subtypesOf = (target: string): Record<string, unknown> | undefined => {
    if (!subtypes.has(target)) subtypes.set(target, findSubtypes(target, document));
    return subtypes.get(target);
  };
  const reference = (target: string, path: string, from: object): string => {
    findTarget(target, document, path);
    const isBase = isBaseReference(from) && subtypesOf(target) !== undefined;
    const key = isBase ? `${target} as base` : target;
    const wanted = toTypeName(target.slice(target.lastIndexOf("/") + 1)) + (isBase ? "Base" : "");
    const taken = new Set([...names.values()].map(({ name }) => name));
    const known = names.get(key) ?? { name: uniqueName(wanted, (one) => taken.has(one)), target, isBase };
    names.set(key, known);
    return `#/$defs/${known.name}`;
  };
  const resolve = (value: unknown): unknown => follow(value, document);
  const followRoot = (target: string): unknown => {
    const alternatives = subtypesOf(target);
    return alternatives ? { type: "object", ...alternatives } : markBases(follow({ $ref: target }, document));
  };
  const prepare = (value: Record<string, unknown>) => {
    const prepared = prepareAlternatives(value, document);
    return side === "response" ? acceptText(prepared) : prepared;
  };
  const clean = (value: unknown): unknown => cleanSchema(value, { reference, side, prepare, resolve });
  const root = clean(isRecord(schema) && typeof schema.$ref === "string" ? followRoot(schema.$ref) : schema);
  // The map grows during the loop: definitions refer to others.
  const definitions: [string, unknown][] = [];
  let size = lengthOf(root);
  let isOpen = false;
  for (const { name, target, isBase } of names.values()) {
    const isFull = size >= fullAt[side];
    const whole = isFull || isBase ? undefined : subtypesOf(target);
    const definition = isFull ? {} : clean(whole ?? markBases(findTarget(target, document)));
    definitions.push([name, definition]);
    size += lengthOf(definition);
    isOpen ||= isFull;
  }
  const own = isRecord(root) ? root : {};
  return { schema: definitions.length === 0 ? own : { ...own, $defs: Object.fromEntries(definitions) }, isOpen };
}

interface Definition {
  readonly name: string;
  readonly target: string;
  /** True for the schema without the alternatives of its discriminator. */
  readonly isBase: boolean;
}

function lengthOf(schema: unknown): number {
  return JSON.stringify(schema).length;
}
