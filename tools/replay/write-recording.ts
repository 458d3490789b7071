import { closeSync, existsSync, ftruncateSync, lstatSync, openSync, rmSync, writeSync } from "node:fs";
import { join, parse } from "node:path";
import type { TrafficEntry } from "../../runtime/gateway/index.ts";
import { packageVersion } from "../../generator/internal/package-info.ts";
import { systemCode, UserError } from "../../generator/internal/user-error.ts";
import { defaultRecordingBytes, recordingFormat, recordingVersion, type RecordingHeader } from "./recording.ts";
import { MessageRedactor } from "./redact-message.ts";

/** Options of a recording. */
export interface RecorderOptions {
  /** File to write. */
  readonly path: string;
  /** What happens if the file exists: an error, its replacement, or a number in the name, as in `session-2.jsonl`. */
  readonly ifExists: "reject" | "replace" | "number";
  /** Names of members whose values are redacted, in addition to names that look like secrets. */
  readonly redact: readonly string[];
  /** Maximum bytes of the file. Default 64 MiB. */
  readonly maxBytes?: number;
  /** Receives a sentence when the recording begins, and when it ends early. */
  readonly onNotice: (notice: string) => void;
}

/** Options of commands for recording the messages of a server. */
export interface RecordingFlags {
  /** File for the messages between the gateway and the server. */
  readonly record?: string;
  /** Names of members whose values are not recorded, besides names that look like secrets. */
  readonly redact: readonly string[];
  /** Replace the file of an earlier recording. */
  readonly force: boolean;
}

/**
 * Creates the recorder of a command, if it records. With `stdio`, a host starts the command with the same arguments again and again, and at times
 * twice at once. Each start has a file of its own: none ends at an existing file or replaces an earlier recording.
 *
 * @throws {UserError} when the file exists and is not to be replaced, or when there are options without a use
 */
export function createRecorder(options: RecordingFlags & { readonly stdio?: boolean }): Recorder | undefined {
  const { record, redact, force, stdio = false } = options;
  if (record === undefined && (force || redact.length > 0))
    throw new UserError("--redact and --force apply to --record; remove them.");
  if (record === undefined) return undefined;
  if (stdio && force)
    throw new UserError("--force applies to --listen only; remove it: with --stdio, each start has a file of its own.");
  const ifExists = stdio ? "number" : force ? "replace" : "reject";
  return new Recorder({ path: record, redact, ifExists, onNotice: console.error });
}

/** Server behind a recording. */
export interface RecordedServer {
  readonly info: { readonly name: string; readonly version: string };
  readonly revision: { readonly id: string };
}

/**
 * Writes the messages between a gateway and its server to a file, one line each. A line is written at once: even a killed process leaves whole lines.
 * Only the user can read the file.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #redactor: MessageRedactor;
  /** Lines before the header, which needs the name of the server. */
  #waiting: string[] | undefined = [];
  #file: number | undefined;
  /** Path of the file: another than the one of the options if it is taken. */
  #path: string;
  /** Bytes of all lines so far, and how many of them are in the file. */
  #bytes = 0;
  #written = 0;
  #isOver = false;

  /**
   * Nothing is written until `begin`.
   *
   * @throws {UserError} when the file exists and `ifExists` is `reject`
   */
  constructor(options: RecorderOptions) {
    const { path, ifExists, redact } = options;
    if (ifExists === "reject" && existsSync(path))
      throw new UserError(`${path} exists; choose another file, or replace it with --force.`);
    this.#options = options;
    this.#path = path;
    this.#redactor = new MessageRedactor(redact);
  }

  /** Records one message; `onTraffic` of a gateway. Messages between a client and the gateway are skipped. */
  readonly record = ({ side, sequence, time, connection, direction, message, problem }: TrafficEntry): void => {
    if (side !== "server" || this.#isOver) return;
    const redacted = this.#redactor.redact(message, connection);
    this.#add(JSON.stringify({ sequence, time, connection, direction, message: redacted, problem }));
  };

  /**
   * Creates the file, and writes everything so far.
   *
   * @throws {UserError} when the file cannot be created
   */
  begin({ info, revision }: RecordedServer): void {
    const header: RecordingHeader = {
      format: recordingFormat,
      version: recordingVersion,
      tool: `create-mcp-server ${packageVersion()}`,
      started: new Date().toISOString(),
      protocol: revision.id,
      server: { name: info.name, version: info.version },
      redacted: this.#options.redact,
    };
    const created = create(this.#options);
    this.#file = created.file;
    this.#path = created.path;
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    const first = JSON.stringify(header);
    this.#bytes += Buffer.byteLength(first) + 1;
    for (const line of [first, ...waiting]) this.#write(line);
    this.#options.onNotice(`The messages of the server are recorded in ${this.#path}`);
  }

  /** Closes the file. */
  close(): void {
    this.#isOver = true;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #add(line: string): void {
    const { maxBytes = defaultRecordingBytes } = this.#options;
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#bytes + bytes > maxBytes) return this.#end(`the file has reached its limit of ${maxBytes} bytes`);
    this.#bytes += bytes;
    this.#write(line);
  }

  #write(line: string): void {
    if (this.#waiting) return void this.#waiting.push(line);
    try {
      this.#append(Buffer.from(`${line}\n`));
      this.#written += Buffer.byteLength(line) + 1;
    } catch (error) {
      // The beginning of a line on a full disk would hide that the lines before it are whole.
      if (this.#file !== undefined) ftruncateSync(this.#file, this.#written);
      this.#end(`the file cannot be written (${systemCode(error)})`);
    }
  }

  #append(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && this.#file !== undefined;) at += writeSync(this.#file, bytes, at);
  }

  #end(reason: string): void {
    this.#isOver = true;
    const notice = `The recording ends here: ${reason}.`;
    this.#options.onNotice(`${this.#path}: ${notice} Later messages are not recorded.`);
    if (this.#waiting) return void this.#waiting.push(JSON.stringify({ notice }));
    try {
      this.#append(Buffer.from(`${JSON.stringify({ notice })}\n`));
    } catch {
      // The notice was reported already.
    }
  }
}

/** Creates a file that only its owner can read. Never opens an existing file, or the target of a link. */
function create({ path, ifExists }: RecorderOptions): { readonly file: number; readonly path: string } {
  try {
    // A folder is never removed.
    if (ifExists === "replace" && existsSync(path) && lstatSync(path).isFile()) rmSync(path);
    return ifExists === "number" ? createNumbered(path) : { file: createNew(path), path };
  } catch (error) {
    throw new UserError(`${path} cannot be created (${systemCode(error)}); choose another file.`, { cause: error });
  }
}

/**
 * Creates the file, or the first of `session-2.jsonl`, `session-3.jsonl` ... that does not exist. Another process may look for one at the same time.
 */
function createNumbered(path: string): { readonly file: number; readonly path: string } {
  const { dir, name, ext } = parse(path);
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? path : join(dir, `${name}-${number}${ext}`);
    try {
      return { file: createNew(numbered), path: numbered };
    } catch (error) {
      if (systemCode(error) !== "EEXIST" || number === mostNumbers) throw error;
    }
  }
}

function createNew(path: string): number {
  return openSync(path, "ax", 0o600);
}

/** Maximum number of recordings beside each other: even a host that starts a server again and again does not fill the disk. */
const mostNumbers = 1_000;
