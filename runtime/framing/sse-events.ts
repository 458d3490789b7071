import type { FramingProblem } from "../jsonrpc/channel.ts";
import type { Limits } from "../jsonrpc/limits.ts";
import { TextBuffer } from "./text-buffer.ts";

/** Server-sent event as it was received. */
export interface ServerEvent {
  /** Value of the field `event`. Default `"message"`. */
  readonly type: string;
  /** Empty when the event only carries an id or a delay: it has no message then. */
  readonly data: string;
  /** Last id named by the stream, in this event or before. Empty: resumption is not possible. */
  readonly id: string | undefined;
  /** Milliseconds to wait before reconnecting, if the event specifies them. */
  readonly retry: number | undefined;
}

/** Receives decoded events and decoding problems. */
export interface EventSink {
  event(event: ServerEvent): void;
  problem(problem: FramingProblem): void;
}

/** Fields of an event to encode. */
export interface EventParts {
  readonly type?: string | undefined;
  readonly id?: string | undefined;
  readonly retry?: number | undefined;
  readonly data: string;
}

/**
 * Splits bytes into server-sent events. Lines end with LF, CR LF or CR; characters may be split anywhere. An event over the limit is reported once
 * and skipped as it arrives. An event cut off by the end of the stream is dropped.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventDecoder {
  readonly #maxLength: number;
  readonly #sink: EventSink;
  readonly #utf8 = new TextDecoder();
  #isAfterReturn = false;
  /** Text of the incomplete line, unless it is skipped. */
  readonly #rest = new TextBuffer();
  #isMidLine = false;
  readonly #data = new TextBuffer();
  #lastId: string | undefined;
  #block: Block = emptyBlock;

  /** @param limits - `maxMessageBytes` bounds one event, counted in UTF-16 units */
  constructor(limits: Pick<Limits, "maxMessageBytes">, sink: EventSink) {
    this.#maxLength = limits.maxMessageBytes;
    this.#sink = sink;
  }

  /** Takes the next bytes. The chunk is not kept. */
  push(chunk: Uint8Array): void {
    const text = this.#unifyLineEnds(this.#utf8.decode(chunk, { stream: true }));
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#complete(text.slice(start, end));
      start = end + 1;
    }
    if (start < text.length) this.#hold(text.slice(start));
  }

  #unifyLineEnds(text: string): string {
    const own = this.#isAfterReturn && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") this.#isAfterReturn = text.endsWith("\r");
    return own.includes("\r") ? own.replace(/\r\n?/g, "\n") : own;
  }

  #hold(text: string): void {
    this.#isMidLine = true;
    if (this.#admits(text)) this.#rest.push(text);
  }

  #complete(end: string): void {
    const isEmpty = end === "" && !this.#isMidLine;
    this.#isMidLine = false;
    if (isEmpty) this.#dispatch();
    else if (this.#admits(end)) this.#takeLine(this.#rest.length === 0 ? end : this.#rest.take(end));
  }

  /** True if there is room for more of the line. An event of excessive length is skipped as a whole. */
  #admits(text: string): boolean {
    if (this.#block.isSkipped) return false;
    if (this.#rest.length + text.length + this.#data.length <= this.#maxLength) return true;
    this.#block = { ...this.#block, isSkipped: true };
    this.#data.clear();
    this.#rest.clear();
    this.#sink.problem({ kind: "size", message: `The event is longer than ${this.#maxLength} bytes` });
    return false;
  }

  /** Adds a line to the current event. Comments and unknown fields are ignored. */
  #takeLine(line: string): void {
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line.charCodeAt(colon + 1) === space ? colon + 2 : colon + 1);
    if (name === "data") this.#data.push(this.#block.hasData ? `\n${value}` : value);
    this.#block = addField(this.#block, name, value);
  }

  #dispatch(): void {
    const { type = "message", id, retry, isSkipped } = this.#block;
    const isEmpty = this.#block === emptyBlock;
    const data = this.#data.take();
    this.#block = emptyBlock;
    if (id !== undefined) this.#lastId = id;
    if (!isEmpty && !isSkipped) this.#sink.event({ type, data, id: this.#lastId, retry });
  }
}

/** Encodes one event as text for the stream. */
export function encodeEvent({ type, id, retry, data }: EventParts): string {
  const typeLine = type === undefined ? "" : `event: ${type}\n`;
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  const retryLine = retry === undefined ? "" : `retry: ${retry}\n`;
  return `${typeLine}${idLine}${retryLine}data: ${isOneLine(data) ? data : data.replace(/\r\n?|\n/g, "\ndata: ")}\n\n`;
}

/** Comment for the stream: it keeps proxies from closing an idle stream, and reveals disconnected readers. */
export const keepAliveComment: string = ":\n\n";

/** True if a value can be the id of an event. */
export function isEventId(value: string): boolean {
  return !/[\r\n\0]/.test(value);
}

/** Fields of the current event so far, without its data. */
interface Block {
  readonly type?: string;
  readonly hasData?: boolean;
  readonly id?: string;
  readonly retry?: number;
  readonly isSkipped?: boolean;
}

const emptyBlock: Block = {};

/** Adds a field to the event. Invalid values are ignored. */
function addField(block: Block, name: string, value: string): Block {
  switch (name) {
    case "data":
      return block.hasData ? block : { ...block, hasData: true };
    case "event":
      return { ...block, type: value };
    case "id":
      return isEventId(value) ? { ...block, id: value } : block;
    case "retry":
      return /^\d{1,15}$/.test(value) ? { ...block, retry: Number(value) } : block;
    default:
      return block;
  }
}

const space = 0x20;

function isOneLine(text: string): boolean {
  return !text.includes("\n") && !text.includes("\r");
}
