import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../generated/support.ts";
import type { Acceptor } from "../lifecycle/acceptor.ts";
import { createServerAcceptor } from "../server/run/acceptor.ts";
import type { Server } from "../server/create-server.ts";
import { settle } from "./manual-clock.ts";
import { Wire } from "./wire.ts";

/**
 * A line of a conversation. `>`: the script says this. `<`: the side under test says exactly this. `~`: it says something with
 * at least these members. As text (`'> {"id": 1, "method": "ping"}'`) or as a mark and a value; `jsonrpc` may be left out, and
 * text after `>` that is no JSON is written as it stands.
 */
export type TranscriptLine = string | readonly [mark: ">" | "<" | "~", body: unknown];

/** How a transcript is played. */
export interface PlayOptions {
  /** Milliseconds to wait for a line of the side under test. Default 1 s. */
  readonly patience?: number;
}

/** The side under test said something else than the transcript. */
export class TranscriptError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TranscriptError";
  }
}

/**
 * Plays one side of a conversation with a server, or over a wire to which a client or server is connected, and compares the
 * other side's lines; their order among themselves does not matter. At the end, nothing else may have been said.
 */
export async function play(
  target: Server | Acceptor | Wire,
  script: readonly TranscriptLine[],
  options: PlayOptions = {},
): Promise<void> {
  if (target instanceof Wire) return playOn(target, script, options);
  const wire = new Wire();
  const connection = (typeof target === "function" ? target : createServerAcceptor(target))(wire);
  try {
    await playOn(wire, script, options);
  } finally {
    await connection.close();
  }
}

async function playOn(wire: Wire, script: readonly TranscriptLine[], { patience = 1_000 }: PlayOptions): Promise<void> {
  for (const [index, line] of script.entries()) {
    const { mark, body } = readLine(line, index);
    if (mark === ">") {
      say(wire, body);
      await settle();
    } else {
      await hear(wire, { mark, body, where: `line ${index + 1}` }, patience);
    }
  }
  if (wire.sent.length > 0) throw new TranscriptError(`After the last line this was said:\n${describe(wire.sent)}`);
}

function readLine(line: TranscriptLine, index: number): { readonly mark: ">" | "<" | "~"; readonly body: unknown } {
  if (typeof line !== "string") return { mark: line[0], body: complete(line[1]) };
  const [, mark, text = ""] = /^\s*([<>~])\s*(.*)$/s.exec(line) ?? [];
  if (mark !== ">" && mark !== "<" && mark !== "~") {
    throw new TranscriptError(`Line ${index + 1} must begin with >, < or ~: ${line}`);
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

interface Expectation {
  readonly mark: "<" | "~";
  readonly body: unknown;
  readonly where: string;
}

async function hear(wire: Wire, expected: Expectation, patience: number): Promise<void> {
  const { mark, body, where } = expected;
  const deadline = performance.now() + patience;
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
  const said = wire.sent.length === 0 ? "Nothing was said." : `This was said:\n${describe(wire.sent)}`;
  throw new TranscriptError(`At ${where} this was expected:\n${describe([body])}\n${said}`);
}

/** Lists must be as long as expected; objects may have further members. */
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
