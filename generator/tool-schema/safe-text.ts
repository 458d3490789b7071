/**
 * Prose of a stranger, for comments and terminals: without control characters (but line breaks), without characters that turn the
 * direction of text or are not seen, and cut at `maximum` characters.
 */
export function safeText(text: string, maximum = 2_000): string {
  const lines = text.replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n").replace(unseen, "");
  return lines.length > maximum ? `${lines.slice(0, maximum)}…` : lines;
}

/** The same on one line. */
export function safeLine(text: string, maximum = 200): string {
  return safeText(text, maximum * 2)
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, maximum);
}

/** Controls, bidirectional overrides, zero-width characters and tags: text that reads otherwise than it looks. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\u{E0000}-\u{E007F}]|\p{Surrogate}/gu;

/** Code with such characters written as escapes. In texts they mean the same so, and comments have none. */
export function escapeUnseen(code: string): string {
  return code.replace(unseenInCode, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

const unseenInCode = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029\u{E0000}-\u{E007F}]|\p{Surrogate}/gu;
