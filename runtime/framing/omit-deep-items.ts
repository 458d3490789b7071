import { findStringEnd, type ByteRange } from "./json-scan.ts";

/** Message without the too deeply nested items of a list. */
export interface ShallowMessage {
  readonly text: string;
  /** Omitted items. */
  readonly items: readonly ByteRange[];
}

/**
 * Leaves too deep items out of the list in the result of a message: one of them must not cost the whole list. Returns `undefined` if the message has
 * no such items.
 */
export function omitDeepItems(source: ByteRange, maxDepth: number): ShallowMessage | undefined {
  const list = findList(source, maxDepth);
  if (!list) return undefined;
  const read = (start: number, end: number): string => utf8.decode(source.bytes.subarray(start, end));
  const kept = list.items.filter(({ isDeep }) => !isDeep).map(({ start, end }) => read(start, end));
  const text = `${read(source.start, list.start + 1)}${kept.join(",")}${read(list.end, source.end)}`;
  const deep = list.items.filter(({ isDeep }) => isDeep);
  return { text, items: deep.map((item) => ({ ...item, bytes: source.bytes })) };
}

interface Item {
  readonly start: number;
  readonly end: number;
  readonly isDeep: boolean;
}

interface List {
  /** Position of the opening bracket. */
  readonly start: number;
  /** Position of the closing bracket. */
  readonly end: number;
  readonly items: readonly Item[];
}

/** Finds the first list with too deep items, directly in the result of a message. */
function findList({ bytes, start, end }: ByteRange, maxDepth: number): List | undefined {
  const keys: string[] = [];
  let depth = 0;
  let deepest = 0;
  let list: { readonly start: number; readonly items: Item[] } | undefined;
  let itemStart = start;
  for (let at = start; at < end; at += 1) {
    const code = bytes[at];
    if (code === quote) {
      const last = findStringEnd(bytes, at + 1, end);
      // The last string before a bracket is its key.
      if (depth <= resultDepth) keys[depth] = utf8.decode(bytes.subarray(at + 1, last));
      at = last;
    } else if (code === openBrace || code === openBracket) {
      depth += 1;
      deepest = Math.max(deepest, depth);
      if (depth === listDepth) list = code === openBracket && isListKey(keys) ? { start: at, items: [] } : undefined;
      if (depth === itemDepth) [itemStart, deepest] = [at, depth];
    } else if (code === closeBrace || code === closeBracket) {
      if (depth === itemDepth) list?.items.push({ start: itemStart, end: at + 1, isDeep: deepest > maxDepth });
      if (depth === listDepth && list?.items.some(({ isDeep }) => isDeep)) return { ...list, end: at };
      depth -= 1;
    }
  }
  return undefined;
}

function isListKey(keys: readonly string[]): boolean {
  return keys[resultDepth - 1] === "result" && listNames.has(keys[resultDepth] ?? "");
}

/** Names of the lists of what a server offers. */
export const listNames: ReadonlySet<string> = new Set(["tools", "prompts", "resources", "resourceTemplates", "skills"]);

/** Levels of the members of a result, of its list, and of the items of the list. */
const resultDepth = 2;
const listDepth = 3;
const itemDepth = 4;

const utf8 = new TextDecoder();

const quote = 0x22;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
