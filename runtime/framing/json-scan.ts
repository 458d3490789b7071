import type { Limits } from "../jsonrpc/limits.ts";

/** Problem that a scan finds in JSON text before it is parsed. */
export type Finding =
  { readonly kind: "depth" } | { readonly kind: "values" } | { readonly kind: "repeated"; readonly member: string };

/**
 * Scans for nesting beyond a limit, for more values than a limit, and for protocol members that appear twice in one envelope: parsers disagree on
 * which one counts. One pass without recursion; invalid JSON is left to the parser.
 */
export function scan(
  text: string,
  { maxDepth, maxValues }: Pick<Limits, "maxDepth" | "maxValues">,
): Finding | undefined {
  // Members of a message are at depth 1, those of the messages of a batch at depth 2.
  const envelope = text.charCodeAt(skipBlanks(text, 0)) === openBracket ? 2 : 1;
  let seen = 0;
  let depth = 0;
  // Each value of an array or object follows a bracket or a comma.
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // Fast path for numbers and colons.
    if (code > comma && code < openBracket) continue;
    if (code === comma) {
      values += 1;
      if (values > maxValues) return { kind: "values" };
    } else if (code === quote) {
      const end = findStringEnd(text, at + 1);
      const bit = depth === envelope ? readMember(text, at, end) : 0;
      if ((seen & bit) !== 0) return { kind: "repeated", member: members[Math.log2(bit)] ?? "" };
      seen |= bit;
      at = end;
    } else if (code === openBrace || code === openBracket) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return { kind: "depth" };
      if (values > maxValues) return { kind: "values" };
      if (depth === envelope) seen = 0;
    } else if (code === closeBrace || code === closeBracket) {
      depth -= 1;
    }
  }
  return undefined;
}

/**
 * Returns the text with `{}` and `[]` in place of everything below the first level, so that the envelope of a rejected message can be read without
 * building the rest. Returns `undefined` for an envelope with two ids, because it is unknown which one is meant.
 */
export function outline(text: string): string | undefined {
  let kept = "";
  let start = 0;
  let depth = 0;
  let ids = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = findStringEnd(text, at + 1);
      if (depth === 1 && readMember(text, at, end) === idBit) ids += 1;
      at = end;
    } else if (code === openBrace || code === openBracket) {
      depth += 1;
      if (depth === 2) kept += text.slice(start, at) + (code === openBrace ? "{}" : "[]");
    } else if (code === closeBrace || code === closeBracket) {
      if (depth === 2) start = at + 1;
      depth -= 1;
    }
  }
  return ids > 1 ? undefined : kept + text.slice(start);
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Characters: longer strings are skipped with `indexOf`, which the platform optimizes. */
const shortString = 48;

const members: readonly string[] = ["jsonrpc", "id", "method", "params", "result", "error"];
const idBit = 1 << members.indexOf("id");

/** Returns the index of the closing quote, or of the end of the text. */
function findStringEnd(text: string, start: number): number {
  const near = Math.min(text.length, start + shortString);
  let at = start;
  for (; at < near; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  for (;;) {
    const end = text.indexOf('"', at);
    if (end === -1) return text.length;
    if (!isEscaped(text, end, at)) return end;
    at = end + 1;
  }
}

function isEscaped(text: string, at: number, start: number): boolean {
  let backslashes = 0;
  for (let before = at - 1; before >= start && text.charCodeAt(before) === backslash; before -= 1) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Returns the bit of the protocol member whose key is at this position; 0 for values and other keys. */
function readMember(text: string, start: number, end: number): number {
  if (text.charCodeAt(skipBlanks(text, end + 1)) !== colon) return 0;
  const index = members.indexOf(readKey(text, start, end));
  return index === -1 ? 0 : 1 << index;
}

function readKey(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  if (!raw.includes("\\")) return raw;
  try {
    return String(JSON.parse(text.slice(start, end + 1)));
  } catch {
    return raw;
  }
}

function skipBlanks(text: string, start: number): number {
  for (let at = start; ; at += 1) {
    const code = text.charCodeAt(at);
    const isBlank = code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
    if (!isBlank) return at;
  }
}
