import type { FramingProblem } from "../jsonrpc/channel.ts";
import type { Limits } from "../jsonrpc/limits.ts";
import {
  isBatch,
  toResultText,
  type Message,
  type NotificationMessage,
  type Outgoing,
  type ResultMessage,
} from "../jsonrpc/message.ts";
import { isObject } from "../../generated/support.ts";
import { shorten } from "../internal/shorten.ts";
import { listNames, omitDeepItems } from "./omit-deep-items.ts";
import { hasInexactNumber } from "./inexact-numbers.ts";
import { outline, scan, toByteRange, type ByteRange, type Finding } from "./json-scan.ts";

/** Limits on the structure of decoded messages. */
export type DecodingLimits = Pick<Limits, "maxDepth" | "maxValues" | "exactNumbers">;

/** Receives decoded values and decoding problems. */
export interface Sink {
  message(value: unknown): void;
  problem(problem: FramingProblem): void;
}

/** Text of one message or batch, and its place among UTF-8 bytes. */
export interface EncodedText extends ByteRange {
  readonly text: string;
}

/** Parses the text of one message or batch, and passes the value or the problem to the sink. Never throws. */
export function decode(text: string, limits: DecodingLimits, sink: Sink): void {
  decodeEncoded({ text, ...toByteRange(text) }, limits, sink);
}

/** Parses a message like `decode`, where its bytes are known already. */
export function decodeEncoded(source: EncodedText, limits: DecodingLimits, sink: Sink): void {
  const finding = scan(source, limits);
  if (!finding) return receive(source, limits, sink);
  const shallow = finding.kind === "depth" ? omitDeepItems(source, limits.maxDepth) : undefined;
  if (!shallow) return sink.problem(toProblem(finding, source, limits));
  for (const problem of toItemProblems(shallow.items, limits.maxDepth)) sink.problem(problem);
  // A result has one list. Looking for more would read a message with thousands of lists thousands of times.
  const rest = { text: shallow.text, ...toByteRange(shallow.text) };
  const left = scan(rest, limits);
  if (left) sink.problem(toProblem(left, rest, limits));
  else receive(rest, limits, sink);
}

function receive(source: EncodedText, limits: DecodingLimits, sink: Sink): void {
  const value = parse(source.text);
  if (value === undefined) return sink.problem({ kind: "syntax", message: "The message is not valid JSON" });
  if (limits.exactNumbers && hasInexactNumber(source.text, source)) return receiveInexact(value, source, sink);
  sink.message(value);
}

/** Receives a message with a rounded number. Lists of definitions are received: a number in one of them must not cost the others. */
function receiveInexact(value: unknown, source: ByteRange, sink: Sink): void {
  const result = isObject(value) ? value.result : undefined;
  const isList = isObject(result) && [...listNames].some((name) => Array.isArray(result[name]));
  if (!isList) return sink.problem(inexact(readEnvelope(source)));
  sink.problem({ kind: "numbers", message: "A number in a list of the server is rounded; it is beyond 2^53" });
  sink.message(value);
}

/** Creates the problem of a message with an inexact number. */
function inexact(value: unknown): FramingProblem {
  const message = "The message has a number beyond 2^53, which would be rounded; send it as a string";
  return { kind: "numbers", message, value };
}

/**
 * Encodes one message or batch as one line of JSON text, without the line break.
 *
 * @throws {TypeError} when it cannot be written as JSON
 */
export function encode(outgoing: Outgoing): string {
  return isBatch(outgoing) ? `[${outgoing.map(encodeMessage).join(",")}]` : encodeMessage(outgoing);
}

/**
 * Creates a function like `encode` for the sessions of a server. A change of a list sends the same notification without params to each of them, so the
 * text of the last one is kept: with thousands of sessions, this saves a tenth of the processor time.
 */
export function createEncoder(): (outgoing: Outgoing) => string {
  let method: string | undefined;
  let text = "";
  return (outgoing) => {
    if (isBatch(outgoing) || !isBareNotification(outgoing)) return encode(outgoing);
    if (outgoing.method !== method) text = encodeMessage(outgoing);
    method = outgoing.method;
    return text;
  };
}

/** Creates the problem of a message longer than the limit. */
export function tooLarge(maxMessageBytes: number, value: unknown): FramingProblem {
  return { kind: "size", message: `The message is longer than ${maxMessageBytes} bytes`, value };
}

/** Creates the problem of a message with too deep nesting. */
export function tooDeep(maxDepth: number, value: unknown): FramingProblem {
  return { kind: "depth", message: `The message is nested deeper than ${maxDepth} levels`, value };
}

/** Creates the problems of items left out of the list in a result. The other items are received. */
function toItemProblems(items: readonly ByteRange[], maxDepth: number): readonly FramingProblem[] {
  const reason = `left out of the list; more than ${maxDepth} levels of nesting`;
  const more = items.length - mostNames;
  const texts = items.slice(0, mostNames).map((item) => `The item ${JSON.stringify(readName(item))} is ${reason}`);
  if (more > 0) texts.push(`${more} more items are ${reason}`);
  return texts.map((message) => ({ kind: "depth", message }));
}

function readName(item: ByteRange): string {
  const value = readEnvelope(item);
  if (!isObject(value)) return "";
  return shorten([value.name, value.uriTemplate, value.uri].find((text) => typeof text === "string") ?? "");
}

/** Maximum number of items of one list to name one by one. */
const mostNames = 10;

/** Creates the problem of a message with too many values. */
export function tooManyValues(maxValues: number, value: unknown): FramingProblem {
  return { kind: "values", message: `The message has more than ${maxValues} values; send smaller messages`, value };
}

function toProblem(finding: Finding, source: ByteRange, { maxDepth, maxValues }: DecodingLimits): FramingProblem {
  const value = readEnvelope(source);
  switch (finding.kind) {
    case "depth":
      return tooDeep(maxDepth, value);
    case "values":
      return tooManyValues(maxValues, value);
    case "repeated":
      return { kind: "repeated", message: `The member ${finding.member} is duplicated`, value };
    default:
      return finding satisfies never;
  }
}

/** Returns the first level of a message, or `undefined` if it cannot be read. */
function readEnvelope(source: ByteRange): unknown {
  const envelope = outline(source);
  return envelope === undefined ? undefined : parse(envelope);
}

/** Returns the value of JSON text, which is never `undefined`, or `undefined` for any other text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Encodes a message. Results are inserted as text: a static result is never encoded again. */
function encodeMessage(message: Message): string {
  if ("result" in message) return encodeResult(message);
  // A change of a list sends such a notification to every connection: this takes half as long.
  if (isBareNotification(message)) return `{"jsonrpc":"${message.jsonrpc}","method":${JSON.stringify(message.method)}}`;
  return JSON.stringify(message);
}

function isBareNotification(message: Message): message is NotificationMessage {
  return "method" in message && !("id" in message) && message.params === undefined;
}

function encodeResult({ id, result }: ResultMessage): string {
  return `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},"result":${toResultText(result)}}`;
}
