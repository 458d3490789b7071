import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../generated/support.ts";
import type { Acceptor } from "../lifecycle/acceptor.ts";
import { createServerAcceptor } from "../server/run/acceptor.ts";
import type { Server } from "../server/create-server.ts";
import { settle } from "./manual-clock.ts";
import { Wire } from "./wire.ts";

/**
 * Line of a transcript. `>`: the script sends this. `<`: the side under test sends exactly this. `~`: the side under test sends a message with at
 * least these members. A line is text (`'> {"id": 1, "method": "ping"}'`) or a mark and a value. `jsonrpc` may be omitted. If the text after `>` is
 * not JSON, it is sent unchanged.
 */
export type TranscriptLine = string | readonly [mark: ">" | "<" | "~", body: unknown];

/** Options of {@link runTranscript}. */
export interface TranscriptOptions {
  /** Milliseconds to wait for a line of the side under test. Default 1 s. */
  readonly timeout?: number;
}

/** Error for a side under test that deviates from the transcript. */
export class TranscriptError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TranscriptError";
  }
}

/**
 * Runs one side of a conversation with a server, or over the wire of a client or server, and compares the lines of the other side. Their order does
 * not matter.
 *
 * @throws {TranscriptError} when an expected line is missing, or lines are left over at the end.
 * @example
 * ```ts
 * import { runTranscript } from "mcp-server-runtime/testing";
 *
 * await runTranscript(server, [
 *   '> {"id": 1, "method": "ping"}', // sent to the server
 *   '< {"id": 1, "result": {}}', // expected of the server
 * ]);
 * ```
 */
export async function runTranscript(
  target: Server | Acceptor | Wire,
  script: readonly TranscriptLine[],
  options: TranscriptOptions = {},
): Promise<void> {
  if (target instanceof Wire) return runOn(target, script, options);
  const wire = new Wire();
  const connection = (typeof target === "function" ? target : createServerAcceptor(target))(wire);
  try {
    await runOn(wire, script, options);
  } finally {
    await connection.close();
  }
}

async function runOn(
  wire: Wire,
  script: readonly TranscriptLine[],
  { timeout = 1_000 }: TranscriptOptions,
): Promise<void> {
  for (const [index, line] of script.entries()) {
    const { mark, body } = readLine(line, index);
    if (mark === ">") {
      say(wire, body);
      await settle();
    } else {
      await expectMessage(wire, { mark, body, where: `line ${index + 1}` }, timeout);
    }
  }
  if (wire.sent.length > 0)
    throw new TranscriptError(`Unexpected messages after the last line:\n${describe(wire.sent)}`);
}

function readLine(line: TranscriptLine, index: number): { readonly mark: ">" | "<" | "~"; readonly body: unknown } {
  if (typeof line !== "string") return { mark: line[0], body: complete(line[1]) };
  const [, mark, text = ""] = /^\s*([<>~])\s*(.*)$/s.exec(line) ?? [];
  if (mark !== ">" && mark !== "<" && mark !== "~") {
    throw new TranscriptError(`Line ${index + 1} does not begin with >, < or ~: ${line}`);
  }
  return { mark, body: parse(text, { isRaw: mark === ">", index }) };
}

function parse(text: string, { isRaw, index }: { readonly isRaw: boolean; readonly index: number }): unknown {
  try {
    return complete(JSON.parse(text));
  } catch {
    if (isRaw) return text;
    throw new TranscriptError(`Line ${index + 1} is not JSON: ${text}`);
  }
}

function say(wire: Wire, body: unknown): void {
  if (typeof body === "string") wire.write(`${body}\n`);
  else wire.post(body);
}

async function expectMessage(
  wire: Wire,
  expected: { readonly mark: "<" | "~"; readonly body: unknown; readonly where: string },
  timeout: number,
): Promise<void> {
  const { mark, body, where } = expected;
  const deadline = performance.now() + timeout;
  const fits = (said: unknown): boolean => (mark === "<" ? isDeepStrictEqual(said, body) : contains(said, body));
  for (;;) {
    const position = wire.sent.findIndex(fits);
    if (position !== -1) {
      wire.sent.splice(position, 1);
      return;
    }
    if (performance.now() >= deadline) break;
    await settle();
  }
  const said = wire.sent.length === 0 ? "Received no message" : `Received:\n${describe(wire.sent)}`;
  throw new TranscriptError(`Expected at ${where}:\n${describe([body])}\n${said}`);
}

/** True if a message contains the expected value. Lists must have the expected length; objects may have further members. */
function contains(said: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(said) && said.length === expected.length && expected.every((item, at) => contains(said[at], item))
    );
  }
  if (!isObject(expected)) return isDeepStrictEqual(said, expected);
  return (
    isObject(said) &&
    Object.entries(expected).every(([key, value]) => Object.hasOwn(said, key) && contains(said[key], value))
  );
}

function complete(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(complete);
  return isObject(body) && !("jsonrpc" in body) ? { jsonrpc: "2.0", ...body } : body;
}

function describe(messages: readonly unknown[]): string {
  return messages.map((message) => `  ${JSON.stringify(message)}`).join("\n");
}
