import type { AccessFlags, ConnectionFlags } from "../live/access.ts";

/** Returns the words after `--` unchanged: they belong to another program. */
export function readWords(words: unknown): readonly string[] {
  return Array.isArray(words) ? words.map(String) : [];
}

/** Option for one side of a comparison. */
export const comparedOption = {
  type: "string",
  demandOption: true,
  describe: "A revision, an address, a command in quotes, a list of tools, a lock file, or a client's folder",
} as const;

/** Option for the file that receives a report. */
export const outputOption = {
  type: "string",
  describe: "File for the report",
  defaultDescription: "standard output",
} as const;

/** Option for a server that runs or can be started. */
export const serverOption = {
  type: "string",
  array: true,
  describe: "An address (http, ws or tcp), a module such as dist/server.js, or after -- a command",
} as const;

/** Option for a server, or a file that lists the tools of one. */
export const targetOption = {
  type: "string",
  array: true,
  describe:
    "An address (http, ws or tcp), a module such as dist/server.js, a .json file with a list of tools, or after -- a command",
} as const;

/** Options of every command that connects to servers. */
export const connectionOptions = {
  header: {
    type: "string",
    array: true,
    nargs: 1,
    describe: "HTTP header, also of the upgrade to a WebSocket, `Name: value`",
  },
  "header-env": {
    type: "string",
    array: true,
    nargs: 1,
    describe: "HTTP header with the value of an environment variable, `Name=VARIABLE`",
  },
  env: {
    type: "string",
    array: true,
    nargs: 1,
    describe: "Variable of the server's process, `NAME=value`, or `NAME` for our own",
  },
} as const;

/** Further options of commands that send requests to a server. */
export const accessOptions = {
  protocol: { type: "string", describe: "Speak only this revision", defaultDescription: "all, newest first" },
  timeout: { type: "number", default: 30, describe: "Seconds to wait for an answer" },
  sse: {
    type: "boolean",
    default: false,
    describe: "Reach an address by HTTP with SSE",
    defaultDescription: "only when it refuses Streamable HTTP",
  },
} as const;

/** Options as the command line provides them. Those that were not given are undefined. */
type Given<Flags> = { readonly [Key in keyof Flags]?: Flags[Key] | undefined };

/** Leaves out the options that were not given. */
export function toConnection({ header, headerEnv, env }: Given<ConnectionFlags>): ConnectionFlags {
  return { ...(header && { header }), ...(headerEnv && { headerEnv }), ...(env && { env }) };
}

/** Leaves out the options that were not given. */
export function toAccess({ timeout, sse, ...connection }: Given<AccessFlags>): AccessFlags {
  return {
    ...toConnection(connection),
    ...(timeout !== undefined && { timeout }),
    ...(sse !== undefined && { sse }),
  };
}
