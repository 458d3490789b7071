import type { Limits } from "../jsonrpc/limits.ts";
import { decodeEncoded, tooLarge, type DecodingLimits, type Sink } from "./json.ts";
import type { ByteRange } from "./json-scan.ts";
import { OutlineReader } from "./json-outline-reader.ts";

/** Limits on one line and on the message in it. */
export type LineLimits = DecodingLimits & Pick<Limits, "maxMessageBytes">;

/**
 * Splits bytes into lines and decodes each line as a message. Lines end with LF; a CR before it is dropped, and empty lines are skipped. Bytes are
 * split before they are decoded, so characters may be split anywhere. A line over the limit is skipped as it arrives, and reported once at its end.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export class LineDecoder {
  readonly #limits: LineLimits;
  readonly #sink: Sink;
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** Bytes of the incomplete line. */
  #rest: Uint8Array = nothing;
  #restLength = 0;
  /** Set while the rest of a line of excessive length is skipped. */
  #skipped: OutlineReader | undefined;

  constructor(limits: LineLimits, sink: Sink) {
    this.#limits = limits;
    this.#sink = sink;
  }

  /** Takes the next bytes. The chunk is not kept. */
  push(chunk: Uint8Array): void {
    const last = chunk.lastIndexOf(lineFeed);
    if (last === -1) return this.#hold(chunk);
    const start = this.#restLength > 0 || this.#skipped ? this.#complete(chunk) : 0;
    if (start < last) this.#takeLines(chunk.subarray(start, last));
    this.#hold(chunk.subarray(last + 1));
  }

  /** Ends the input. The last line may lack its line break. */
  end(): void {
    if (this.#skipped) this.#reject(this.#skipped);
    if (this.#restLength > 0) this.#takeLine(this.#rest.subarray(0, this.#restLength));
    this.#forget();
  }

  /** Completes the line from an earlier chunk, and returns the index at which the next one starts. */
  #complete(chunk: Uint8Array): number {
    const end = chunk.indexOf(lineFeed);
    this.#hold(chunk.subarray(0, end));
    if (this.#skipped) this.#reject(this.#skipped);
    if (this.#restLength > 0) this.#takeLine(this.#rest.subarray(0, this.#restLength));
    this.#forget();
    return end + 1;
  }

  /** Keeps bytes without a line break. The buffer doubles, so each byte is copied a bounded number of times. */
  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#skipped) return this.#skipped.push(bytes);
    const length = this.#restLength + bytes.length;
    if (length > this.#limits.maxMessageBytes) return this.#skip(bytes);
    if (length > this.#rest.length) this.#rest = grow(this.#rest, this.#restLength, length);
    this.#rest.set(bytes, this.#restLength);
    this.#restLength = length;
  }

  /** Starts to skip a line too long to keep. */
  #skip(bytes: Uint8Array): void {
    const reader = new OutlineReader();
    reader.push(this.#rest.subarray(0, this.#restLength));
    reader.push(bytes);
    this.#forget();
    this.#skipped = reader;
  }

  #reject(reader: OutlineReader): void {
    this.#sink.problem(tooLarge(this.#limits.maxMessageBytes, reader.finish()));
  }

  #forget(): void {
    this.#restLength = 0;
    this.#skipped = undefined;
    if (this.#rest.length > keptBytes) this.#rest = nothing;
  }

  /**
   * Takes complete lines, all but the last with their line break. They are decoded together unless the whole exceeds the limit or is not valid UTF-8.
   */
  #takeLines(bytes: Uint8Array): void {
    if (bytes.length > this.#limits.maxMessageBytes) return this.#takeEach(bytes);
    const text = this.#decodeText(bytes);
    if (text === undefined) return this.#takeEach(bytes);
    // In text that is all ASCII, a character has the same index as its byte.
    const isAscii = text.length === bytes.length;
    for (let start = 0, at = 0; start < text.length;) {
      const found = text.indexOf("\n", start);
      const end = found === -1 ? text.length : found;
      const last = isAscii ? end : findLineEnd(bytes, at);
      this.#takeText(text.slice(start, end), { bytes, start: at, end: last });
      start = end + 1;
      at = last + 1;
    }
  }

  #takeEach(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length;) {
      const end = findLineEnd(bytes, start);
      this.#takeLine(bytes.subarray(start, end));
      start = end + 1;
    }
  }

  #takeLine(bytes: Uint8Array): void {
    const { maxMessageBytes } = this.#limits;
    if (bytes.length > maxMessageBytes) {
      const reader = new OutlineReader();
      reader.push(bytes);
      return this.#reject(reader);
    }
    const text = this.#decodeText(bytes);
    if (text === undefined) this.#sink.problem({ kind: "encoding", message: "The message is not valid UTF-8" });
    else this.#takeText(text, { bytes, start: 0, end: bytes.length });
  }

  #takeText(line: string, { bytes, start, end }: ByteRange): void {
    const hasMark = line.charCodeAt(0) === byteOrderMark;
    const hasReturn = line.endsWith("\r");
    const text = hasMark || hasReturn ? line.slice(hasMark ? 1 : 0, hasReturn ? -1 : undefined) : line;
    if (text === "") return;
    decodeEncoded({ text, bytes, start, end }, this.#limits, this.#sink);
  }

  #decodeText(bytes: Uint8Array): string | undefined {
    try {
      return this.#utf8.decode(bytes);
    } catch {
      return undefined;
    }
  }
}

const lineFeed = 0x0a;
const byteOrderMark = 0xfeff;
const nothing: Uint8Array = new Uint8Array(0);

/** Maximum size of a buffer kept after its line, in bytes. */
const keptBytes = 64 * 1024;

function findLineEnd(bytes: Uint8Array, start: number): number {
  const found = bytes.indexOf(lineFeed, start);
  return found === -1 ? bytes.length : found;
}

function grow(bytes: Uint8Array, length: number, needed: number): Uint8Array {
  const grown = new Uint8Array(Math.max(needed, bytes.length * 2, 1024));
  grown.set(bytes.subarray(0, length));
  return grown;
}
