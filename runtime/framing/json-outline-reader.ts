import { outline } from "./json-scan.ts";

/**
 * Reads the first level of a message from bytes that are too many to keep, as they arrive: `{}` and `[]` stand for what is below it. So the
 * request of a refused message is known, wherever in the message its id stands.
 */
export class OutlineReader {
  #kept: number[] = [];
  #depth = 0;
  #isString = false;
  #isEscaped = false;

  /** Takes the next bytes. They are not kept. */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#isString) {
        if (this.#depth > 1 && !this.#isEscaped) at = skipText(bytes, at);
        this.#readString(bytes[at] ?? 0);
      } else this.#read(byte);
    }
  }

  /** Returns the value of what was read, or nothing if its envelope cannot be read. */
  finish(): unknown {
    if (this.#kept.length >= mostKept) return undefined;
    try {
      const text = outline(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(this.#kept)));
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
    // The brackets of the second level stand for what is in them.
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

/** The index of the next byte that ends a string or escapes something, or of the last byte. */
function skipText(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length - 1 && bytes[at] !== quote && bytes[at] !== backslash) at += 1;
  return at;
}

/** Bytes of an envelope: more are no message of this protocol. */
const mostKept = 8 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
