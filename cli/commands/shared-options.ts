/* Rows of options that several commands have. */

/** Revisions of a command: those of a spec folder. */
export const specOption = {
  type: "string",
  describe: "Spec folder, as created by `pin`; --no-spec: the spec folder of the package",
  defaultDescription: "the spec folder of the project in the working directory, or of the package",
  /** The value of `--no-spec` is `false`. */
  coerce: (value: unknown): string | false => (value === false ? value : String(value)),
} as const;

/** A side of a comparison. */
export const comparedOption = {
  type: "string",
  demandOption: true,
  describe: "Revision, address, quoted command, list of tools, lock file, folder of a client, or server card",
} as const;

/** Report of a comparison. */
export const reportOptions = {
  format: {
    choices: ["text", "json", "markdown", "html"],
    default: "text",
    describe: "Report format",
  },
  output: { type: "string", describe: "Output file for the report", defaultDescription: "standard output" },
} as const;

/** A server that runs or can be started. */
export const serverOption = {
  type: "string",
  array: true,
  describe: "Address (http, ws or tcp), module such as dist/server.js, or command after --",
} as const;

/** A server, or a file with a list of its tools. */
export const targetOption = {
  type: "string",
  array: true,
  describe:
    "Address (http, ws or tcp), module such as dist/server.js, .json file with a list of tools, or command after --",
} as const;

/** Connection to a server. */
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

/** Requests to a server. */
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

/** Clients of a gateway over HTTP. */
export const callerOptions = {
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
    coerce: (values: readonly string[]): readonly string[] =>
      values.flatMap((names) => names.split(",")).map((name) => name.trim()),
  },
} as const;

/** Address of a gateway. */
export const listenOption = {
  type: "string",
  describe: "Serve over HTTP at HOST:PORT or PORT; over another transport with the prefix ws:// or tcp://",
} as const;

/** Recording of the messages of a server. */
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
