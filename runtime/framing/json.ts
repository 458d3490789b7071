import type { FramingProblem } from "../jsonrpc/channel.ts";
import type { Limits } from "../jsonrpc/limits.ts";
import { isBatch, toResultText, type Message, type Outgoing, type ResultMessage } from "../jsonrpc/message.ts";
import { omitDeepItems, type ShallowMessage } from "./deep-items.ts";
import { outline, scan, toByteRange, type ByteRange, type Finding } from "./json-scan.ts";

/** Limits on the structure of decoded messages. */
export type DecodingLimits = Pick<Limits, "maxDepth" | "maxValues">;

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
  if (!finding) return parseInto(sink, source.text);
  const shallow = finding.kind === "depth" ? readShallow(source, limits) : undefined;
  if (!shallow) return sink.problem(toProblem(finding, source, limits));
  for (const problem of toItemProblems(shallow.names, limits.maxDepth)) sink.problem(problem);
  // A result has one list. Looking for more would read a message with thousands of lists thousands of times.
  const rest = toByteRange(shallow.text);
  const left = scan(rest, limits);
  if (left) sink.problem(toProblem(left, rest, limits));
  else parseInto(sink, shallow.text);
}

function parseInto(sink: Sink, text: string): void {
  const value = parse(text);
  if (value === undefined) sink.problem({ kind: "syntax", message: "The message is not valid JSON" });
  else sink.message(value);
}

/**
 * Encodes one message or batch as one line of JSON text, without the line break.
 *
 * @throws {TypeError} when it cannot be written as JSON
 */
export function encode(outgoing: Outgoing): string {
  return isBatch(outgoing) ? `[${outgoing.map(encodeMessage).join(",")}]` : encodeMessage(outgoing);
}

/** Creates the problem of a message that is longer than the limit. */
export function tooLarge(maxMessageBytes: number, value: unknown): FramingProblem {
  return { kind: "size", message: `The message is longer than ${maxMessageBytes} bytes`, value };
}

/** Creates the problem of a message that is nested too deeply. */
export function tooDeep(maxDepth: number, value: unknown): FramingProblem {
  return { kind: "depth", message: `The message is nested deeper than ${maxDepth} levels`, value };
}

/** Creates the problems of items that are left out of the list in a result. The other items are received. */
function toItemProblems(names: readonly string[], maxDepth: number): readonly FramingProblem[] {
  const reason = `left out of the list; more than ${maxDepth} levels of nesting`;
  const more = names.length - mostNames;
  const texts = names.slice(0, mostNames).map((name) => `The item ${JSON.stringify(name)} is ${reason}`);
  if (more > 0) texts.push(`${more} more items are ${reason}`);
  return texts.map((message) => ({ kind: "depth", message }));
}

/** Maximum number of items of one list that are named one by one. */
const mostNames = 10;

/** Creates the problem of a message that holds too many values. */
export function tooManyValues(maxValues: number, value: unknown): FramingProblem {
  return { kind: "values", message: `The message has more than ${maxValues} values; send smaller messages`, value };
}

function toProblem(finding: Finding, source: ByteRange, { maxDepth, maxValues }: DecodingLimits): FramingProblem {
  const envelope = outline(source);
  const value = envelope === undefined ? undefined : parse(envelope);
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

/** Returns a message without the items of its list that are too deep, or `undefined` for any other message. */
function readShallow(source: ByteRange, { maxDepth }: DecodingLimits): ShallowMessage | undefined {
  try {
    return omitDeepItems(source, maxDepth);
  } catch {
    return undefined;
  }
}

/** Returns the value of JSON text, which is never `undefined`, or `undefined` for text that is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Encodes a message. Results are inserted as text, so that a static result is never encoded again. */
function encodeMessage(message: Message): string {
  if ("result" in message) return encodeResult(message);
  // A change of a list sends such a notification to every session: this takes half as long.
  if ("method" in message && !("id" in message) && message.params === undefined)
    return `{"jsonrpc":"${message.jsonrpc}","method":${JSON.stringify(message.method)}}`;
  return JSON.stringify(message);
}

function encodeResult({ id, result }: ResultMessage): string {
  return `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},"result":${toResultText(result)}}`;
}
