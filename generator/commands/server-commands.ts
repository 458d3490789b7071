import type { Argv } from "yargs";
import {
  accessOptions,
  comparedOption,
  connectionOptions,
  outputOption,
  readWords,
  serverOption,
  targetOption,
  toAccess,
  toConnection,
} from "./server-options.ts";
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
          choices: ["breaking", "risky", "additive", "neutral"] as const,
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
            ["client dist/server.js --check", "in CI: exit with 1 if the server has changed"],
          ),
        ),
    async ({
      "--": words,
      target = [],
      out,
      name,
      protocol,
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
        target: [...target, ...readWords(words)],
        imports,
        re2js,
        check,
        failOn,
        strict,
        force,
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
        .option("format", {
          choices: ["text", "json", "junit", "sarif"] as const,
          default: "text" as const,
          describe: "Report format",
        })
        .option("output", outputOption)
        .option("fail-on", {
          choices: ["error", "warning", "note"] as const,
          default: "error" as const,
          describe: "Lowest severity that makes the command fail",
        })
        .epilogue(
          examplesText(
            ["check dist/server.js", "server of this project"],
            ["check -- npx -y @modelcontextprotocol/server-memory", "server started by a command"],
            ["check http://127.0.0.1:3000/mcp --format sarif --output mcp.sarif", "report for code scanning"],
          ),
        ),
    async ({ "--": words, target = [], protocol, format, output, failOn, ...flags }) => {
      const { runCheck } = await import("./check.ts");
      process.exitCode = await runCheck({
        ...toAccess(flags),
        target: [...target, ...readWords(words)],
        format,
        failOn,
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
    "Compare two revisions, two servers, or a server with its lock file, and rate the impact on each side",
    (command) =>
      command
        .positional("older", comparedOption)
        .positional("newer", comparedOption)
        .options(connectionOptions)
        .options(accessOptions)
        .option("spec", {
          type: "string",
          describe: "Spec folder, as created by `pin`",
          defaultDescription: "the spec folder of the package",
        })
        .option("format", {
          choices: ["text", "json", "markdown", "html"] as const,
          default: "text" as const,
          describe: "Report format",
        })
        .option("output", outputOption)
        .option("fail-on", {
          choices: ["breaking", "risky", "additive", "neutral"] as const,
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
        ...(spec !== undefined && { spec }),
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
        .option("json", { type: "boolean", default: false, describe: "Print the report as JSON" })
        .epilogue(
          examplesText(
            ["explain dist/server.js --protocol <revision>", "server of this project"],
            ["explain --protocol <revision> --json -- npx some-server", "JSON for scripts"],
          ),
        ),
    async ({ server = [], "--": command, protocol, json, ...flags }) => {
      const { runExplain } = await import("./explain.ts");
      const words = [...server, ...readWords(command)];
      process.exitCode = await runExplain({ ...toConnection(flags), server: words, protocol, json });
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
        .option("listen", {
          type: "string",
          describe: "Serve over HTTP at HOST:PORT or PORT; over another transport with the prefix ws:// or tcp://",
        })
        .option("stdio", { type: "boolean", default: false, describe: "Serve over stdio" })
        .options(connectionOptions)
        .option("api-key-env", {
          type: "string",
          describe: "Environment variable with the API keys that clients send in X-API-Key",
          defaultDescription: "no authentication",
        })
        .option("bearer-env", {
          type: "string",
          describe: "Environment variable with the tokens that clients send in Authorization",
          defaultDescription: "no authentication",
        })
        .option("allowed-hosts", {
          type: "string",
          array: true,
          nargs: 1,
          describe: "Comma-separated host names under which clients may connect",
          defaultDescription: "loopback names only",
        })
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
        .option("timeout", {
          type: "string",
          describe: "Seconds without a response or progress before a request to the server fails",
          defaultDescription: "the timeout of the client",
        })
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
          ),
        ),
    async ({
      server = [],
      "--": command,
      listen,
      stdio,
      allowedHosts,
      timeout,
      shareConnections,
      engine,
      ...flags
    }) => {
      const { runGateway } = await import("./gateway.ts");
      const { apiKeyEnv, bearerEnv } = flags;
      process.exitCode = await runGateway({
        ...toConnection(flags),
        server: [...server, ...readWords(command)],
        stdio,
        shareConnections,
        ...(apiKeyEnv !== undefined && { apiKeyEnv }),
        ...(bearerEnv !== undefined && { bearerEnv }),
        ...(listen !== undefined && { listen }),
        ...(allowedHosts && {
          allowedHosts: allowedHosts.flatMap((names) => names.split(",")).map((name) => name.trim()),
        }),
        ...(timeout !== undefined && { timeout }),
        ...(engine !== undefined && { engine }),
      });
    },
  );
}
