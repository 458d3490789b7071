import { isObject } from "../../generated/support.ts";
import { shorten } from "../internal/shorten.ts";
import { findStringEnd, outline, skipBlanks, type ByteRange } from "./json-scan.ts";

/** Message without the items of a list that are nested too deeply. */
export interface ShallowMessage {
  readonly text: string;
  /** Names of the items that were left out. */
  readonly names: readonly string[];
}

/**
 * Leaves the items that take a message beyond a limit out of the list in its result, so that one of them does not cost the whole list. Returns
 * `undefined` if the message has no such items.
 *
 * @throws {TypeError} when the bytes are not UTF-8
 */
export function omitDeepItems(source: ByteRange, maxDepth: number): ShallowMessage | undefined {
  const list = findList(source, maxDepth);
  const deep = list?.items.filter(({ isDeep }) => isDeep) ?? [];
  if (!list || deep.length === 0) return undefined;
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  const read = (start: number, end: number): string => utf8.decode(source.bytes.subarray(start, end));
  const kept = list.items.filter(({ isDeep }) => !isDeep).map(({ start, end }) => read(start, end));
  const text = `${read(source.start, list.start + 1)}${kept.join(",")}${read(list.end, source.end)}`;
  return { text, names: deep.map((item) => readName({ ...item, bytes: source.bytes })) };
}

interface Item {
  readonly start: number;
  readonly end: number;
  readonly isDeep: boolean;
}

interface List {
  /** Position of the bracket that opens it. */
  readonly start: number;
  /** Position of the bracket that closes it. */
  readonly end: number;
  readonly items: readonly Item[];
}

/** Finds the first list with items that are too deep, directly in the result of a message. */
function findList({ bytes, start, end }: ByteRange, maxDepth: number): List | undefined {
  const keys: string[] = [];
  let depth = 0;
  let deepest = 0;
  let listStart: number | undefined;
  let itemStart = start;
  let items: Item[] = [];
  for (let at = start; at < end; at += 1) {
    const code = bytes[at];
    if (code === quote) {
      const last = findStringEnd(bytes, at + 1, end);
      const isKey = depth <= resultDepth && bytes[skipBlanks(bytes, last + 1, end)] === colon;
      if (isKey) keys[depth] = new TextDecoder().decode(bytes.subarray(at + 1, last));
      at = last;
    } else if (code === openBrace || code === openBracket) {
      depth += 1;
      deepest = Math.max(deepest, depth);
      if (depth === listDepth) listStart = code === openBracket && isListKey(keys) ? at : undefined;
      if (depth === listDepth) items = [];
      if (depth === itemDepth) [itemStart, deepest] = [at, depth];
    } else if (code === closeBrace || code === closeBracket) {
      if (depth === itemDepth) items.push({ start: itemStart, end: at + 1, isDeep: deepest > maxDepth });
      const isOver = depth === listDepth && listStart !== undefined && items.some(({ isDeep }) => isDeep);
      if (isOver && listStart !== undefined) return { start: listStart, end: at, items };
      depth -= 1;
    }
  }
  return undefined;
}

function isListKey(keys: readonly string[]): boolean {
  return keys[resultDepth - 1] === "result" && listNames.has(keys[resultDepth] ?? "");
}

function readName(item: ByteRange): string {
  const { name, uri, uriTemplate } = readMembers(item);
  return shorten(String([name, uriTemplate, uri].find((text) => typeof text === "string") ?? ""));
}

function readMembers(item: ByteRange): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(outline(item) ?? "");
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Names of the lists of what a server offers. */
export const listNames: ReadonlySet<string> = new Set(["tools", "prompts", "resources", "resourceTemplates", "skills"]);

/** Levels of the members of a result, of its list, and of the items of the list. */
const resultDepth = 2;
const listDepth = 3;
const itemDepth = 4;

const quote = 0x22;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
