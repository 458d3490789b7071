import { impacts } from "../../generator/typed-client/contract/impact.ts";
import { defineCommand, flag, list, type Command } from "./define-command.ts";
import {
  accessOptions,
  callerOptions,
  comparedOption,
  connectionOptions,
  listenOption,
  recordingOptions,
  reportOptions,
  serverOption,
  specOption,
  targetOption,
} from "./shared-options.ts";

/* Commands that connect to servers, or serve them. */

const clientCommand = defineCommand({
  call: "client [target..]",
  summary: "Generate a typed client for a server, or check an existing one",
  options: {
    target: targetOption,
    ...connectionOptions,
    ...accessOptions,
    spec: specOption,
    from: { type: "string", describe: "Recording of `gateway --record` with the lists of the server" },
    out: { type: "string", describe: "Output folder", defaultDescription: "src/<name>-client" },
    name: {
      type: "string",
      describe: "Name of the server in the code",
      defaultDescription: "the name that the server reports",
    },
    imports: { choices: ["ts", "js"], default: "ts", describe: "File extension in import paths" },
    re2js: { ...flag, describe: "Match slow patterns with the package re2js" },
    check: { ...flag, describe: "Write nothing; exit with 1 if the client is out of date" },
    "fail-on": { choices: impacts, default: "risky", describe: "Lowest impact that makes --check fail" },
    strict: { ...flag, describe: "Fail if a schema cannot be represented completely" },
    force: { ...flag, describe: "Overwrite edited files" },
  },
  examples: [
    ["client dist/server.js", "server of this project"],
    ["client -- npx -y @modelcontextprotocol/server-memory", "server started by a command"],
    ["client https://example.org/mcp --header-env Authorization=TOKEN", "server at an address"],
    ["client tools.json --name github", "list of tools in a file"],
    ["client --from session.jsonl", "lists in a recording"],
    ["client dist/server.js --check", "in CI: exit with 1 if the server has changed"],
  ],
  run: async ({ target = [], ...options }, words) => {
    const { runClient } = await import("./client.ts");
    return runClient({ ...options, target: [...target, ...words] });
  },
});

const checkCommand = defineCommand({
  call: "check [target..]",
  summary: "Check a server at every revision it supports, and its tools for compatibility with hosts",
  options: {
    target: serverOption,
    ...connectionOptions,
    ...accessOptions,
    spec: specOption,
    auth: { ...flag, describe: "Examine the authorization of a server over HTTP instead" },
    "token-env": { type: "string", describe: "With --auth: environment variable with an access token to examine" },
    host: {
      ...list,
      describe: "Comma-separated hosts whose documented rules are checked: chatgpt, claude, claude-code, ...",
      defaultDescription: "rules of no single host",
    },
    format: { choices: ["text", "json", "junit", "sarif"], default: "text", describe: "Report format" },
    output: reportOptions.output,
    "fail-on": {
      choices: ["error", "warning", "note"],
      default: "error",
      describe: "Lowest severity that makes the command fail",
    },
  },
  examples: [
    ["check dist/server.js", "server of this project"],
    ["check -- npx -y @modelcontextprotocol/server-memory", "server started by a command"],
    ["check dist/server.js --host claude-code,vscode", "the rules of two hosts as well"],
    ["check http://127.0.0.1:3000/mcp --format sarif --output mcp.sarif", "report for code scanning"],
    ["check --auth https://example.org/mcp --token-env TOKEN", "its authorization, and a token for it"],
  ],
  run: async ({ target = [], host, ...options }, words) => {
    const { runCheck } = await import("./check.ts");
    return runCheck({ ...options, target: [...target, ...words], ...(host && { hosts: host }) });
  },
});

const diffCommand = defineCommand({
  call: "diff <older> <newer>",
  summary:
    "Compare two revisions, two servers, or a server with its lock file or card, and rate the impact on each side",
  options: {
    older: comparedOption,
    newer: comparedOption,
    ...connectionOptions,
    ...accessOptions,
    spec: specOption,
    extension: {
      type: "string",
      describe: "Identifier of an extension: compare two versions of it, each a schema.ts or a spec folder",
    },
    ...reportOptions,
    "fail-on": {
      choices: impacts,
      describe: "Lowest impact that makes the command fail",
      defaultDescription: "none",
    },
  },
  examples: [
    ["diff <revision> <revision> --format html --output diff.html", "two revisions, as an HTML page"],
    ["diff 'node old.js' 'node new.js' --format markdown", "two servers, as Markdown for a pull request"],
    ["diff spec new/schema.ts --extension com.example/echo", "a pinned extension, and a new version of it"],
    ["diff old-tools.json https://example.org/mcp --fail-on breaking", "in CI: exit with 1 on breaking changes"],
  ],
  run: async (options) => (await import("./diff.ts")).runDiff(options),
});

const explainCommand = defineCommand({
  call: "explain [server..]",
  summary: "List the parts of a server that clients of a revision do not receive",
  options: {
    server: serverOption,
    ...connectionOptions,
    protocol: { type: "string", demandOption: true, describe: "Revision of the clients" },
    spec: specOption,
    timeout: accessOptions.timeout,
    json: { ...flag, describe: "Print the report as JSON" },
  },
  examples: [
    ["explain dist/server.js --protocol <revision>", "server of this project"],
    ["explain --protocol <revision> --json -- npx some-server", "JSON for scripts"],
  ],
  run: async ({ server = [], ...options }, words) => {
    const { runExplain } = await import("./explain.ts");
    return runExplain({ ...options, server: [...server, ...words] });
  },
});

const inspectCommand = defineCommand({
  call: "inspect [server..]",
  summary: "Open a page in the browser to call a server and see every message",
  options: {
    server: serverOption,
    port: { type: "number", describe: "Port of the page", defaultDescription: "any free port" },
    open: { ...flag, describe: "Open the page in the default browser" },
    spec: specOption,
    ...connectionOptions,
    ...recordingOptions,
  },
  examples: [
    ["inspect dist/server.js", "server of this project"],
    ["inspect -- npx -y @modelcontextprotocol/server-memory", "server started by a command"],
    ["inspect https://example.org/mcp --header-env Authorization=TOKEN", "server at an address"],
  ],
  run: async ({ server = [], redact = [], ...options }, words) => {
    const { runInspect } = await import("./inspect.ts");
    return runInspect({ ...options, redact, server: [...server, ...words] });
  },
});

const gatewayCommand = defineCommand({
  call: "gateway [server..]",
  summary: "Serve an existing server at every protocol revision",
  options: {
    server: serverOption,
    listen: listenOption,
    stdio: { ...flag, describe: "Serve over stdio" },
    ...callerOptions,
    ...connectionOptions,
    "share-connections": {
      ...flag,
      describe: "Share connections to the server between unauthenticated stateless requests",
    },
    engine: {
      type: "string",
      describe: "Redis that several nodes share: redis://HOST:PORT, or no value to read ENGINE_URL; needs MCP_KEYS",
      defaultDescription: "the gateway is one process",
    },
    card: {
      type: "string",
      describe: "Serve a public server card with this name, as in com.example/weather; needs --public-url",
      defaultDescription: "no card",
    },
    "public-url": { type: "string", describe: "Public URL of the endpoint, for the server card" },
    timeout: {
      type: "string",
      describe: "Seconds without a response or progress before a request to the server fails",
      defaultDescription: "the timeout of the client",
    },
    protocol: {
      type: "string",
      describe: "Only revision to use with the server",
      defaultDescription: "the newest that the server supports",
    },
    spec: specOption,
    ...recordingOptions,
  },
  examples: [
    ["gateway --listen 127.0.0.1:3000 -- npx some-server", "serve a stdio server over HTTP"],
    ["gateway --stdio https://example.org/mcp --header-env Authorization=TOKEN", "serve a remote server over stdio"],
    ["gateway --listen 3000 --env GITHUB_TOKEN -- npx some-server", "pass an environment variable to the server"],
    ["gateway --listen 3000 --record session.jsonl -- npx some-server", "record the messages for `replay`"],
  ],
  run: async ({ server = [], redact = [], ...options }, words) => {
    const { runGateway } = await import("./gateway.ts");
    return runGateway({ ...options, redact, server: [...server, ...words] });
  },
});

const replayCommand = defineCommand({
  call: "replay <file>",
  summary: "Serve a mock server from a recording of `gateway --record`, or test a server with it",
  options: {
    file: { type: "string", demandOption: true, describe: "Recording of `gateway --record`" },
    against: {
      type: "string",
      describe: "Test this server: an address, a module, a quoted command, or a command after --",
    },
    listen: { ...listenOption, defaultDescription: "stdio" },
    ...callerOptions,
    ...connectionOptions,
    protocol: { ...accessOptions.protocol, defaultDescription: "the recorded one" },
    spec: specOption,
    timeout: accessOptions.timeout,
    ignore: {
      ...list,
      describe: "Member that is not compared, such as structuredContent.time; * stands for any name or index",
    },
    ...reportOptions,
    "fail-on": {
      choices: impacts,
      default: "risky",
      describe: "Lowest impact of a difference that makes the command fail",
    },
  },
  examples: [
    ["replay session.jsonl", "mock server over stdio, at every revision"],
    ["replay session.jsonl --listen 3000", "mock server over HTTP"],
    ["replay session.jsonl --against dist/server.js", "in CI: exit with 1 if a response differs"],
    [
      "replay session.jsonl --against --protocol <revision> -- npx some-server",
      "the same requests at another revision",
    ],
  ],
  run: async ({ against, ignore = [], ...options }, words) => {
    const { runReplay } = await import("./replay.ts");
    const server = [...(against === undefined || against === "" ? [] : [against]), ...words];
    return runReplay({ ...options, ignore, against: against !== undefined, server });
  },
});

/** Commands that connect to servers or serve them, in the order of the help. */
export const serverCommands: readonly Command[] = [
  clientCommand,
  checkCommand,
  diffCommand,
  explainCommand,
  gatewayCommand,
  replayCommand,
  inspectCommand,
];
