import { deflateSync, inflateSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { deflate, inflate } from "../../../runtime/framing/deflate.ts";

const text = new TextEncoder().encode("compressed ".repeat(2_000));

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("compressed bytes", () => {
  test("compressed bytes are shorter, in the zlib format, and decompressed to the same bytes", async () => {
    const compressed = (await deflate(text)) ?? new Uint8Array();
    expect(compressed.length).toBeLessThan(text.length / 10);
    expect(inflateSync(compressed).equals(text)).toBe(true);
    expect(Buffer.from((await inflate(compressed, text.length)) ?? []).equals(text)).toBe(true);
  });

  test("nothing is compressed and decompressed to nothing", async () => {
    const compressed = (await deflate(new Uint8Array())) ?? new Uint8Array();
    expect(await inflate(compressed, 0)).toEqual(new Uint8Array());
  });

  test("bytes that become longer than the limit are rejected", async () => {
    expect(await inflate(new Uint8Array(deflateSync(text)), text.length - 1)).toBeUndefined();
  });

  test.each([
    ["other bytes", new Uint8Array([1, 2, 3])],
    ["bytes that break off", new Uint8Array(deflateSync(text)).slice(0, -5)],
    ["nothing", new Uint8Array()],
  ])("%s cannot be decompressed", async (_, input) => {
    expect(await inflate(input, text.length)).toBeUndefined();
  });

  test("nothing is compressed where the platform cannot", async () => {
    vi.stubGlobal("CompressionStream", undefined);
    vi.stubGlobal("DecompressionStream", undefined);
    expect(await deflate(text)).toBeUndefined();
    expect(await inflate(new Uint8Array(deflateSync(text)), text.length)).toBeUndefined();
  });
});
