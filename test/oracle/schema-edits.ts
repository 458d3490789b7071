import type { JsonSchema } from "./json-schema.ts";
import { isObject } from "../../templates/support.ts";
import { definitionsOf } from "./alternatives.ts";

/** A schema document that differs from another in one small edit. */
export interface Edit {
  readonly definition: string;
  /** Place and kind of the edit, as text. */
  readonly text: string;
  readonly schema: JsonSchema;
  /** Reason for which the same values stay valid; absent for an edit that does. Decided from the edit alone. */
  readonly noOp?: string;
}

/** Makes every single edit of a document that the rules below know. */
export function* editSchema(root: JsonSchema): Generator<Edit> {
  const keyword = "$defs" in root ? "$defs" : "definitions";
  const definitions = definitionsOf(root);
  const document = (edited: Record<string, unknown>): JsonSchema => ({ ...root, [keyword]: edited });
  for (const [definition, schema] of Object.entries(definitions)) {
    const { [definition]: _, ...others } = definitions;
    yield { definition, text: `${definition}: definition dropped`, schema: document(others) };
    for (const { text, noOp, schema: edited } of editNode(schema, { definitions, siblings: [], alternatives: [] })) {
      const change = { definition, text: `${definition}${text}`, ...(noOp !== undefined && { noOp }) };
      yield { ...change, schema: document({ ...definitions, [definition]: edited }) };
    }
  }
}

/** One edit of one node. */
interface NodeEdit {
  readonly text: string;
  readonly schema: unknown;
  readonly noOp?: string;
}

/** Context of a node. */
interface Context {
  readonly definitions: Record<string, unknown>;
  /** The other parts of the intersection that the node is a part of. */
  readonly siblings: readonly unknown[];
  /** The other members of the union that the node is a member of. */
  readonly alternatives: readonly unknown[];
}

type Schema = Record<string, unknown>;

function* editNode(node: unknown, context: Context): Generator<NodeEdit> {
  if (!isObject(node)) return;
  yield* editType(node, context);
  yield* editValues(node);
  yield* editBounds(node);
  yield* editReference(node, context);
  yield* editObject(node, context);
  yield* editParts(node, context);
  yield* editInside(node, context);
}

function* editType(node: Schema, { siblings }: Context): Generator<NodeEdit> {
  const { type, ...untyped } = node;
  const isImplied =
    "const" in node || "enum" in node || siblings.some((sibling) => isObject(sibling) && sibling["type"] === type);
  if (typeof type === "string") {
    yield { text: ": type dropped", schema: untyped, ...(isImplied && { noOp: "another keyword implies the type" }) };
    for (const other of ["string", "integer", "number", "boolean", "object", "array", "null"]) {
      const isStill = "const" in node && ["integer", "number"].includes(type) && ["integer", "number"].includes(other);
      if (other === type) continue;
      yield {
        text: `: type ${other}`,
        schema: { ...node, type: other },
        ...(isStill && { noOp: "the constant fits both types" }),
      };
    }
  }
  if (!Array.isArray(type)) return;
  for (const dropped of type)
    yield { text: `: type ${dropped} dropped`, schema: { ...node, type: type.filter((one) => one !== dropped) } };
  yield {
    text: ": type null or array added",
    schema: { ...node, type: [...type, type.includes("null") ? "array" : "null"] },
  };
  yield { text: ": types reversed", schema: { ...node, type: type.toReversed() }, noOp: "order" };
}

function* editValues(node: Schema): Generator<NodeEdit> {
  const { const: value, enum: values, format, ...others } = node;
  if (value !== undefined) {
    yield { text: ": const dropped", schema: { ...others } };
    yield {
      text: ": const changed",
      schema: { ...node, const: typeof value === "number" ? value + 1 : `${String(value)}2` },
    };
    yield { text: ": const as enum", schema: { ...others, enum: [value] }, noOp: "an enum of one is a constant" };
  }
  if (Array.isArray(values)) {
    for (const dropped of values)
      yield { text: `: ${dropped} dropped`, schema: { ...node, enum: values.filter((one) => one !== dropped) } };
    yield { text: ": value added", schema: { ...node, enum: [...values, "another"] } };
    yield { text: ": enum dropped", schema: others };
  }
  if (format !== undefined) yield { text: ": format dropped", schema: others };
  if (node["type"] === "string" && !values) yield { text: ": format changed", schema: { ...node, format: "duration" } };
}

function* editBounds(node: Schema): Generator<NodeEdit> {
  for (const keyword of ["minimum", "maximum", "maxItems"]) {
    const { [keyword]: bound, ...unbound } = node;
    if (typeof bound !== "number") continue;
    yield { text: `: ${keyword} dropped`, schema: unbound };
    yield { text: `: ${keyword} raised`, schema: { ...node, [keyword]: bound + 1 } };
  }
  if (["integer", "number"].includes(String(node["type"])))
    yield { text: ": multipleOf added", schema: { ...node, multipleOf: 7 } };
  if (node["type"] === "array") yield { text: ": minItems added", schema: { ...node, minItems: 1 } };
}

function* editReference(node: Schema, context: Context): Generator<NodeEdit> {
  const { $ref, ...others } = node;
  if (typeof $ref !== "string") return;
  const names = Object.keys(context.definitions);
  const at = names.findIndex((name) => $ref.endsWith(`/${name}`));
  yield { text: ": reference dropped", schema: others };
  for (const step of [1, 7]) {
    const target = names[(at + step) % names.length];
    const schema = { ...node, $ref: `${$ref.slice(0, $ref.lastIndexOf("/"))}/${target}` };
    const [before, after] = [textOf(node, context), textOf(schema, context)];
    const others = context.alternatives.map((other) => textOf(other, context));
    const isTwin = before === after || (others.includes(before) && others.includes(after));
    yield { text: `: reference to ${target}`, schema, ...(isTwin && { noOp: "the same texts remain" }) };
  }
}

function* editObject(node: Schema, { siblings }: Context): Generator<NodeEdit> {
  if (node["type"] !== "object") return;
  const properties = isObject(node["properties"]) ? node["properties"] : {};
  const required: unknown[] = Array.isArray(node["required"]) ? node["required"] : [];
  for (const [name, own] of Object.entries(properties)) {
    const { [name]: _, ...others } = properties;
    const rest = required.filter((one) => one !== name);
    const isRepeated = siblings.some(
      (sibling) => isObject(sibling) && Array.isArray(sibling["required"]) && sibling["required"].includes(name),
    );
    const change = { ...node, required: rest.length < required.length ? rest : [...required, name] };
    yield { text: `.${name}: property dropped`, schema: { ...node, properties: others, required: rest } };
    yield { text: `.${name}: property renamed`, schema: { ...node, properties: { ...others, [`${name}2`]: own } } };
    yield {
      text: `.${name}: required toggled`,
      schema: change,
      ...(isRepeated && { noOp: "required by the other part" }),
    };
  }
  yield { text: ": property added", schema: { ...node, properties: { ...properties, another: { type: "string" } } } };
  yield { text: ": required added", schema: { ...node, required: [...required, "another"] } };
  yield* editAdditional(node);
}

function* editAdditional(node: Schema): Generator<NodeEdit> {
  const { additionalProperties: additional, ...others } = node;
  const isOpen =
    additional === undefined || additional === true || (isObject(additional) && Object.keys(additional).length === 0);
  yield { text: ": additionalProperties false", schema: { ...others, additionalProperties: false } };
  if (isOpen)
    yield { text: ": additionalProperties typed", schema: { ...others, additionalProperties: { type: "string" } } };
  if (additional !== undefined)
    yield { text: ": additionalProperties dropped", schema: others, ...(isOpen && { noOp: "open either way" }) };
}

function* editParts(node: Schema, context: Context): Generator<NodeEdit> {
  const { items, ...others } = node;
  if (items !== undefined) yield { text: ": items dropped", schema: others };
  for (const keyword of ["anyOf", "allOf"]) {
    const parts: unknown = node[keyword];
    if (!Array.isArray(parts)) continue;
    for (const [at, part] of parts.entries()) {
      const left = parts.toSpliced(at, 1);
      const isTwin = left.some((other) => textOf(other, context) === textOf(part, context));
      const noOp = isTwin && { noOp: "another part has the same text" };
      yield { text: `: ${keyword} ${at} dropped`, schema: { ...node, [keyword]: left }, ...noOp };
    }
    yield { text: `: ${keyword} extended`, schema: { ...node, [keyword]: [...parts, { type: "null" }] } };
    yield { text: `: ${keyword} reversed`, schema: { ...node, [keyword]: parts.toReversed() }, noOp: "order" };
  }
}

/** The same edits one level further in, put back into the node. */
function* editInside(node: Schema, context: Context): Generator<NodeEdit> {
  for (const keyword of ["items", "additionalProperties"]) {
    for (const edit of editNode(node[keyword], { ...context, siblings: [], alternatives: [] })) {
      yield { ...edit, text: `/${keyword}${edit.text}`, schema: { ...node, [keyword]: edit.schema } };
    }
  }
  const declared = isObject(node["properties"]) ? node["properties"] : {};
  for (const [name, own] of Object.entries(declared)) {
    for (const edit of editNode(own, { ...context, siblings: [], alternatives: [] })) {
      yield {
        ...edit,
        text: `.${name}${edit.text}`,
        schema: { ...node, properties: { ...declared, [name]: edit.schema } },
      };
    }
  }
  for (const keyword of ["anyOf", "allOf"]) yield* editEachPart(node, keyword, context);
}

function* editEachPart(node: Schema, keyword: string, context: Context): Generator<NodeEdit> {
  const parts: unknown = node[keyword];
  if (!Array.isArray(parts)) return;
  for (const [at, part] of parts.entries()) {
    const others = parts.toSpliced(at, 1);
    const siblings = keyword === "allOf" ? others.map((other) => targetOf(other, context)) : [];
    const alternatives = keyword === "anyOf" ? others : [];
    for (const edit of editNode(part, { ...context, siblings, alternatives })) {
      yield {
        ...edit,
        text: `/${keyword}/${at}${edit.text}`,
        schema: { ...node, [keyword]: parts.with(at, edit.schema) },
      };
    }
  }
}

/** Text of a schema without annotations, with the reference that it consists of replaced by its target. */
function textOf(schema: unknown, context: Context): string {
  return JSON.stringify(targetOf(schema, context), (key, value: unknown) =>
    key === "description" ? undefined : value,
  );
}

function targetOf(schema: unknown, context: Context): unknown {
  if (!isObject(schema) || typeof schema["$ref"] !== "string") return schema;
  return targetOf(context.definitions[schema["$ref"].slice(schema["$ref"].lastIndexOf("/") + 1)], context);
}
