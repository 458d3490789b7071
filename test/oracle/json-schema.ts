import type { Constraint, Declaration, ObjectShape, Property, Shape, UnionShape } from "../../generator/model.ts";
import { resolveConstraints, resolveObject, type Declared } from "../../generator/model/resolve.ts";
import { mapDeclaration, unreachable } from "../../generator/model/shapes.ts";

/** JSON Schema object in dialect 2020-12. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Converts every declaration of a model to a JSON Schema under `$defs`. Inherited properties are copied into each schema. */
export function toJsonSchema(model: Declared): JsonSchema {
  const definitions = model.declarations.map((declaration) => [declaration.name, toDefinition(declaration, model)]);
  return { $schema: "https://json-schema.org/draft/2020-12/schema", $defs: Object.fromEntries(definitions) };
}

/**
 * Narrows a model to the values that the official JSON Schema accepts. That schema treats numbers as integers and omits `null`. Numbers become
 * integers unless tagged as fractional, and unions lose `null` unless tagged as nullable.
 */
export function toCompatModel<Model extends Declared>(model: Model): Model {
  return { ...model, declarations: model.declarations.map((declaration) => mapDeclaration(declaration, narrow)) };
}

function toDefinition(declaration: Declaration, model: Declared): JsonSchema {
  const whole: Shape = { kind: "reference", name: declaration.name };
  const shape =
    declaration.kind === "interface" ? (resolveObject(whole, model) ?? declaration.shape) : declaration.shape;
  return { ...documented(declaration), ...constrained(toSchema(shape, model), resolveConstraints(declaration, model)) };
}

function toSchema(shape: Shape, model: Declared): JsonSchema {
  switch (shape.kind) {
    case "string":
      return {
        type: "string",
        ...present({ format: shape.format, minLength: shape.minLength, maxLength: shape.maxLength }),
        ...present({ pattern: shape.pattern }),
        ...(shape.template && { allOf: [{ pattern: toPattern(shape.template) }] }),
      };
    case "number":
      return {
        type: shape.integer ? "integer" : "number",
        ...present({ minimum: shape.minimum, maximum: shape.maximum }),
      };
    case "boolean":
    case "null":
      return { type: shape.kind };
    case "never":
      return { not: {} };
    case "unknown":
      return {};
    case "anyObject":
      return { type: "object" };
    case "literal":
      return { type: typeof shape.value, const: shape.value };
    case "reference":
      return { $ref: `#/$defs/${shape.name}` };
    case "array":
      return {
        type: "array",
        ...(shape.prefix && { prefixItems: shape.prefix.map((item) => toSchema(item, model)) }),
        items: toSchema(shape.items, model),
        ...present({ minItems: shape.minItems, maxItems: shape.maxItems }),
      };
    case "object":
      return toObjectSchema(shape, model);
    case "union":
      return toUnionSchema(shape, model);
    case "intersection":
      return { allOf: shape.of.map((member) => toSchema(member, model)) };
    case "omit":
      return toSchema(resolveObject(shape, model) ?? shape.base, model);
    default:
      return unreachable(shape);
  }
}

function toPattern(texts: readonly string[]): string {
  const escaped = texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return `^${escaped.join("[^]*")}$`;
}

function toObjectSchema(shape: ObjectShape, model: Declared): JsonSchema {
  const required = shape.properties.filter(isRequired).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      shape.properties.map((property) => [property.name, toPropertySchema(property, model)]),
    ),
    ...(required.length > 0 && { required }),
    ...(shape.index && { additionalProperties: toSchema(shape.index, model) }),
  };
}

/** A property that a peer may omit is not required, even if its declaration requires it. */
function isRequired(property: Property): boolean {
  return !property.optional && property.absentMeans === undefined;
}

function toPropertySchema(property: Property, model: Declared): JsonSchema {
  return { ...documented(property), ...toSchema(property.shape, model), ...present({ default: property.absentMeans }) };
}

function toUnionSchema(shape: UnionShape, model: Declared): JsonSchema {
  const members = shape.open
    ? [{ kind: "string" } as const, ...shape.of.filter((member) => !isText(member))]
    : shape.of;
  const literals = members.flatMap((member) => (member.kind === "literal" ? [member.value] : []));
  if (literals.length === members.length) return { enum: literals };
  const [only, ...others] = members.map((member) => toSchema(member, model));
  return only && others.length === 0 ? only : { anyOf: [only, ...others] };
}

function isText(shape: Shape): boolean {
  return shape.kind === "string" || (shape.kind === "literal" && typeof shape.value === "string");
}

function constrained(schema: JsonSchema, constraints: readonly Constraint[]): JsonSchema {
  return constraints.length === 0 ? schema : { allOf: [schema, ...constraints.map(toConstraintSchema)] };
}

function toConstraintSchema({ rule, properties }: Constraint): JsonSchema {
  if (rule === "atLeastOne") return { anyOf: properties.map((name) => ({ required: [name] })) };
  const pairs = properties.flatMap((name, at) => properties.slice(at + 1).map((other) => [name, other]));
  return { not: { anyOf: pairs.map((required) => ({ required })) } };
}

function documented({ doc }: Pick<Declaration | Property, "doc">): JsonSchema {
  return present({ description: doc?.text || undefined, deprecated: doc?.deprecated === undefined ? undefined : true });
}

/** Removes keywords without a value. */
function present(keywords: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}

function narrow(shape: Shape): Shape {
  if (shape.kind === "number" && !shape.fractional) return { ...shape, integer: true };
  return shape.kind === "union" && !shape.nullable ? withoutNull(shape) : shape;
}

/** A tag refers to members by position, so it is removed together with a member. */
function withoutNull(shape: UnionShape): Shape {
  const of = shape.of.filter((member) => member.kind !== "null");
  if (of.length === shape.of.length) return shape;
  const [only, ...others] = of;
  const { tag: _tag, ...untagged } = shape;
  return only && others.length === 0 ? only : { ...untagged, of };
}
