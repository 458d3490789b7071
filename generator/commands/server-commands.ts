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
    "Write a typed client of a server, or check one for drift",
    (command) =>
      command
        .positional("target", targetOption)
        .options(connectionOptions)
        .options(accessOptions)
        .option("out", { type: "string", describe: "Folder to write", defaultDescription: "src/<name>-client" })
        .option("name", {
          type: "string",
          describe: "What the server is called in the code",
          defaultDescription: "what it calls itself",
        })
        .option("imports", {
          choices: ["ts", "js"] as const,
          default: "ts" as const,
          describe: "Ending of import paths",
        })
        .option("re2js", {
          type: "boolean",
          default: false,
          describe: "Check patterns that might take long with the package re2js",
        })
        .option("check", { type: "boolean", default: false, describe: "Write nothing; report drift and exit 1" })
        .option("fail-on", {
          choices: ["breaking", "risky", "additive", "neutral"] as const,
          default: "risky" as const,
          describe: "The mildest drift that makes --check fail",
        })
        .option("strict", { type: "boolean", default: false, describe: "Fail when anything of a schema got lost" })
        .option("force", { type: "boolean", default: false, describe: "Overwrite files that were edited by hand" })
        .epilogue(
          examplesText(
            ["client dist/server.js", "of a server of your own"],
            ["client -- npx -y @modelcontextprotocol/server-memory", "of a server to start"],
            ["client https://example.org/mcp --header-env Authorization=TOKEN", "of a server to reach"],
            ["client tools.json --name github", "of a list of tools"],
            ["client dist/server.js --check", "in CI: exits with 1 when the server offers something else than it did"],
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
    "Examine a server: every revision that it speaks, and what hosts will make of its tools",
    (command) =>
      command
        .positional("target", serverOption)
        .options(connectionOptions)
        .options(accessOptions)
        .option("format", {
          choices: ["text", "json", "junit", "sarif"] as const,
          default: "text" as const,
          describe: "How to report",
        })
        .option("output", outputOption)
        .option("fail-on", {
          choices: ["error", "warning", "note"] as const,
          default: "error" as const,
          describe: "The mildest finding that makes the command fail",
        })
        .epilogue(
          examplesText(
            ["check dist/server.js", "a server of your own"],
            ["check -- npx -y @modelcontextprotocol/server-memory", "a server to start"],
            ["check http://127.0.0.1:3000/mcp --format sarif --output mcp.sarif", "for code scanning"],
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
    "Compare two revisions, two servers, or a server with its lock file, with a verdict for each side",
    (command) =>
      command
        .positional("older", comparedOption)
        .positional("newer", comparedOption)
        .options(connectionOptions)
        .options(accessOptions)
        .option("spec", {
          type: "string",
          describe: "Folder with the revisions, as `pin` makes one",
          defaultDescription: "the package's own",
        })
        .option("format", {
          choices: ["text", "json", "markdown", "html"] as const,
          default: "text" as const,
          describe: "How to report",
        })
        .option("output", outputOption)
        .option("fail-on", {
          choices: ["breaking", "risky", "additive", "neutral"] as const,
          describe: "The mildest verdict that makes the command fail",
          defaultDescription: "none does",
        })
        .epilogue(
          examplesText(
            ["diff <revision> <revision> --format html --output diff.html", "two revisions, as a page to look at"],
            ["diff 'node old.js' 'node new.js' --format markdown", "two servers, for a pull request"],
            ["diff old-tools.json https://example.org/mcp --fail-on breaking", "in CI"],
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
    "List what clients of a revision do not learn of a server",
    (command) =>
      command
        .positional("server", serverOption)
        .options(connectionOptions)
        .option("protocol", { type: "string", demandOption: true, describe: "Revision of the clients" })
        .option("json", { type: "boolean", default: false, describe: "Print JSON" })
        .epilogue(
          examplesText(
            ["explain dist/server.js --protocol <revision>", "a server of your own"],
            ["explain --protocol <revision> --json -- npx some-server", "for a program"],
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
    "Serve any server at every revision",
    (command) =>
      command
        .positional("server", serverOption)
        .option("listen", {
          type: "string",
          describe:
            "Serve over HTTP at HOST:PORT, or PORT of this machine; over another transport with ws:// or tcp://",
        })
        .option("stdio", { type: "boolean", default: false, describe: "Serve on stdin and stdout" })
        .options(connectionOptions)
        .option("api-key-env", {
          type: "string",
          describe: "Variable with the keys that callers send in X-API-Key",
          defaultDescription: "no credentials are asked for",
        })
        .option("bearer-env", {
          type: "string",
          describe: "Variable with the tokens that callers send in Authorization",
          defaultDescription: "no credentials are asked for",
        })
        .option("allowed-hosts", {
          type: "string",
          array: true,
          nargs: 1,
          describe: "Names, with commas, by which other machines may reach this one",
          defaultDescription: "this machine only",
        })
        .option("share-connections", {
          type: "boolean",
          default: false,
          describe: "Let unauthenticated calls without a session share connections to the server",
        })
        .option("timeout", {
          type: "string",
          describe: "Seconds without an answer or progress after which a request to the server fails",
          defaultDescription: "no limit but the client's",
        })
        .epilogue(
          examplesText(
            ["gateway --listen 127.0.0.1:3000 -- npx some-server", "over HTTP, what speaks stdio only"],
            ["gateway --stdio https://example.org/mcp --header-env Authorization=TOKEN", "on stdio, what is far away"],
            ["gateway --listen 3000 --env GITHUB_TOKEN -- npx some-server", "with a variable of this shell"],
          ),
        ),
    async ({ server = [], "--": command, listen, stdio, allowedHosts, timeout, shareConnections, ...flags }) => {
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
      });
    },
  );
}
