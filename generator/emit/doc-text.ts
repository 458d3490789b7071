import { commentText, harmless } from "../internal/text.ts";
import type { Doc, Shape } from "../model.ts";

/** Returns the text of a JSDoc comment followed by a line break, or an empty string if there is no documentation. */
export function docText(doc: Doc | undefined, shape?: Shape): string {
  return commentText([...proseLines(doc), ...withGap(doc, [...constraintTags(shape), ...docTags(doc)])].join("\n"));
}

/** Returns the first paragraph of a comment on one line, for places without room for more. */
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
    ...(doc.tags ?? []).flatMap((tag) => tag.split("\n")),
  ];
}

/** Returns tags for bounds and formats, which the type itself cannot express. */
function constraintTags(shape: Shape | undefined): string[] {
  switch (shape?.kind) {
    case "string":
      return tagLines({
        format: shape.format,
        minLength: shape.minLength,
        maxLength: shape.maxLength,
        pattern: shape.pattern,
      });
    case "number":
      return tagLines({ minimum: shape.minimum, maximum: shape.maximum });
    case "array":
      // The type of a tuple shows its bounds.
      return shape.prefix ? [] : tagLines({ minItems: shape.minItems, maxItems: shape.maxItems });
    default:
      return [];
  }
}

function tagLines(tags: Readonly<Record<string, string | number | undefined>>): string[] {
  return Object.entries(tags).flatMap(([name, value]) => (value === undefined ? [] : [`@${name} ${value}`]));
}
