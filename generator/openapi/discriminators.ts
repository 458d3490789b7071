import { escapeKey } from "../../runtime/internal/json-pointer.ts";
import { isRecord } from "../internal/json-text.ts";
import { findTarget, follow } from "./follow.ts";

type Schema = Record<string, unknown>;

/** Marks a reference to a schema without the alternatives of its discriminator. */
const asBase = Symbol("as base");

/** True for a reference to the schema without its alternatives, made by a schema that extends it. */
export function isBaseReference(schema: object): boolean {
  return Reflect.get(schema, asBase) === true;
}

/** Marks what a schema extends. */
export function markBases(schema: unknown): unknown {
  return isRecord(schema) ? markOwnBases(schema) : schema;
}

function markOwnBases(schema: Schema): Schema {
  if (!Array.isArray(schema.allOf)) return schema;
  return { ...schema, allOf: schema.allOf.map((one: unknown) => (isRecord(one) ? { ...one, [asBase]: true } : one)) };
}

/**
 * Prepares the alternatives of a schema. The API checks which of them a value fits, and values may fit several, so `oneOf` becomes `anyOf`.
 * Alternatives selected by a discriminator get its value.
 */
export function prepareAlternatives(schema: Schema, document: unknown): Schema {
  const extended = isRecord(schema.properties) || Object(schema.allOf).length > 1 ? markOwnBases(schema) : schema;
  const { oneOf, ...rest } = extended;
  const any = selectAll(rest.anyOf, schema, document);
  const one = selectAll(oneOf, schema, document);
  if (!one) return any ? { ...rest, anyOf: any } : extended;
  if (!any) return { ...rest, anyOf: one };
  const parts: readonly unknown[] = Array.isArray(rest.allOf) ? rest.allOf : [];
  return { ...rest, anyOf: any, allOf: [...parts, { anyOf: one }] };
}

/** Adds the values of a discriminator to the alternatives named in its mapping. */
function selectAll(list: unknown, { discriminator }: Schema, document: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const mapping = readMapping(discriminator, document);
  return list.map((one: unknown) => {
    const target = isRecord(one) ? String(one.$ref) : "";
    const values = mapping.get(target);
    return values ? select(target, { property: propertyOf(discriminator), values, document }) : one;
  });
}

/** Maximum number of listed subtypes. In some documents, every schema extends one of a few. */
const mostSubtypes = 32;

/**
 * Returns the alternatives of an extended schema: the ones in its mapping, and all others in the document. Returns `undefined` for a schema without a
 * discriminator, or with its own list of alternatives.
 */
export function findSubtypes(target: string, document: unknown): Schema | undefined {
  const schema = findTarget(target, document);
  if (!isRecord(schema) || schema.oneOf !== undefined || schema.anyOf !== undefined) return undefined;
  const property = propertyOf(schema.discriminator);
  if (property === "") return undefined;
  const mapping = readMapping(schema.discriminator, document);
  const found = listExtending(target, document);
  const targets = [...new Set([...mapping.keys(), ...found])];
  if (targets.length > mostSubtypes || targets.every((one) => one === target)) return undefined;
  const anyOf = targets.map((one) => {
    const values = mapping.get(one) ?? [one.slice(one.lastIndexOf("/") + 1)];
    const extend = one === target || found.includes(one) ? [] : [{ $ref: target, [asBase]: true }];
    return select(one, { property, values, document, extend });
  });
  const known = [...mapping.values()].flat();
  const others = (readValues(schema, property, document) ?? []).filter((value) => !known.includes(String(value)));
  const rest = { allOf: [{ properties: { [property]: { enum: others } } }, { $ref: target, [asBase]: true }] };
  const { title, description } = schema;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    anyOf: mapping.size > 0 && others.length > 0 ? [...anyOf, rest] : anyOf,
  };
}

interface Selection {
  readonly property: string;
  /** Values that select the schema. */
  readonly values: readonly string[];
  readonly document: unknown;
  /** Schemas to combine with it. */
  readonly extend?: readonly Schema[];
}

/** Combines a schema with the values that select it. If it permits none of them, it stays as it is. */
function select(target: string, { property, values, document, extend = [] }: Selection): Schema {
  const own = readValues(follow({ $ref: target }, document), property, document);
  const fitting = own ? values.filter((value) => own.includes(value)) : values;
  const [first] = fitting;
  const value = fitting.length === 1 ? { const: first } : { enum: fitting };
  const selected = first === undefined ? [] : [{ properties: { [property]: value } }];
  // The value comes first: validators that stop at the first failure need not look into the schema.
  return { allOf: [...selected, ...extend, { $ref: target, [asBase]: true }] };
}

function propertyOf(discriminator: unknown): string {
  const name = isRecord(discriminator) ? discriminator.propertyName : undefined;
  return typeof name === "string" ? name : "";
}

/** Returns the values of a discriminator by the references of their schemas. A mapping names schemas of the document, or refers to them. */
function readMapping(discriminator: unknown, document: unknown): ReadonlyMap<string, readonly string[]> {
  const mapping = isRecord(discriminator) && isRecord(discriminator.mapping) ? discriminator.mapping : {};
  const known = new Map<string, readonly string[]>();
  for (const [value, schema] of Object.entries(mapping)) {
    const target = String(schema).startsWith("#/") ? String(schema) : `${schemasAt}${String(schema)}`;
    if (exists(target, document)) known.set(target, [...(known.get(target) ?? []), value]);
  }
  return known;
}

const schemasAt = "#/components/schemas/";

function exists(target: string, document: unknown): boolean {
  try {
    return isRecord(findTarget(target, document));
  } catch {
    return false;
  }
}

/** Returns the references of all schemas that extend a schema, directly or not. */
function listExtending(target: string, document: unknown): readonly string[] {
  const { components } = Object(document);
  const schemas = isRecord(components) && isRecord(components.schemas) ? Object.entries(components.schemas) : [];
  const found = [target];
  // The list grows during the loop.
  for (const base of found) {
    const extending = schemas.flatMap(([name, schema]) =>
      extendsOne(schema, base) ? [schemasAt + escapeKey(name)] : [],
    );
    found.push(...extending.filter((one) => !found.includes(one)));
  }
  return found.slice(1);
}

function extendsOne(schema: unknown, base: string): boolean {
  return isRecord(schema) && Array.isArray(schema.allOf) && schema.allOf.some((one) => Object(one).$ref === base);
}

/** Returns the values a schema lists for a property. Without a list, returns the values in a schema it extends. */
function readValues(
  schema: unknown,
  property: string,
  document: unknown,
  seen = new Set<unknown>(),
): readonly unknown[] | undefined {
  if (!isRecord(schema) || seen.has(schema)) return undefined;
  seen.add(schema);
  const { properties, allOf } = schema;
  const own = isRecord(properties) && Object.hasOwn(properties, property) ? properties[property] : undefined;
  const { const: value, enum: values } = Object(follow(own, document));
  if (value !== undefined) return [value];
  if (Array.isArray(values)) return values;
  const bases: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
  return bases
    .map((base) => readValues(follow(base, document), property, document, seen))
    .find((found) => found !== undefined);
}
