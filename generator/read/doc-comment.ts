import { isLinearPattern } from "../../runtime/adapters/linear-pattern.ts";
import { parseJson } from "../internal/json-text.ts";
import type { SpecProblem } from "../internal/spec-error.ts";
import type { Doc } from "../model.ts";
import { locationOf, reject, ts } from "./syntax.ts";

/** Comment of a node: prose for readers, and tags that constrain the type. */
export interface Comment {
  readonly doc?: Doc;
  readonly tags: TypeTags;
}

/** Tags that change what a type accepts. */
export interface TypeTags {
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Regular expression, which takes linear time. */
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Rules for the items of an array: `@items {"minLength": 1}`. */
  readonly items?: TypeTags;
  readonly nullable?: true;
  /** `@TJS-type`: type in the JSON Schema. `number` explicitly allows fractions. */
  readonly type?: string;
}

const noTags: TypeTags = {};

/** Reads the JSDoc of a declaration or member. Unknown tags are kept as documentation. @throws {SpecError} when a type tag is invalid. */
export function readComment(path: string, node: ts.Node): Comment {
  const block = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
  rejectIgnored(path, node, block);
  if (block === undefined) return { tags: noTags };
  let doc: Doc = { text: textOf(block.comment) };
  let tags: TypeTags = noTags;
  for (const tag of block.tags ?? []) {
    const text = seeName(tag) + textOf(tag.comment);
    doc = { ...doc, ...docTag(tag, text, doc) };
    tags = { ...tags, ...rulesOf(path, tag, { name: tag.tagName.text, text }) };
  }
  const isEmpty = doc.text === "" && Object.keys(doc).length === 1;
  return isEmpty ? { tags } : { doc, tags };
}

/** TypeScript reads only the last comment, and no comment on the line of the preceding code. A type tag must not get lost there. */
function rejectIgnored(path: string, node: ts.Node, block: ts.JSDoc | undefined): void {
  const { text } = node.getSourceFile();
  const ignored = text.slice(node.getFullStart(), block ? block.pos : node.getStart());
  const comments = ignored.match(/\/\*\*.*?\*\//gs) ?? [];
  if (!comments.some((comment) => typeTagStart.test(comment))) return;
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

function docTag(tag: ts.JSDocTag, text: string, doc: Doc): Partial<Doc> {
  const name = tag.tagName.text;
  switch (name) {
    case "":
      return { text: doc.text + gapBefore(tag) + `@${text}` };
    case "category":
      return { category: text };
    case "internal":
      return { internal: true };
    case "deprecated":
      return { deprecated: text };
    case "see":
      return { see: [...(doc.see ?? []), text] };
    // Titles and file names of example messages, which are outside the schema.
    case "example":
      return {};
    default:
      // Rules for items stay in the comment: the type of the items has none.
      return isTypeTag(tag) && name !== "items" ? {} : { tags: [...(doc.tags ?? []), tagText(tag)] };
  }
}

/** An `@` without a name is prose: it continues the line, or begins the next one. */
function gapBefore(tag: ts.JSDocTag): string {
  const before = tag.getSourceFile().text.slice(0, tag.getStart());
  return /\n[ \t]*\*?[ \t]*$/.test(before) ? "\n" : " ";
}

/** Returns a tag as it is written, without the asterisks of its lines. */
function tagText(tag: ts.JSDocTag): string {
  const lines = tag.getText().split("\n");
  return lines
    .map((line, at) => (at === 0 ? line : line.replace(/^\s*\*? ?/, "")))
    .join("\n")
    .trim();
}

function rulesOf(
  path: string,
  tag: ts.JSDocTag,
  { name, text }: { readonly name: string; readonly text: string },
): TypeTags {
  switch (name) {
    case "format":
      // Official extensions mark integers so: no text has this format.
      return text === "int" ? { type: "integer" } : { format: text };
    case "minimum":
      return { minimum: numberOf(path, tag, text) };
    case "maximum":
      return { maximum: numberOf(path, tag, text) };
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
      return { [name]: countOf(path, tag, text) };
    case "pattern":
    case "TJS-pattern":
      return isLinearPattern(text) ? { pattern: text } : noTags;
    case "items":
      return { items: readItems(path, tag, text) };
    case "nullable":
      return { nullable: true };
    case "TJS-type":
      return { type: text };
    default:
      return noTags;
  }
}

/** Reads rules for items, which are written as a JSON Schema or one by one: `@items.minLength 1`. */
function readItems(path: string, tag: ts.JSDocTag, text: string): TypeTags {
  const [, keyword, value] = /^\.(\w+)\s+(.*)$/s.exec(text) ?? [];
  const rules = keyword === undefined ? readKeywords(path, tag, text) : [[keyword, value] as const];
  return rules.reduce((tags: TypeTags, [word, rule]) => {
    const name = word === "type" ? "TJS-type" : word;
    if (!typeTags.has(name) || typeof rule === "object") throw reject(path, tag, `\`${word}\` is not understood`);
    return { ...tags, ...rulesOf(path, tag, { name, text: String(rule) }) };
  }, noTags);
}

function readKeywords(path: string, tag: ts.JSDocTag, text: string): readonly (readonly [string, unknown])[] {
  const schema = parseJson(text);
  if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) return Object.entries(schema);
  throw reject(path, tag, "expected a JSON object after the tag");
}

/** Tags with an effect on the checks. */
const typeTags: ReadonlySet<string> = new Set([
  "format",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "items",
  "pattern",
  "TJS-pattern",
  "nullable",
  "TJS-type",
]);

/** A pattern changes no check if it may take long in a backtracking engine. */
function isTypeTag(tag: ts.JSDocTag): boolean {
  const name = tag.tagName.text;
  return typeTags.has(name) && (!name.endsWith("pattern") || isLinearPattern(textOf(tag.comment)));
}

const typeTagStart = new RegExp(`^[\\s/*]*@(?:${[...typeTags].join("|")})(?![\\w-])`, "m");

/** Tags for readers only. */
const docTags: ReadonlySet<string> = new Set(["", "category", "default", "deprecated", "example", "internal", "see"]);

/** Returns a problem for each unknown name of a tag. It may be meant as a rule. */
export function findUnknownTags(path: string, file: ts.SourceFile): readonly SpecProblem[] {
  const found = new Map<string, SpecProblem>();
  const visit = (node: ts.Node): void => {
    for (const tag of ts
      .getJSDocCommentsAndTags(node)
      .flatMap((comment) => (ts.isJSDoc(comment) ? [...(comment.tags ?? [])] : []))) {
      const name = tag.tagName.text;
      if (isTypeTag(tag) || docTags.has(name) || found.has(name)) continue;
      const text = `the tag @${name} changes no check; it is kept as documentation`;
      found.set(name, { file: path, ...locationOf(tag), text });
    }
    node.forEachChild(visit);
  };
  visit(file);
  return [...found.values()];
}

function countOf(path: string, tag: ts.JSDocTag, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw reject(path, tag, "expected a count after the tag");
  return Number(text);
}

function numberOf(path: string, tag: ts.JSDocTag, text: string): number {
  const value = Number(text);
  if (text === "" || !Number.isFinite(value)) throw reject(path, tag, "expected a number after the tag");
  return value;
}
