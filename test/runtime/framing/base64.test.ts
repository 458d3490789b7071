import { describe, expect, test } from "vitest";
import { fromBase64, fromBase64Url, toBase64, toBase64Url } from "../../../runtime/framing/base64.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Test vectors of RFC 4648, section 10, and bytes whose characters differ between the two alphabets. */
const vectors: readonly (readonly [Uint8Array, string, string])[] = [
  [bytes(""), "", ""],
  [bytes("f"), "Zg==", "Zg"],
  [bytes("fo"), "Zm8=", "Zm8"],
  [bytes("foo"), "Zm9v", "Zm9v"],
  [bytes("foob"), "Zm9vYg==", "Zm9vYg"],
  [bytes("fooba"), "Zm9vYmE=", "Zm9vYmE"],
  [bytes("foobar"), "Zm9vYmFy", "Zm9vYmFy"],
  [Uint8Array.of(0xfb, 0xff, 0xbf, 0xfb, 0xff, 0xbf), "+/+/+/+/", "-_-_-_-_"],
  [Uint8Array.of(0, 0xff), "AP8=", "AP8"],
];

describe("base64", () => {
  test.each(vectors)("the bytes %o are %j in base64, and %j in base64url", (value, text, url) => {
    expect([toBase64(value), toBase64Url(value)]).toEqual([text, url]);
    expect([fromBase64(text), fromBase64Url(url)]).toEqual([value, value]);
  });

  test.each([8_191, 8_192, 8_193, 24_577])("%i bytes are encoded as Node.js encodes them", (length) => {
    const value = Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) % 256);
    expect(toBase64(value)).toBe(Buffer.from(value).toString("base64"));
    expect(Buffer.from(fromBase64(toBase64(value)) ?? []).equals(value)).toBe(true);
  });

  test.each([
    ["no padding", "Zg"],
    ["too little padding", "Zg="],
    ["too much padding", "Zm8=="],
    ["padding alone", "===="],
    ["padding before the end", "Zg==Zm9v"],
    ["padding of three characters", "Z==="],
    ["a character between padding", "Z=g="],
    ["a character of no alphabet at the end", "Zm9!"],
    ["one character too many", "Zm9vY"],
    ["a blank", "Zm9 v"],
    ["a line break at the end", "Zm9v\n"],
    ["the other alphabet", "-_-_"],
    ["something before it", "!Zm9v"],
    ["something after it", "Zm9v!"],
  ])("base64 with %s is rejected", (_, text) => {
    expect(fromBase64(text)).toBeUndefined();
  });

  test.each([
    ["padding", "Zg=="],
    ["one character too many", "Zm9vY"],
    ["the other alphabet", "+/+/"],
    ["bits that are not used", "Zh"],
    ["a blank", "Zm 9v"],
    ["something before it", "!Zm9"],
    ["something after it", "Zm9!"],
  ])("base64url with %s is rejected", (_, text) => {
    expect(fromBase64Url(text)).toBeUndefined();
  });
});
