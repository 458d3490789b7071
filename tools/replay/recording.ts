import type { Revision } from "../../generated/support.ts";
import type { Incoming } from "../../runtime/jsonrpc/message.ts";
import { UserError } from "../../generator/internal/user-error.ts";

/** First line of a recording. */
export interface RecordingHeader {
  readonly format: typeof recordingFormat;
  /** Version of the format. */
  readonly version: typeof recordingVersion;
  /** Program that wrote the recording, with its version. */
  readonly tool: string;
  /** Time at which the recording began, in the format of ISO 8601. */
  readonly started: string;
  /** Revision of the messages. */
  readonly protocol: string;
  readonly server: { readonly name: string; readonly version: string };
  /** Names of further members whose values were redacted. */
  readonly redacted: readonly string[];
}

/** One message between a client and a server. */
export interface RecordedMessage {
  /** Number of the line in the file, from 1. */
  readonly line: number;
  /** Time of the message, in milliseconds since 1970. */
  readonly time: number;
  readonly connection: string;
  readonly direction: "to-server" | "to-client";
  readonly incoming: Incoming;
}

/** Content of a recording. */
export interface Recording {
  readonly path: string;
  readonly header: RecordingHeader;
  /** Revision of the messages, with the extensions of this package. */
  readonly revision: Revision;
  readonly messages: readonly RecordedMessage[];
  /** Remarks about missing parts. */
  readonly notices: readonly string[];
}

/** Creates the error of a recording without the opening of a connection. */
export function withoutOpening(path: string): UserError {
  return new UserError(`${path} does not contain the start of a connection; record the server again.`);
}

/** Name of the format, in the first line. */
export const recordingFormat = "mcp-recording";

/** Version of the format of this package. */
export const recordingVersion = 1;

/** Maximum bytes of a recording, unless another limit is given: 64 MiB. */
export const defaultRecordingBytes: number = 64 * 1024 * 1024;
