import { expect, test } from "vitest";
import { TextBuffer } from "../../../runtime/framing/text-buffer.ts";
import { fromUtf8 } from "../../../runtime/framing/utf8.ts";

test.each([0, 1, 2, 255, 256, 257, 600])("text in %i pieces is taken whole, twice", (count) => {
  const buffer = new TextBuffer();
  const pieces = Array.from({ length: count }, (_, index) => `${index},`);
  for (const end of ["", "end"]) {
    for (const piece of pieces) buffer.push(piece);
    expect(buffer.length).toBe(pieces.join("").length);
    expect(buffer.take(end)).toBe(pieces.join("") + end);
    expect(buffer.length).toBe(0);
  }
});

test.each([0, 1, 2, 256, 600])("a buffer of %i pieces is empty after it was cleared", (count) => {
  const buffer = new TextBuffer();
  for (let index = 0; index < count; index += 1) buffer.push("piece");
  buffer.clear();
  buffer.push("a");
  expect(buffer.length).toBe(1);
  expect(buffer.take()).toBe("a");
  expect(buffer.take()).toBe("");
});

test("a byte order mark is part of a text, and bytes that are not UTF-8 have none", () => {
  expect(fromUtf8(new TextEncoder().encode("\ufeffé€😀"))).toBe("\ufeffé€😀");
  expect(fromUtf8(new Uint8Array())).toBe("");
  expect(fromUtf8(Uint8Array.of(0x61, 0xff))).toBeUndefined();
  expect(fromUtf8(Uint8Array.of(0xe2, 0x82))).toBeUndefined();
});
