import type { Doc, Shape } from "../model.ts";

/** Text of a JSDoc comment with a line break after it, or an empty string when there is nothing to say. */
export function docText(doc: Doc | undefined, shape?: Shape): string {
  const lines = [...proseLines(doc), ...withGap(doc, [...constraintTags(shape), ...docTags(doc)])].map(harmless);
  const [first, ...rest] = lines;
  if (first === undefined) return "";
  if (rest.length === 0) return `/** ${first} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}

/** The first paragraph of a comment on one line, for places that have room for no more. */
export function summaryText(doc: Doc | undefined): string {
  const [paragraph = ""] = (doc?.text ?? "").split("\n\n");
  return harmless(paragraph.replaceAll("\n", " "));
}

function proseLines(doc: Doc | undefined): string[] {
  return doc === undefined || doc.text === "" ? [] : doc.text.split("\n");
}

function withGap(doc: Doc | undefined, tags: readonly string[]): string[] {
  return tags.length > 0 && proseLines(doc).length > 0 ? ["", ...tags] : [...tags];
}

function docTags(doc: Doc | undefined): string[] {
  if (!doc) return [];
  return [
    ...(doc.category === undefined ? [] : [`@category ${doc.category}`]),
    ...(doc.internal ? ["@internal"] : []),
    ...(doc.deprecated === undefined ? [] : `@deprecated ${doc.deprecated}`.trimEnd().split("\n")),
    ...(doc.see ?? []).map((reference) => `@see ${reference}`),
  ];
}

/** Bounds and formats: the type itself cannot say them. */
function constraintTags(shape: Shape | undefined): string[] {
  if (shape?.kind === "string") return shape.format === undefined ? [] : [`@format ${shape.format}`];
  if (shape?.kind === "array") return shape.maxItems === undefined ? [] : [`@maxItems ${shape.maxItems}`];
  if (shape?.kind !== "number") return [];
  return [
    ...(shape.minimum === undefined ? [] : [`@minimum ${shape.minimum}`]),
    ...(shape.maximum === undefined ? [] : [`@maximum ${shape.maximum}`]),
  ];
}

/** Keeps prose from ending the comment that it stands in. */
export function harmless(line: string): string {
  return line.replaceAll("*/", "*\\/");
}
