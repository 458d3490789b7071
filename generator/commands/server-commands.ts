import type { Argv } from "yargs";
import { impacts } from "../typed-client/contract/impact.ts";
import {
  accessOptions,
  comparedOption,
  connectionOptions,
  readWords,
  recordingOptions,
  reportOptions,
  serverOption,
  servingOptions,
  targetOption,
  toAccess,
  toConnection,
  toServing,
} from "./server-options.ts";
import { specOption, toSpec } from "./spec-option.ts";
import { examplesText } from "./usage.ts";

/* Definitions for yargs of the commands that connect to servers. The code of a command is loaded when it runs. */

/** Adds the command `client` to the command line. */
export function addClientCommand(cli: Argv): Argv {
  return cli.command(
    "client [target..]",
    "Generate a typed client for a server, or check an existing one",
    (command) =>
      command
        .positional("target", targetOption)
        .options(connectionOptions)
        .options(accessOptions)
        .option("spec", specOption)
        .option("from", { type: "string", describe: "Recording of `gateway --record` with the lists of the server" })
        .option("out", { type: "string", describe: "Output folder", defaultDescription: "src/<name>-client" })
        .option("name", {
          type: "string",
          describe: "Name of the server in the code",
          defaultDescription: "the name that the server reports",
        })
        .option("imports", {
          choices: ["ts", "js"] as const,
          default: "ts" as const,
          describe: "File extension in import paths",
        })
        .option("re2js", {
          type: "boolean",
          default: false,
          describe: "Match slow patterns with the package re2js",
        })
        .option("check", {
          type: "boolean",
          default: false,
          describe: "Write nothing; exit with 1 if the client is out of date",
        })
        .option("fail-on", {
          choices: impacts,
          default: "risky" as const,
          describe: "Lowest impact that makes --check fail",
        })
        .option("strict", {
          type: "boolean",
          default: false,
          describe: "Fail if a schema cannot be represented completely",
        })
        .option("force", { type: "boolean", default: false, describe: "Overwrite edited files" })
        .epilogue(
          examplesText(
            ["client dist/server.js", "server of this project"],
            ["client -- npx -y @modelcontextprotocol/server-memory", "server started by a command"],
            ["client https://example.org/mcp --header-env Authorization=TOKEN", "server at an address"],
            ["client tools.json --name github", "list of tools in a file"],
            ["client --from session.jsonl", "lists in a recording"],
            ["client dist/server.js --check", "in CI: exit with 1 if the server has changed"],
          ),
        ),
    async ({
      "--": words,
      target = [],
      from,
      out,
      name,
      protocol,
      spec,
      imports,
      re2js,
      check,
      failOn,
      strict,
      force,
      ...flags
    }) => {
      const { runClient } = await import("./client.ts");
      process.exitCode = await runClient({
        ...toAccess(flags),
        ...toSpec(spec),
        target: [...target, ...readWords(words)],
        imports,
        re2js,
        check,
        failOn,
        strict,
        force,
        ...(from !== undefined && { from }),
        ...(out !== undefined && { out }),
        ...(name !== undefined && { name }),
        ...(protocol !== undefined && { protocol }),
      });
    },
  );
}

/** Adds the command `check` to the command line. */
export function addCheckCommand(cli: Argv): Argv {
  return cli.command(
    "check [target..]",
    "Check a server at every revision it supports, and its tools for compatibility with hosts",
    (command) =>
      command
        .positional("target", serverOption)
        .options(connectionOptions)
        .options(accessOptions)
        .option("spec", specOption)
        .option("auth", {
          type: "boolean",
          default: false,
          describe: "Examine the authorization of a server over HTTP instead",
        })
        .option("token-env", {
          type: "string",
          describe: "With --auth: environment variable with an access token to examine",
        })
        .option("host", {
          type: "string",
          array: true,
          nargs: 1,
          describe: "Comma-separated hosts whose documented rules are checked: chatgpt, claude, claude-code, ...",
          defaultDescription: "rules of no single host",
        })
        .option("format", {
          choices: ["text", "json", "junit", "sarif"] as const,
          default: "text" as const,
          describe: "Report format",
        })
        .option("output", reportOptions.output)
        .option("fail-on", {
          choices: ["error", "warning", "note"] as const,
          default: "error" as const,
          describe: "Lowest severity that makes the command fail",
        })
        .epilogue(
          examplesText(
            ["check dist/server.js", "server of this project"],
            ["check -- npx -y @modelcontextprotocol/server-memory", "server started by a command"],
            ["check dist/server.js --host claude-code,vscode", "the rules of two hosts as well"],
            ["check http://127.0.0.1:3000/mcp --format sarif --output mcp.sarif", "report for code scanning"],
            ["check --auth https://example.org/mcp --token-env TOKEN", "its authorization, and a token for it"],
          ),
        ),
    async ({ "--": words, target = [], protocol, spec, host, auth, tokenEnv, format, output, failOn, ...flags }) => {
      const { runCheck } = await import("./check.ts");
      process.exitCode = await runCheck({
        ...toAccess(flags),
        ...toSpec(spec),
        auth,
        ...(tokenEnv !== undefined && { tokenEnv }),
        target: [...target, ...readWords(words)],
        format,
        failOn,
        ...(host && { hosts: host }),
        ...(output !== undefined && { output }),
        ...(protocol !== undefined && { protocol }),
      });
    },
  );
}

/** Adds the command `diff` to the command line. */
export function addDiffCommand(cli: Argv): Argv {
  return cli.command(
    "diff <older> <newer>",
    "Compare two revisions, two servers, or a server with its lock file or card, and rate the impact on each side",
    (command) =>
      command
        .positional("older", comparedOption)
        .positional("newer", comparedOption)
        .options(connectionOptions)
        .options(accessOptions)
        .option("spec", specOption)
        .options(reportOptions)
        .option("fail-on", {
          choices: impacts,
          describe: "Lowest impact that makes the command fail",
          defaultDescription: "none",
        })
        .epilogue(
          examplesText(
            ["diff <revision> <revision> --format html --output diff.html", "two revisions, as an HTML page"],
            ["diff 'node old.js' 'node new.js' --format markdown", "two servers, as Markdown for a pull request"],
            [
              "diff old-tools.json https://example.org/mcp --fail-on breaking",
              "in CI: exit with 1 on breaking changes",
            ],
          ),
        ),
    async ({ older, newer, protocol, spec, format, output, failOn, ...flags }) => {
      const { runDiff } = await import("./diff.ts");
      process.exitCode = await runDiff({
        ...toAccess(flags),
        older,
        newer,
        format,
        ...(output !== undefined && { output }),
        ...(failOn !== undefined && { failOn }),
        ...(protocol !== undefined && { protocol }),
        ...toSpec(spec),
      });
    },
  );
}

/** Adds the command `explain` to the command line. */
export function addExplainCommand(cli: Argv): Argv {
  return cli.command(
    "explain [server..]",
    "List the parts of a server that clients of a revision do not receive",
    (command) =>
      command
        .positional("server", serverOption)
        .options(connectionOptions)
        .option("protocol", { type: "string", demandOption: true, describe: "Revision of the clients" })
        .option("spec", specOption)
        .option("timeout", accessOptions.timeout)
        .option("json", { type: "boolean", default: false, describe: "Print the report as JSON" })
        .epilogue(
          examplesText(
            ["explain dist/server.js --protocol <revision>", "server of this project"],
            ["explain --protocol <revision> --json -- npx some-server", "JSON for scripts"],
          ),
        ),
    async ({ server = [], "--": command, protocol, spec, json, ...flags }) => {
      const { runExplain } = await import("./explain.ts");
      const words = [...server, ...readWords(command)];
      process.exitCode = await runExplain({ ...toAccess(flags), ...toSpec(spec), server: words, protocol, json });
    },
  );
}

/** Adds the command `inspect` to the command line. */
export function addInspectCommand(cli: Argv): Argv {
  return cli.command(
    "inspect [server..]",
    "Open a page in the browser to call a server and see every message",
    (command) =>
      command
        .positional("server", serverOption)
        .option("port", { type: "number", describe: "Port of the page", defaultDescription: "any free port" })
        .option("open", { type: "boolean", default: false, describe: "Open the page in the default browser" })
        .option("spec", specOption)
        .options(connectionOptions)
        .options(recordingOptions)
        .epilogue(
          examplesText(
            ["inspect dist/server.js", "server of this project"],
            ["inspect -- npx -y @modelcontextprotocol/server-memory", "server started by a command"],
            ["inspect https://example.org/mcp --header-env Authorization=TOKEN", "server at an address"],
          ),
        ),
    async ({ server = [], "--": command, port, spec, open, record, redact = [], force, ...flags }) => {
      const { runInspect } = await import("./inspect.ts");
      process.exitCode = await runInspect({
        ...toConnection(flags),
        ...toSpec(spec),
        server: [...server, ...readWords(command)],
        open,
        redact,
        force,
        ...(port !== undefined && { port }),
        ...(record !== undefined && { record }),
      });
    },
  );
}

/** Adds the command `gateway` to the command line. */
export function addGatewayCommand(cli: Argv): Argv {
  return cli.command(
    "gateway [server..]",
    "Serve an existing server at every protocol revision",
    (command) =>
      command
        .positional("server", serverOption)
        .options(servingOptions)
        .options(connectionOptions)
        .option("share-connections", {
          type: "boolean",
          default: false,
          describe: "Share connections to the server between unauthenticated stateless requests",
        })
        .option("engine", {
          type: "string",
          describe: "Redis that several nodes share: redis://HOST:PORT, or no value to read ENGINE_URL; needs MCP_KEYS",
          defaultDescription: "the gateway is one process",
        })
        .option("card", {
          type: "string",
          describe: "Serve a public server card with this name, as in com.example/weather; needs --public-url",
          defaultDescription: "no card",
        })
        .option("public-url", { type: "string", describe: "Public URL of the endpoint, for the server card" })
        .option("timeout", {
          type: "string",
          describe: "Seconds without a response or progress before a request to the server fails",
          defaultDescription: "the timeout of the client",
        })
        .option("protocol", {
          type: "string",
          describe: "Only revision to use with the server",
          defaultDescription: "the newest that the server supports",
        })
        .option("spec", specOption)
        .options(recordingOptions)
        .epilogue(
          examplesText(
            ["gateway --listen 127.0.0.1:3000 -- npx some-server", "serve a stdio server over HTTP"],
            [
              "gateway --stdio https://example.org/mcp --header-env Authorization=TOKEN",
              "serve a remote server over stdio",
            ],
            [
              "gateway --listen 3000 --env GITHUB_TOKEN -- npx some-server",
              "pass an environment variable to the server",
            ],
            ["gateway --listen 3000 --record session.jsonl -- npx some-server", "record the messages for `replay`"],
          ),
        ),
    async ({
      server = [],
      "--": command,
      timeout,
      shareConnections,
      protocol,
      spec,
      record,
      redact = [],
      force,
      card,
      publicUrl,
      ...flags
    }) => {
      const { runGateway } = await import("./gateway.ts");
      process.exitCode = await runGateway({
        ...toConnection(flags),
        ...toSpec(spec),
        ...toServing(flags),
        server: [...server, ...readWords(command)],
        shareConnections,
        redact,
        force,
        ...(card !== undefined && { card }),
        ...(publicUrl !== undefined && { publicUrl }),
        ...(timeout !== undefined && { timeout }),
        ...(protocol !== undefined && { protocol }),
        ...(record !== undefined && { record }),
      });
    },
  );
}
