import type { ServingFlags } from "./serve-gateway.ts";
import type { AccessFlags, ConnectionFlags } from "../live/access.ts";

/** Returns the words after `--` unchanged: they belong to another program. */
export function readWords(words: unknown): readonly string[] {
  return Array.isArray(words) ? words.map(String) : [];
}

/** Option for one side of a comparison. */
export const comparedOption = {
  type: "string",
  demandOption: true,
  describe: "Revision, address, quoted command, list of tools, lock file, folder of a client, or server card",
} as const;

/** Options for the report of a comparison. */
export const reportOptions = {
  format: {
    choices: ["text", "json", "markdown", "html"] as const,
    default: "text" as const,
    describe: "Report format",
  },
  output: {
    type: "string",
    describe: "Output file for the report",
    defaultDescription: "standard output",
  },
} as const;

/** Option for a server that runs or can be started. */
export const serverOption = {
  type: "string",
  array: true,
  describe: "Address (http, ws or tcp), module such as dist/server.js, or command after --",
} as const;

/** Option for a server, or a file with a list of its tools. */
export const targetOption = {
  type: "string",
  array: true,
  describe:
    "Address (http, ws or tcp), module such as dist/server.js, .json file with a list of tools, or command after --",
} as const;

/** Options of every command that connects to servers. */
export const connectionOptions = {
  header: {
    type: "string",
    array: true,
    nargs: 1,
    describe: "HTTP header `Name: value`, also sent with a WebSocket upgrade",
  },
  "header-env": {
    type: "string",
    array: true,
    nargs: 1,
    describe: "HTTP header `Name=VARIABLE` with the value of an environment variable",
  },
  env: {
    type: "string",
    array: true,
    nargs: 1,
    describe: "Environment variable of the server process: `NAME=value`, or `NAME` for its current value",
  },
} as const;

/** Options of commands for serving a gateway. */
export const servingOptions = {
  listen: {
    type: "string",
    describe: "Serve over HTTP at HOST:PORT or PORT; over another transport with the prefix ws:// or tcp://",
  },
  stdio: { type: "boolean", default: false, describe: "Serve over stdio" },
  "api-key-env": {
    type: "string",
    describe: "Environment variable with the API keys that clients send in X-API-Key",
    defaultDescription: "no authentication",
  },
  "bearer-env": {
    type: "string",
    describe: "Environment variable with the tokens that clients send in Authorization",
    defaultDescription: "no authentication",
  },
  "allowed-hosts": {
    type: "string",
    array: true,
    nargs: 1,
    describe: "Comma-separated host names under which clients may connect",
    defaultDescription: "loopback names only",
  },
} as const;

/** Options of commands for recording the messages of a server. */
export const recordingOptions = {
  record: { type: "string", describe: "Record the messages of the server in a file, for `replay`" },
  redact: {
    type: "string",
    array: true,
    nargs: 1,
    describe: "Member whose value is not recorded, besides those that look like secrets",
  },
  force: { type: "boolean", default: false, describe: "Replace the file of an earlier recording" },
} as const;

/** Further options of commands that send requests to a server. */
export const accessOptions = {
  protocol: { type: "string", describe: "Protocol revision to use", defaultDescription: "all, newest first" },
  timeout: { type: "number", default: 30, describe: "Timeout for a response, in seconds" },
  sse: {
    type: "boolean",
    default: false,
    describe: "Connect to an address by HTTP with SSE",
    defaultDescription: "only if Streamable HTTP is rejected",
  },
} as const;

/** Options as the command line provides them. Omitted ones are undefined. */
type Given<Flags> = { readonly [Key in keyof Flags]?: Flags[Key] | undefined };

/** Leaves out the omitted options. */
export function toConnection({ header, headerEnv, env }: Given<ConnectionFlags>): ConnectionFlags {
  return { ...(header && { header }), ...(headerEnv && { headerEnv }), ...(env && { env }) };
}

/** Leaves out the omitted options. */
export function toAccess({ timeout, sse, ...connection }: Given<AccessFlags>): AccessFlags {
  return {
    ...toConnection(connection),
    ...(timeout !== undefined && { timeout }),
    ...(sse !== undefined && { sse }),
  };
}

/** Leaves out the omitted options, and splits lists of host names. */
export function toServing({
  listen,
  stdio,
  engine,
  allowedHosts,
  apiKeyEnv,
  bearerEnv,
}: Given<ServingFlags>): ServingFlags {
  return {
    stdio: stdio ?? false,
    ...(listen !== undefined && { listen }),
    ...(engine !== undefined && { engine }),
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
    ...(bearerEnv !== undefined && { bearerEnv }),
    ...(allowedHosts && {
      allowedHosts: allowedHosts.flatMap((names) => names.split(",")).map((name) => name.trim()),
    }),
  };
}
