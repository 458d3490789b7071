import { readFile, stat } from "node:fs/promises";
import { revisions } from "../../generated/revisions.ts";
import { isObject, type Extension, type Revision } from "../../generated/support.ts";
import { LineDecoder } from "../../runtime/framing/ndjson.ts";
import { knownExtensions, withExtensions } from "../../runtime/gateway/extensions.ts";
import { classify } from "../../runtime/jsonrpc/message.ts";
import { countText, safeLine } from "../../generator/internal/text.ts";
import { systemCode, UserError } from "../../generator/internal/user-error.ts";
import {
  recordingFormat,
  recordingVersion,
  type RecordedMessage,
  type Recording,
  type RecordingHeader,
} from "./recording.ts";

/**
 * Reads a recording. An unfinished last line is ignored, with a notice.
 *
 * @throws {UserError} when the file cannot be read or is not a recording; the message names the line
 */
export async function readRecording(
  path: string,
  known: KnownTables = { revisions, extensions: knownExtensions },
): Promise<Recording> {
  const bytes = await readBytes(path);
  const lines = readLines(bytes, path);
  const [first, ...rest] = lines;
  if (!first) throw new UserError(`${path} is empty; record a server with gateway --record.`);
  const header = readHeader(first, path);
  const revision = readRevision(header, path, known);
  const messages: RecordedMessage[] = [];
  const notices: string[] = [];
  for (const line of rest) {
    const read = readLine(line, path);
    if (typeof read === "string") notices.push(read);
    else if (read) messages.push(read);
  }
  const cut = lines.find(({ isCut }) => isCut);
  if (cut) notices.push(`Line ${cut.number} was cut off and is ignored.`);
  return { path, header, revision, messages, notices };
}

/** Revisions and extensions whose messages can be read. */
interface KnownTables {
  readonly revisions: readonly Revision[];
  readonly extensions: readonly Extension[];
}

/** Line of a file: a value, or the reason why it has none. */
interface Line {
  readonly number: number;
  readonly value?: unknown;
  readonly problem?: string;
  /** True for a last line without its end. */
  readonly isCut?: true;
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size > mostBytes) throw new UserError(`${path} has more than ${mostBytes} bytes; record a shorter session.`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${path} cannot be read (${systemCode(error)}); pass a file written by gateway --record.`, {
      cause: error,
    });
  }
}

/** Reads lines of JSON within the limits of messages. */
function readLines(bytes: Uint8Array, path: string): readonly Line[] {
  const lines: Line[] = [];
  const add = (line: Omit<Line, "number">): void => {
    if (lines.length >= mostLines) throw new UserError(`${path} has more than ${countText(mostLines, "line")}.`);
    lines.push({ number: lines.length + 1, ...line });
  };
  const decoder = new LineDecoder(limits, {
    message: (value) => add({ value }),
    problem: ({ message }) => add({ problem: message }),
  });
  decoder.push(bytes);
  const whole = lines.length;
  decoder.end();
  return lines.map((line, index) => (index >= whole && line.problem !== undefined ? { ...line, isCut: true } : line));
}

function readHeader({ value, problem }: Line, path: string): RecordingHeader {
  if (problem !== undefined || !isObject(value) || value.format !== recordingFormat)
    throw new UserError(`${path} is not a recording: its first line is not a header. Pass a file of gateway --record.`);
  const { version, tool, started, protocol, server, redacted } = value;
  if (version !== recordingVersion)
    throw new UserError(
      `${path} has version ${safeLine(JSON.stringify(version) ?? "none", 20)} of the format, and this program reads ${recordingVersion}; update it.`,
    );
  const { name, version: serverVersion } = isObject(server) ? server : {};
  if (typeof protocol !== "string" || typeof name !== "string" || typeof serverVersion !== "string")
    throw new UserError(`${path} is damaged: its header has no protocol or no server; record the server again.`);
  return {
    format: recordingFormat,
    version: recordingVersion,
    tool: typeof tool === "string" ? tool : "",
    started: typeof started === "string" ? started : "",
    protocol,
    server: { name, version: serverVersion },
    redacted: Array.isArray(redacted) ? redacted.filter((one) => typeof one === "string") : [],
  };
}

function readRevision(
  { protocol }: RecordingHeader,
  path: string,
  { revisions: known, extensions }: KnownTables,
): Revision {
  const revision = withExtensions(known, extensions).find(({ id }) => id === protocol);
  if (revision) return revision;
  const ids = known.map(({ id }) => id).join(", ");
  throw new UserError(`${path} has revision ${safeLine(protocol, 40)}, and this program knows ${ids}; update it.`);
}

/** Returns a message, a notice, or nothing for input that was no message. */
function readLine({ number, value, problem, isCut }: Line, path: string): RecordedMessage | string | undefined {
  if (isCut) return undefined;
  if (problem !== undefined) throw damaged(path, number, problem);
  if (!isObject(value)) throw damaged(path, number, "It is not an object");
  const { notice, time, connection, direction, message } = value;
  if (typeof notice === "string") return notice;
  if (typeof connection !== "string") throw damaged(path, number, "It has no connection");
  if (direction !== "to-server" && direction !== "to-client") throw damaged(path, number, "It has no direction");
  if (message === undefined) return undefined;
  const incoming = classify(message);
  if (incoming.kind === "invalid" || incoming.kind === "unusable") return undefined;
  return { line: number, time: typeof time === "number" ? time : NaN, connection, direction, incoming };
}

function damaged(path: string, line: number, problem: string): UserError {
  return new UserError(`${path} is damaged in line ${line}: ${safeLine(problem)}; remove the line, or record again.`);
}

/** Maximum size of a file, in bytes. */
const mostBytes = 256 * 1024 * 1024;

/** Maximum number of messages in a file. */
const mostLines = 1_000_000;

/** Limits of one line. A recorded message has the limits of messages of servers behind a gateway, and is one level below its line. */
const limits = { maxMessageBytes: 32 * 1024 * 1024, maxDepth: 513, maxValues: 500_000 } as const;
