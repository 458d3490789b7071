import type { JsonSchema } from "./json-schema.ts";
import { isObject } from "../../templates/support.ts";

/** A schema together with the document that its references point into. */
export interface Node {
  readonly schema: unknown;
  readonly root: JsonSchema;
}

/** One of the forms that a value may take, in a normal form that depends neither on order nor on spelling. */
export interface Alternative {
  /** Definition that the form was found under, when a reference led to it. */
  readonly name?: string;
  /** Type or constant, and everything else that is no member, as comparable text. */
  readonly facets: string;
  /** Properties by name, `*` for all other keys of an object, `[]` for the items of an array. */
  readonly members: ReadonlyMap<string, Member>;
}

/** A part of an object or array. */
export interface Member {
  readonly required: boolean;
  readonly node: Node;
}

/** The definitions of a schema document, under whichever keyword its dialect keeps them. */
export function definitionsOf(root: JsonSchema): Record<string, unknown> {
  const definitions = root["$defs"] ?? root["definitions"];
  return isObject(definitions) ? definitions : {};
}

/** Name of the definition that a schema refers to, when it says nothing else. */
export function referenceOf({ schema }: Node): string | undefined {
  if (!isObject(schema)) return undefined;
  const { $ref } = schema;
  return typeof $ref === "string" && isOnly(schema, "$ref") ? nameIn($ref) : undefined;
}

/** True if a schema has one keyword and annotations. */
export function isOnly(schema: JsonSchema, keyword: string): boolean {
  return Object.keys(schema).every((one) => one === keyword || annotations.has(one));
}

/** All forms that a schema allows: unions flattened, references followed, intersections merged. */
export function toAlternatives(node: Node): Alternative[] {
  return formsOf(node, []).map(toAlternative);
}

/** A form while it is being put together. */
interface Form {
  readonly name?: string;
  readonly types: readonly string[];
  readonly value?: unknown;
  readonly other: readonly string[];
  readonly members: ReadonlyMap<string, Member>;
}

const anything: Form = { types: [], other: [], members: new Map() };

const annotations: ReadonlySet<string> = new Set([
  "description",
  "title",
  "default",
  "examples",
  "deprecated",
  "$comment",
]);

const structural: ReadonlySet<string> = new Set([
  ...["$ref", "anyOf", "allOf", "type", "const", "enum", "properties", "required", "additionalProperties", "items"],
]);

/** `open` names the definitions being expanded further out: a union that contains itself gains nothing by it. */
function formsOf({ schema, root }: Node, open: readonly string[]): Form[] {
  if (schema === true) return [anything];
  if (!isObject(schema)) return [];
  const { $ref, anyOf, allOf } = schema;
  const parts: Form[][] = [ownForms({ schema, root }, schema)];
  if (typeof $ref === "string") parts.push(referredForms($ref, root, open));
  if (Array.isArray(anyOf)) parts.push(anyOf.flatMap((member: unknown) => formsOf({ schema: member, root }, open)));
  if (Array.isArray(allOf)) parts.push(...allOf.map((member: unknown) => formsOf({ schema: member, root }, open)));
  return parts.reduce((met, next) => met.flatMap((a) => next.map((b) => meet(a, b))));
}

function referredForms($ref: string, root: JsonSchema, open: readonly string[]): Form[] {
  const name = nameIn($ref);
  const definitions = definitionsOf(root);
  if (!Object.hasOwn(definitions, name)) return [{ ...anything, other: [`missing ${$ref}`] }];
  if (open.includes(name)) return [];
  const forms = formsOf({ schema: definitions[name], root }, [...open, name]);
  const [only, ...others] = forms;
  if (!only || others.length > 0 || only.members.size === 0) return forms;
  return [{ ...only, name: only.name ?? name }];
}

function nameIn($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

function ownForms(node: Node, schema: Record<string, unknown>): Form[] {
  const { type, enum: values } = schema;
  const types = type === undefined ? [undefined] : Array.isArray(type) ? type.map(String) : [String(type)];
  const constants = Array.isArray(values) ? values : "const" in schema ? [schema["const"]] : undefined;
  const form: Form = { ...anything, other: otherKeywords(schema), members: membersOf(node, schema) };
  if (constants)
    return constants.map((value: unknown) => ({ ...form, value, types: types.filter((one) => one !== undefined) }));
  return types.map((one) => ({ ...form, types: one === undefined ? [] : [one] }));
}

function otherKeywords(schema: Record<string, unknown>): string[] {
  return Object.keys(schema)
    .filter((keyword) => !annotations.has(keyword) && !structural.has(keyword))
    .map((keyword) => `${keyword} ${JSON.stringify(schema[keyword])}`);
}

function membersOf({ root }: Node, schema: Record<string, unknown>): Map<string, Member> {
  const { properties, required, additionalProperties, items } = schema;
  const declared = isObject(properties) ? properties : {};
  const names = new Set(Array.isArray(required) ? required.map(String) : []);
  const members = new Map<string, Member>();
  for (const name of new Set([...Object.keys(declared), ...names])) {
    const own = Object.hasOwn(declared, name) ? declared[name] : true;
    members.set(name, { required: names.has(name), node: { schema: own, root } });
  }
  const rest = { "*": additionalProperties, "[]": items };
  for (const [name, own] of Object.entries(rest)) {
    const node = { schema: own ?? true, root };
    if (!isAnything(node)) members.set(name, { required: false, node });
  }
  return members;
}

/** True if a schema accepts anything; references are followed, members are not looked at, so that recursion ends. */
function isAnything({ schema, root }: Node): boolean {
  if (schema === true) return true;
  if (!isObject(schema)) return false;
  const target = referenceOf({ schema, root });
  if (target !== undefined) return isAnything({ schema: definitionsOf(root)[target], root });
  return Object.keys(schema).every((keyword) => annotations.has(keyword));
}

/** Combines the requirements of both forms. The name is kept only if the other form adds nothing. */
function meet(a: Form, b: Form): Form {
  if (isBlank(a)) return b;
  if (isBlank(b)) return a;
  const members = new Map(a.members);
  for (const [name, member] of b.members) members.set(name, meetMembers(members.get(name), member));
  const { name: _a, ...left } = a;
  const { name: _b, ...right } = b;
  const types = [...new Set([...a.types, ...b.types])];
  return { ...left, ...right, types, other: [...new Set([...a.other, ...b.other])], members };
}

function isBlank(form: Form): boolean {
  return form.types.length + form.other.length + form.members.size === 0 && !("value" in form);
}

function meetMembers(a: Member | undefined, b: Member): Member {
  if (!a) return b;
  return {
    required: a.required || b.required,
    node: { schema: { allOf: [a.node.schema, b.node.schema] }, root: b.node.root },
  };
}

function toAlternative(form: Form): Alternative {
  const { name, types, value, other, members } = form;
  const isConstant = "value" in form;
  const open = isConstant ? types.filter((type) => !isOfType(value, type)) : types;
  const facets = [...(isConstant ? [JSON.stringify(value)] : []), ...open, ...other].sort().join(" & ");
  return { ...(name !== undefined && { name }), facets: facets === "" ? "anything" : facets, members };
}

function isOfType(value: unknown, type: string): boolean {
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}
