import type { Doc, ObjectShape, Property, Shape } from "../../generator/model.ts";
import { resolveObject } from "../../generator/model/resolve.ts";
import { code, prose, table } from "./markdown.ts";
import { typeLinks, type LinkOf } from "./type-links.ts";
import { runsOf, spanText, type Version, type Versioned } from "./versions.ts";

/** Content for a table of fields: an object at each of its versions. */
export interface FieldsInput {
  readonly shapes: readonly Versioned<Shape>[];
  /** All versions, oldest first. */
  readonly all: readonly Version[];
  readonly linkOf: LinkOf;
}

/** Returns a table with the fields of an object at every version. A field has one row for each of its forms, the newest first. */
export function fieldTable({ shapes, all, linkOf }: FieldsInput): string {
  const lists = shapes.flatMap(({ version, value }) => {
    const object = resolveObject(value, version);
    return object ? [{ version, value: fieldsOf(object, "") }] : [];
  });
  const rows = orderOf(lists.map(({ value }) => value)).flatMap((path) => {
    const found = lists.flatMap(({ version, value }) => {
      const field = value.find((each) => each.path === path);
      return field ? [{ version, value: field }] : [];
    });
    return runsOf(found, all, (field) => `${nameOf(field)} ${typeLinks(typeOf(field), linkOf)} ${rulesOf(field)}`).map(
      ({ value, versions }) => [
        code(nameOf(value)),
        typeLinks(typeOf(value), linkOf),
        spanText(versions, all),
        [docProse(value.property?.doc), rulesOf(value)].filter((part) => part !== "").join(" "),
      ],
    );
  });
  return table(["field", "type", "revisions", "description"], rows);
}

/** Returns the text of a comment as Markdown, including its deprecation and its references. */
export function docProse(doc: Doc | undefined): string {
  if (!doc) return "";
  const references = (doc.see ?? []).filter((reference) => reference.startsWith("https:"));
  return [
    prose(doc.text),
    ...(doc.deprecated === undefined ? [] : [`**Deprecated.** ${prose(doc.deprecated)}`.trimEnd()]),
    ...(doc.tags ?? []).map(code),
    ...(references.length === 0 ? [] : [`See ${references.map((reference) => `<${reference}>`).join(", ")}.`]),
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** Field of an object or of an object inside it. */
interface Field {
  /** Path inside the object: `capabilities.tools`, `messages[].role`. */
  readonly path: string;
  readonly shape: Shape;
  /** Absent for the values under undeclared keys. */
  readonly property?: Property;
}

/** Lists the fields of an object. The fields of objects written inline follow the outer field. */
function fieldsOf({ properties, index }: ObjectShape, prefix: string): Field[] {
  const own = properties.flatMap((property): Field[] => {
    const path = `${prefix}${property.name}`;
    const { shape } = property;
    const field = { path, shape, property };
    if (isInline(shape)) return [field, ...fieldsOf(shape, `${path}.`)];
    const items = shape.kind === "array" && !shape.prefix ? shape.items : undefined;
    return items && isInline(items) ? [field, ...fieldsOf(items, `${path}[].`)] : [field];
  });
  // Every object of the protocol may have further keys of any value.
  return index && index.kind !== "unknown" ? [...own, { path: `${prefix}*`, shape: index }] : own;
}

function isInline(shape: Shape): shape is ObjectShape {
  return shape.kind === "object" && shape.properties.length > 0;
}

/** Returns the type of a field. The fields of an inline object have rows of their own. */
function typeOf({ shape }: Field): Shape {
  const object: Shape = { kind: "anyObject" };
  if (isInline(shape)) return object;
  return shape.kind === "array" && !shape.prefix && isInline(shape.items) ? { kind: "array", items: object } : shape;
}

function nameOf({ path, property }: Field): string {
  return property?.optional ? `${path}?` : path;
}

/** Returns the rules for a value beyond its type. */
function rulesOf({ shape, property }: Field): string {
  const rules = [...boundsOf(shape), ...tolerancesOf(property)];
  return rules.length === 0 ? "" : `${rules.join("; ")}.`;
}

function boundsOf(shape: Shape): string[] {
  if (shape.kind === "string") {
    const format = shape.format === undefined ? [] : [`Format ${code(shape.format)}`];
    const pattern = shape.pattern === undefined ? [] : [`Matches ${code(shape.pattern)}`];
    return [...format, ...countsOf("characters", shape.minLength, shape.maxLength), ...pattern];
  }
  if (shape.kind === "array" && shape.prefix) return [];
  if (shape.kind === "array") return countsOf("items", shape.minItems, shape.maxItems);
  if (shape.kind !== "number") return [];
  return [
    ...(shape.integer ? ["An integer"] : []),
    ...(shape.minimum === undefined ? [] : [`At least ${shape.minimum}`]),
    ...(shape.maximum === undefined ? [] : [`At most ${shape.maximum}`]),
  ];
}

function countsOf(unit: string, minimum: number | undefined, maximum: number | undefined): string[] {
  return [
    ...(minimum === undefined ? [] : [`At least ${minimum} ${unit}`]),
    ...(maximum === undefined ? [] : [`At most ${maximum} ${unit}`]),
  ];
}

function tolerancesOf(property: Property | undefined): string[] {
  if (!property) return [];
  const { absentMeans, nullMeansAbsent, lowMeansMinimum } = property;
  return [
    ...(absentMeans === undefined ? [] : [`If a peer omits it, it is read as ${code(JSON.stringify(absentMeans))}`]),
    ...(nullMeansAbsent ? ["`null` is read as absent"] : []),
    ...(lowMeansMinimum ? ["A lower value is read as the minimum"] : []),
  ];
}

/** Merges the order of the fields of all versions. Fields removed in newer versions follow the field before them. */
function orderOf(lists: readonly (readonly Field[])[]): string[] {
  const order: string[] = [];
  for (const list of [...lists].reverse()) {
    for (const [index, { path }] of list.entries()) {
      if (order.includes(path)) continue;
      const before = list[index - 1]?.path;
      order.splice(before === undefined ? 0 : order.indexOf(before) + 1, 0, path);
    }
  }
  return order;
}
