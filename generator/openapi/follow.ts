import { valueAtFragment } from "../../runtime/internal/json-pointer.ts";
import { isRecord } from "../internal/json-text.ts";
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

/**
 * Returns the target of a reference within the document.
 *
 * @throws {SchemaRejection} when it leads out of the document or leads nowhere.
 */
export function findTarget(reference: unknown, document: unknown, path = "$ref"): unknown {
  const shown = JSON.stringify(reference)?.slice(0, 120);
  if (typeof reference !== "string" || !reference.startsWith("#/"))
    throw new SchemaRejection(`${path} points outside the document (${shown}) and is never fetched`);
  const target = valueAtFragment(document, reference);
  if (target === undefined) throw new SchemaRejection(`${path} does not resolve (${shown})`);
  return target;
}
