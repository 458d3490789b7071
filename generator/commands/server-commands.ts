import type { Argv } from "yargs";
import type { AccessFlags } from "../live/access.ts";
import { examplesText } from "./usage.ts";

/* Commands that speak to servers, as yargs knows them. Each is loaded when it runs: their words cost nothing. */

/** Adds the command `client`. */
export function addClientCommand(cli: Argv): Argv {
  return cli.command(
    "client [target..]",
    "Write a typed client of a server, or check one for drift",
    (command) =>
      command
        .positional("target", targetOption)
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
    async ({ "--": words, target = [], out, name, revision, imports, check, failOn, strict, force, ...flags }) => {
      const { runClient } = await import("./client.ts");
      process.exitCode = await runClient({
        ...toAccess(flags),
        target: [...target, ...readWords(words)],
        imports,
        check,
        failOn,
        strict,
        force,
        ...(out !== undefined && { out }),
        ...(name !== undefined && { name }),
        ...(revision !== undefined && { revision }),
      });
    },
  );
}

/** Adds the command `check`. */
export function addCheckCommand(cli: Argv): Argv {
  return cli.command(
    "check [target..]",
    "Examine a server: every revision that it speaks, and what hosts will make of its tools",
    (command) =>
      command
        .positional("target", serverOption)
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
    async ({ "--": words, target = [], revision, format, output, failOn, ...flags }) => {
      const { runCheck } = await import("./check.ts");
      process.exitCode = await runCheck({
        ...toAccess(flags),
        target: [...target, ...readWords(words)],
        format,
        failOn,
        ...(output !== undefined && { output }),
        ...(revision !== undefined && { revision }),
      });
    },
  );
}

/** Adds the command `diff`. */
export function addDiffCommand(cli: Argv): Argv {
  return cli.command(
    "diff <older> <newer>",
    "Compare two revisions, two servers, or a server with its lock file, with a verdict for each side",
    (command) =>
      command
        .positional("older", comparedOption)
        .positional("newer", comparedOption)
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
    async ({ older, newer, revision, spec, format, output, failOn, ...flags }) => {
      const { runDiff } = await import("./diff.ts");
      process.exitCode = await runDiff({
        ...toAccess(flags),
        older,
        newer,
        format,
        ...(output !== undefined && { output }),
        ...(failOn !== undefined && { failOn }),
        ...(revision !== undefined && { revision }),
        ...(spec !== undefined && { spec }),
      });
    },
  );
}

/** Adds the command `explain`. */
export function addExplainCommand(cli: Argv): Argv {
  return cli.command(
    "explain [server..]",
    "List what clients of a revision do not learn of a server",
    (command) =>
      command
        .positional("server", serverOption)
        .option("protocol", { type: "string", demandOption: true, describe: "Revision of the clients" })
        .option("json", { type: "boolean", default: false, describe: "Print JSON" })
        .epilogue(
          examplesText(
            ["explain dist/server.js --protocol <revision>", "a server of your own"],
            ["explain --protocol <revision> --json -- npx some-server", "for a program"],
          ),
        ),
    async ({ server = [], "--": command, protocol, json }) => {
      const { runExplain } = await import("./explain.ts");
      process.exitCode = await runExplain({ server: [...server, ...readWords(command)], protocol, json });
    },
  );
}

/** Adds the command `gateway`. */
export function addGatewayCommand(cli: Argv): Argv {
  return cli.command(
    "gateway [server..]",
    "Serve any server at every revision",
    (command) =>
      command
        .positional("server", serverOption)
        .option("listen", { type: "string", describe: "Serve over HTTP at HOST:PORT, or PORT of this machine" })
        .option("stdio", { type: "boolean", default: false, describe: "Serve on stdin and stdout" })
        .option("allowed-hosts", {
          type: "string",
          array: true,
          nargs: 1,
          describe: "Names, with commas, by which other machines may reach this one",
          defaultDescription: "this machine only",
        })
        .option("timeout", {
          type: "string",
          describe: "Seconds without an answer or progress after which a request to the server fails",
          defaultDescription: "no limit but the client's",
        })
        .epilogue(
          examplesText(
            ["gateway --listen 127.0.0.1:3000 -- npx some-server", "over HTTP, what speaks stdio only"],
            ["gateway --stdio https://example.org/mcp", "on stdio, what is far away"],
          ),
        ),
    async ({ server = [], "--": command, listen, stdio, allowedHosts, timeout }) => {
      const { runGateway } = await import("./gateway.ts");
      process.exitCode = await runGateway({
        server: [...server, ...readWords(command)],
        stdio,
        ...(listen !== undefined && { listen }),
        ...(allowedHosts && {
          allowedHosts: allowedHosts.flatMap((names) => names.split(",")).map((name) => name.trim()),
        }),
        ...(timeout !== undefined && { timeout }),
      });
    },
  );
}

/** Words after `--`, as they are: those of another program. */
function readWords(words: unknown): readonly string[] {
  return Array.isArray(words) ? words.map(String) : [];
}

const comparedOption = {
  type: "string",
  demandOption: true,
  describe: "A revision, an http(s) address, a command in quotes, a list of tools, a lock file, or a client's folder",
} as const;

const outputOption = {
  type: "string",
  describe: "File for the report",
  defaultDescription: "standard output",
} as const;

const serverOption = {
  type: "string",
  array: true,
  describe: "An address, a module such as dist/server.js, or after -- a command",
} as const;

const targetOption = {
  type: "string",
  array: true,
  describe: "An address, a module such as dist/server.js, a .json file with a list of tools, or after -- a command",
} as const;

const accessOptions = {
  revision: { type: "string", describe: "Speak only this revision", defaultDescription: "all, newest first" },
  header: { type: "string", array: true, nargs: 1, describe: "HTTP header, `Name: value`" },
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
  timeout: { type: "number", default: 30, describe: "Seconds to wait for an answer" },
  sse: {
    type: "boolean",
    default: false,
    describe: "Reach an address by HTTP with SSE",
    defaultDescription: "only when it refuses Streamable HTTP",
  },
} as const;

function toAccess(flags: { readonly [Key in keyof AccessFlags]?: AccessFlags[Key] | undefined }): AccessFlags {
  const { header, headerEnv, env, timeout, sse } = flags;
  return {
    ...(header && { header }),
    ...(headerEnv && { headerEnv }),
    ...(env && { env }),
    ...(timeout !== undefined && { timeout }),
    ...(sse !== undefined && { sse }),
  };
}
