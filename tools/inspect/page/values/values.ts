/** Object parsed from JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a member of an object parsed from JSON. */
export function memberOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), value);
}

/** Returns a value as text; an empty text if it is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the objects of a list. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Parses JSON. Returns the problem of invalid text. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Formats a value as indented JSON. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? "";
}

/** Returns a value with the members of all objects in alphabetical order, for comparing two values line by line. */
export function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortMembers(value[key])]));
}

/**
 * Shows characters as escapes if they are invisible, or change the direction of the text around them. Text of a server then cannot look different
 * from its content.
 */
export function visibleText(text: string): string {
  return text.replace(unseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Characters without a picture of their own, except selectors of the style of an emoji. */
const unseen =
  /(?![\n\t\r]|(?<=\p{Emoji})[\ufe0e\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Formats a number of characters. */
export function sizeText(length: number): string {
  if (length < 1_000) return `${length} B`;
  return length < 1_000_000 ? `${(length / 1_000).toFixed(1)} kB` : `${(length / 1_000_000).toFixed(1)} MB`;
}
