import { outline } from "./json-scan.ts";

/**
 * Reads the first level of a message too long to keep, as its bytes arrive: `{}` and `[]` replace what is below. The id of a rejected message is
 * therefore known, wherever it is in the message.
 */
export class OutlineReader {
  #kept: number[] = [];
  #depth = 0;
  #isString = false;
  #isEscaped = false;

  /** Takes the next bytes. The chunk is not kept. */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#isString) {
        if (this.#depth > 1 && !this.#isEscaped) at = skipText(bytes, at);
        this.#readString(bytes[at] ?? 0);
      } else this.#read(byte);
    }
  }

  /** Returns the value of the outline, or `undefined` if the envelope cannot be read. */
  finish(): unknown {
    if (this.#kept.length >= mostKept) return undefined;
    try {
      const text = outline({ bytes: Uint8Array.from(this.#kept), start: 0, end: this.#kept.length });
      return text === undefined ? undefined : JSON.parse(text);
    } catch {
      return undefined;
    }
  }

  #readString(byte: number): void {
    this.#keep(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isString = false;
  }

  #read(byte: number): void {
    const isOpening = byte === openBrace || byte === openBracket;
    const isClosing = byte === closeBrace || byte === closeBracket;
    if (isOpening) this.#depth += 1;
    // The brackets of the second level replace their content.
    if (this.#depth === 2 && (isOpening || isClosing)) this.#push(byte);
    else this.#keep(byte);
    if (isClosing) this.#depth -= 1;
    this.#isString = byte === quote;
  }

  #keep(byte: number): void {
    if (this.#depth <= 1) this.#push(byte);
  }

  #push(byte: number): void {
    if (this.#kept.length < mostKept) this.#kept.push(byte);
  }
}

/** Returns the index of the next byte that ends a string or starts an escape, or of the last byte. */
function skipText(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length - 1 && bytes[at] !== quote && bytes[at] !== backslash) at += 1;
  return at;
}

/** Maximum bytes of an envelope: a longer one is no message of this protocol. */
const mostKept = 8 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
