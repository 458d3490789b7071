import { isObject } from "../../generated/support.ts";

/** Keywords whose member names are chosen by the author of the schema. */
const maps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependentRequired",
  "dependencies",
]);

/** Keywords whose values are data, even if they look like schemas. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** Copies a JSON Schema, with each direct subschema replaced. */
export function mapSubschemas(
  schema: object,
  replace: (subschema: Record<string, unknown>) => unknown,
): Record<string, unknown> {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    return isObject(value) ? replace(value) : value;
  };
  const members = Object.entries(schema).map(([keyword, value]: [string, unknown]): [string, unknown] => {
    if (data.has(keyword)) return [keyword, value];
    if (!maps.has(keyword) || !isObject(value)) return [keyword, inner(value)];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]))];
  });
  return Object.fromEntries(members);
}

/** Lists a JSON Schema and all schemas inside of it. */
export function listSchemas(schema: Record<string, unknown>): readonly Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  const visit = (node: Record<string, unknown>): void => {
    found.push(node);
    mapSubschemas(node, visit);
  };
  visit(schema);
  return found;
}

/**
 * Puts properties with few possible values first. They often distinguish alternatives, and validators check properties in their order, up to the
 * first failure.
 */
export function sortProperties(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(properties);
  const isFirst = ([, schema]: readonly [string, unknown]): boolean =>
    isObject(schema) && (schema.const !== undefined || schema.enum !== undefined);
  return Object.fromEntries([...entries.filter(isFirst), ...entries.filter((entry) => !isFirst(entry))]);
}
