import type { Doc } from "../model.ts";
import { reject, ts } from "./syntax.ts";

/** Comment of a node: prose for readers, and tags that constrain the type. */
export interface Comment {
  readonly doc?: Doc;
  readonly tags: TypeTags;
}

/** Tags that change what a type accepts. */
export interface TypeTags {
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly nullable?: true;
  /** `@TJS-type number`: the schema explicitly allows fractions. */
  readonly fractional?: true;
}

const noTags: TypeTags = {};

/** Reads the JSDoc of a declaration or member. @throws {SpecError} when a tag is unknown, because it might constrain the type. */
export function readComment(path: string, node: ts.Node): Comment {
  const block = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
  rejectIgnored(path, node, block);
  if (block === undefined) return { tags: noTags };
  let doc: Doc = { text: textOf(block.comment) };
  let tags: TypeTags = noTags;
  for (const tag of block.tags ?? []) {
    const text = seeName(tag) + textOf(tag.comment);
    doc = { ...doc, ...docTag(tag.tagName.text, text, doc) };
    tags = { ...tags, ...typeTag(path, tag, text) };
  }
  const isEmpty = doc.text === "" && Object.keys(doc).length === 1;
  return isEmpty ? { tags } : { doc, tags };
}

/** TypeScript reads only the last comment, and no comment that shares a line with the preceding code. A type tag must not get lost there. */
function rejectIgnored(path: string, node: ts.Node, block: ts.JSDoc | undefined): void {
  const { text } = node.getSourceFile();
  const ignored = text.slice(node.getFullStart(), block ? block.pos : node.getStart());
  const comments = ignored.match(/\/\*\*.*?\*\//gs) ?? [];
  if (!comments.some((comment) => /^[\s/*]*@(?!(category|internal|deprecated|see|example)\b)\w/m.test(comment))) return;
  throw reject(path, node, "a tag in an earlier comment is ignored; move it to the last comment, on a separate line");
}

function textOf(comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string {
  return (ts.getTextOfJSDocComment(comment) ?? "").trim();
}

/** The parser takes the first word after `@see` for a name, even if it is the scheme of a URL. */
function seeName(tag: ts.JSDocTag): string {
  if (!ts.isJSDocSeeTag(tag) || !tag.name) return "";
  const end = tag.name.getEnd();
  const gap = /\s/.test(tag.getSourceFile().text.charAt(end)) ? " " : "";
  return tag.name.getText() + gap;
}

function docTag(name: string, text: string, doc: Doc): Partial<Doc> {
  switch (name) {
    case "category":
      return { category: text };
    case "internal":
      return { internal: true };
    case "deprecated":
      return { deprecated: text };
    case "see":
      return { see: [...(doc.see ?? []), text] };
    default:
      return {};
  }
}

function typeTag(path: string, tag: ts.JSDocTag, text: string): TypeTags {
  switch (tag.tagName.text) {
    case "category":
    case "internal":
    case "deprecated":
    case "see":
      return noTags;
    // Titles and file names of example messages, which are outside the schema.
    case "example":
      return noTags;
    case "format":
      return { format: text };
    case "minimum":
      return { minimum: numberOf(path, tag, text) };
    case "maximum":
      return { maximum: numberOf(path, tag, text) };
    case "maxItems":
      return { maxItems: numberOf(path, tag, text) };
    case "nullable":
      return { nullable: true };
    case "TJS-type":
      if (text !== "number") throw reject(path, tag, "only `@TJS-type number` is understood");
      return { fractional: true };
    default:
      throw reject(path, tag, `unknown tag @${tag.tagName.text}; add it to generator/read/doc-comment.ts`);
  }
}

function numberOf(path: string, tag: ts.JSDocTag, text: string): number {
  const value = Number(text);
  if (text === "" || !Number.isFinite(value)) throw reject(path, tag, "expected a number after the tag");
  return value;
}
