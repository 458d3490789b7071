import { expect, test } from "vitest";
import { OutlineReader } from "../../../runtime/framing/json-outline-reader.ts";
import { decodeEncoded } from "../../../runtime/framing/json.ts";
import { outline, scan, type ByteRange } from "../../../runtime/framing/json-scan.ts";
import { parseJson } from "../../fuzz/parse-json.ts";
import { createRandom, pick, type Random } from "../../kit/random.ts";
import { createJsonText, damage, readStructure, toOutline } from "./json-texts.ts";

/*
 * Random texts, compared with `JSON.parse` and a reader of tokens. `FUZZ_SEED` repeats a run, `FUZZ_SCANS` sets the number of texts.
 */

const { FUZZ_SEED = "1", FUZZ_SCANS = "1000" } = process.env;

/** Puts bytes between others that would change the outcome if they were read. */
function place(bytes: Uint8Array, random: Random): ByteRange {
  const around = ['"id":1}', '":', '"', "]", "\\", "", "[{", "\ufeff"].map((text) => new TextEncoder().encode(text));
  const [before, after] = [pick(around, random), pick(around, random)];
  const all = new Uint8Array(before.length + bytes.length + after.length);
  all.set(before);
  all.set(bytes, before.length);
  all.set(after, before.length + bytes.length);
  return { bytes: all, start: before.length, end: before.length + bytes.length };
}

test("a scan finds what a reader of tokens finds in random JSON (R8, R10)", () => {
  const random = createRandom(Number(FUZZ_SEED));
  for (let count = Number(FUZZ_SCANS); count > 0; count -= 1) {
    const text = createJsonText(random);
    const bytes = new TextEncoder().encode(text);
    const range = place(bytes, random);
    const limits = { maxDepth: pick([1, 2, 3, 64], random), maxValues: pick([0, 1, 5, 10, 200_000], random) };
    const { finding, ids } = readStructure(text, limits);
    expect(scan(range, limits), text).toEqual(finding);
    const kept = outline(range);
    expect(kept === undefined, text).toBe(ids > 1);
    const value = ids > 1 ? undefined : toOutline(JSON.parse(text));
    expect(kept === undefined ? undefined : JSON.parse(kept), text).toEqual(value);
    const reader = new OutlineReader();
    const size = pick([1, 3, 1_000], random);
    for (let start = 0; start < bytes.length; start += size) reader.push(bytes.subarray(start, start + size));
    expect(reader.finish(), text).toEqual(value);
  }
});

// Each text reaches a limit, and the byte behind it would exceed that.
test.each([
  { text: "[[1]]", maxDepth: 2, maxValues: 2, after: "[" },
  { text: "[[", maxDepth: 2, maxValues: 10, after: "{" },
  { text: "[1,2]", maxDepth: 2, maxValues: 2, after: "," },
])("a scan of $text ends before the next byte, $after", ({ text, after, ...limits }) => {
  const bytes = new TextEncoder().encode(text + after);
  expect(scan({ bytes, start: 0, end: text.length }, limits)).toBeUndefined();
  expect(scan({ bytes, start: 0, end: bytes.length }, limits)).toBeDefined();
});

test("an outline ends before the next byte", () => {
  const bytes = new TextEncoder().encode("[1{");
  expect(outline({ bytes, start: 0, end: 2 })).toBe("[1");
  expect(outline({ bytes, start: 0, end: 3 })).toBe("[1{}");
});

test("damaged JSON is a value that JSON.parse also returns, or a problem (R9)", () => {
  const random = createRandom(Number(FUZZ_SEED));
  for (let count = Number(FUZZ_SCANS); count > 0; count -= 1) {
    const bytes = damage(new TextEncoder().encode(createJsonText(random)), random);
    const text = new TextDecoder().decode(bytes);
    const isUtf8 = Buffer.compare(new TextEncoder().encode(text), bytes) === 0;
    const range = place(bytes, random);
    const limits = { maxDepth: pick([3, 64], random), maxValues: pick([5, 200_000], random) };
    // A scan comes to an end with any bytes; others than UTF-8 are rejected before they are decoded.
    const finding = scan(range, limits);
    const outcomes: unknown[] = [];
    const sink = {
      message: (value: unknown) => outcomes.push({ value }),
      problem: ({ kind }: { readonly kind: string }) => outcomes.push({ kind }),
    };
    if (isUtf8) decodeEncoded({ text, ...range }, limits, sink);
    const value = parseJson(text);
    const parsed = value === undefined ? { kind: "syntax" } : { value };
    if (isUtf8) expect(outcomes, text).toEqual([finding ? { kind: finding.kind } : parsed]);
    if (isUtf8 && value !== undefined) expect(finding, text).toEqual(readStructure(text, limits).finding);
  }
});
