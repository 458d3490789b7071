import { isPattern } from "./pattern-syntax.ts";

/**
 * Returns a pattern as a regular expression with the flag `u`. Many schemas are written for engines without the flag: needless escapes such as `\-`
 * or `\@`, single braces and brackets, and sets as the end of a range (`[\w-.]`) are rewritten to what they mean there. Returns undefined for other
 * patterns valid only without the flag.
 *
 * @throws {Error} when the pattern is not a regular expression.
 */
export function toUnicodePattern(pattern: string): string | undefined {
  if (isPattern(pattern)) return pattern;
  // Throws for anything else than a regular expression, so that each class below has its end.
  void new RegExp(pattern, "");
  const rewritten = pattern.replaceAll(tokens, rewriteToken);
  return isPattern(rewritten) ? rewritten : undefined;
}

/** Classes, escapes, counts and other characters of a regular expression. `{,2}` is a count for some engines, so it stays as it is. */
const tokens = /\[(?:\\[^]|[^\]\\])*\]|\\[pu]\{[^{}]*\}|\\[^]|\{(?:\d+(?:,\d*)?|,\d+)\}|[^]/giu;

function rewriteToken(token: string): string {
  if (token.startsWith("[") && token.length > 1) return rewriteClass(token);
  if (token === "]" || token === "}" || token === "{") return `\\${token}`;
  return token.replace(needlessEscape, "$1");
}

function rewriteClass(token: string): string {
  const unescaped = token.replaceAll(/\\[^]/gu, (one) => (one === "\\-" ? one : one.replace(needlessEscape, "$1")));
  return unescaped.replaceAll(hyphenOfSet, (part) => (part === "\\-" ? part : part.replace("-", "\\-")));
}

/** Hyphen between a set and another part of a class, or an escape. A hyphen before another hyphen is left out: the parts would form other ranges. */
const hyphenOfSet = /\\[dws]-(?!\]|-|(?:\\[^]|[^\\])-)|-\\[dws](?!-)|\\[^]/giu;

/** Escape of a character without a meaning of its own. Escaped letters have one in other dialects, such as the end of a text. */
const needlessEscape = /^\\([^A-Za-z0-9^$\\.*+?()[\]{}|/])$/u;
