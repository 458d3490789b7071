import type { ArrayShape, ObjectShape, Shape } from "../../generator/model.ts";
import { keyText, typeText } from "../../generator/emit/type-text.ts";
import { unreachable } from "../../generator/model/shapes.ts";
import { code } from "./markdown.ts";

/** Returns the address of the section about a type, relative to the page; `undefined` if there is none. */
export type LinkOf = (type: string) => string | undefined;

/** Returns a type as Markdown on one line, in which names lead to the sections about them. */
export function typeLinks(shape: Shape, linkOf: LinkOf): string {
  const merged: Part[] = [];
  for (const part of partsOf(shape, linkOf)) {
    const last = merged.at(-1);
    const isText = last !== undefined && last.link === undefined && part.link === undefined;
    if (isText) merged.splice(-1, 1, { text: last.text + part.text });
    else merged.push(part);
  }
  return merged.map(partText).join("");
}

/** Returns the name of a type as a link to its section. */
export function typeLink(name: string, linkOf: LinkOf): string {
  return partText({ text: name, link: linkOf(name) });
}

interface Part {
  readonly text: string;
  readonly link?: string | undefined;
}

/** Spaces at the edges of code are invisible, so they stay outside. */
function partText({ text, link }: Part): string {
  const [, before = "", inner = "", after = ""] = /^( *)(.*?)( *)$/.exec(text) ?? [];
  const shown = inner === "" ? "" : code(inner);
  return link === undefined ? `${before}${shown}${after}` : `[${shown}](${link})`;
}

function partsOf(shape: Shape, linkOf: LinkOf): Part[] {
  const inner = (part: Shape): Part[] => partsOf(part, linkOf);
  switch (shape.kind) {
    case "string":
      return [{ text: typeText(shape) }];
    case "number":
    case "boolean":
    case "null":
    case "never":
    case "unknown":
      return [{ text: shape.kind }];
    case "anyObject":
      return [{ text: "object" }];
    case "literal":
      return [{ text: JSON.stringify(shape.value) }];
    case "reference":
      return [{ text: shape.name, link: linkOf(shape.name) }];
    case "array":
      return shape.prefix ? tupleParts(shape, shape.prefix, inner) : [...grouped(shape.items, inner), { text: "[]" }];
    case "object":
      return objectParts(shape, inner);
    case "union":
      return [...joined(shape.of.map(inner), " | "), ...(shape.open ? [{ text: " | string" }] : [])];
    case "intersection":
      return joined(
        shape.of.map((part) => grouped(part, inner)),
        " & ",
      );
    case "omit":
      return [...inner(shape.base), { text: ` without ${shape.keys.join(", ")}` }];
    default:
      return unreachable(shape);
  }
}

function tupleParts({ items, minItems = 0 }: ArrayShape, prefix: readonly Shape[], inner: ToParts): Part[] {
  const listed = prefix.map((item, at) => (at < minItems ? inner(item) : [...grouped(item, inner), { text: "?" }]));
  const rest = items.kind === "never" ? [] : [[{ text: "..." }, ...grouped(items, inner), { text: "[]" }]];
  return [{ text: "[" }, ...joined([...listed, ...rest], ", "), { text: "]" }];
}

type ToParts = (shape: Shape) => Part[];

function grouped(shape: Shape, inner: ToParts): Part[] {
  const needsParentheses = shape.kind === "union" || shape.kind === "intersection";
  return needsParentheses ? [{ text: "(" }, ...inner(shape), { text: ")" }] : inner(shape);
}

function objectParts({ properties, index }: ObjectShape, inner: ToParts): Part[] {
  const members = [
    ...properties.map(({ name, optional, shape }) => [
      { text: `${keyText(name)}${optional ? "?" : ""}: ` },
      ...inner(shape),
    ]),
    ...(index ? [[{ text: "[key: string]: " }, ...inner(index)]] : []),
  ];
  return members.length === 0 ? [{ text: "object" }] : [{ text: "{ " }, ...joined(members, "; "), { text: " }" }];
}

function joined(list: readonly Part[][], separator: string): Part[] {
  return list.flatMap((parts, index) => (index === 0 ? parts : [{ text: separator }, ...parts]));
}
