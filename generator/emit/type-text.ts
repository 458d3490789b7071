import type { ArrayShape, Declaration, ObjectShape, Property, Shape, UnionShape } from "../model.ts";
import { unreachable } from "../model/shapes.ts";
import { docText } from "./doc-text.ts";

/** Returns the text of an exported interface or type alias, including its comment. */
export function declarationText(declaration: Declaration): string {
  const { name, kind, shape, doc } = declaration;
  if (kind === "alias") return `${docText(doc, shape)}export type ${name} = ${typeText(shape)};`;
  const bases = declaration.extends.map(typeText).join(", ");
  const heritage = bases === "" ? "" : ` extends ${bases}`;
  return `${docText(doc)}export interface ${name}${heritage} ${typeText(shape)}`;
}

/** Returns the text of a type expression. */
export function typeText(shape: Shape): string {
  switch (shape.kind) {
    case "string":
      return shape.template ? templateText(shape.template) : shape.kind;
    case "number":
    case "boolean":
    case "null":
    case "never":
      return shape.kind;
    case "unknown":
      return shape.any ? "any" : "unknown";
    case "anyObject":
      return "object";
    case "literal":
      return shape.constant === undefined ? JSON.stringify(shape.value) : `typeof ${shape.constant}`;
    case "reference":
      return shape.name;
    case "array":
      return shape.prefix ? tupleText(shape, shape.prefix) : `${grouped(shape.items)}[]`;
    case "object":
      return objectText(shape);
    case "union":
      return unionText(shape);
    case "intersection":
      return shape.of.map(grouped).join(" & ");
    case "omit":
      return `Omit<${shape.base.name}, ${shape.keys.map((key) => JSON.stringify(key)).join(" | ")}>`;
    default:
      return unreachable(shape);
  }
}

/** Returns a property name, quoted unless it is an identifier. */
export function keyText(name: string): string {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

/** Returns an expression to read a property of a variable. Names of `Object.prototype`, such as `constructor`, are never read from there. */
export function accessText(variable: string, name: string): string {
  if (name in Object.prototype) return `Object.getOwnPropertyDescriptor(${variable}, ${JSON.stringify(name)})?.value`;
  return isIdentifier(name) ? `${variable}.${name}` : `${variable}[${JSON.stringify(name)}]`;
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

function grouped(shape: Shape): string {
  const needsParentheses = shape.kind === "union" || shape.kind === "intersection";
  return needsParentheses ? `(${typeText(shape)})` : typeText(shape);
}

/** Returns a template literal: `data:${string}`. */
export function templateText(texts: readonly string[]): string {
  return `\`${texts.map((text) => text.replaceAll(/[\\`]|\$\{/g, "\\$&")).join("${string}")}\``;
}

function tupleText({ items, minItems = 0 }: ArrayShape, prefix: readonly Shape[]): string {
  const listed = prefix.map((item, at) => (at < minItems ? typeText(item) : `${grouped(item)}?`));
  const rest = items.kind === "never" ? [] : [`...${grouped(items)}[]`];
  return `[${[...listed, ...rest].join(", ")}]`;
}

function objectText({ properties, index }: ObjectShape): string {
  const members = properties.map(propertyText);
  if (index) members.push(`[key: string]: ${typeText(index)};`);
  const isPlain = members.every((member) => !member.includes("\n"));
  return isPlain && members.length < 3 ? `{ ${members.join(" ")} }` : `{\n${members.join("\n")}\n}`;
}

function propertyText({ name, optional, shape, doc }: Property): string {
  return `${docText(doc, shape)}${keyText(name)}${optional ? "?" : ""}: ${typeText(shape)};`;
}

/** `string & {}` keeps the literals of an open union visible to editors; a plain `string` would absorb them. */
function unionText(shape: UnionShape): string {
  const members = shape.of.map(typeText);
  return [...members, ...(shape.open ? ["(string & {})"] : [])].join(" | ");
}
