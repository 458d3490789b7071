import type { Argv } from "yargs";
import type { AccessFlags } from "../live/access.ts";

/*
 * Commands around what is there already, servers and projects, as yargs knows them. Each is loaded when it runs; nothing else may be imported here.
 */

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
        .example("$0 client -- npx -y @modelcontextprotocol/server-memory", "of a server to start")
        .example("$0 client https://example.org/mcp --header-env Authorization=TOKEN", "of a server to reach")
        .example("$0 client tools.json --name github", "of a list of tools"),
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
        .positional("target", targetOption)
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
        .example("$0 check -- node dist/server.js", "a server to start")
        .example("$0 check http://127.0.0.1:3000/mcp --format sarif --output mcp.sarif", "for code scanning"),
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
        .example("$0 diff old-tools.json https://example.org/mcp --fail-on breaking", "in CI")
        .example("$0 diff 'node old.js' 'node new.js' --format markdown", "for a pull request"),
    async ({ older, newer, revision, format, output, failOn, ...flags }) => {
      const { runDiff } = await import("./diff.ts");
      process.exitCode = await runDiff({
        ...toAccess(flags),
        older,
        newer,
        format,
        ...(output !== undefined && { output }),
        ...(failOn !== undefined && { failOn }),
        ...(revision !== undefined && { revision }),
      });
    },
  );
}

/** Adds the command `update`. */
export function addUpdateCommand(cli: Argv): Argv {
  return cli.command(
    "update [dir]",
    "Write the protocol layer of a project anew, for these or other revisions",
    (command) =>
      command
        .positional("dir", { type: "string", default: ".", describe: "Folder of the project" })
        .option("protocol", {
          type: "string",
          describe: "Revisions that it shall speak: one, several with commas, latest or all",
          defaultDescription: "those that it speaks",
        })
        .option("check", { type: "boolean", default: false, describe: "Write nothing; list what differs and exit 1" })
        .option("dry-run", { type: "boolean", default: false, describe: "Write nothing; tell what would change" })
        .option("force", { type: "boolean", default: false, describe: "Replace files that were edited by hand" })
        .option("undo", { type: "boolean", default: false, describe: "Bring back what the last update replaced" })
        .example("$0 update --protocol all --dry-run", "what other revisions would mean for your code"),
    async ({ dir, protocol, check, dryRun, force, undo }) => {
      const { runUpdate } = await import("./update.ts");
      process.exitCode = await runUpdate({
        directory: dir,
        check,
        dryRun,
        force,
        undo,
        ...(protocol !== undefined && { protocol }),
      });
    },
  );
}

/** Adds the command `upgrade-assist`. */
export function addUpgradeAssistCommand(cli: Argv): Argv {
  return cli.command(
    "upgrade-assist [dir]",
    "Rewrite what is mechanical in a project's own code before it goes to another revision",
    (command) =>
      command
        .positional("dir", { type: "string", default: ".", describe: "Folder of the project" })
        .option("protocol", {
          type: "string",
          demandOption: true,
          describe: "Revisions that it shall speak: one, several with commas, latest or all",
        })
        .option("dry-run", { type: "boolean", default: false, describe: "Write nothing; tell what would be rewritten" })
        .example("$0 upgrade-assist --protocol latest --dry-run", "what would be rewritten, and what is left to you"),
    async ({ dir, protocol, dryRun }) => {
      const { runUpgradeAssist } = await import("./upgrade-assist.ts");
      process.exitCode = await runUpgradeAssist({ directory: dir, protocol, dryRun });
    },
  );
}

/** Words after `--`, as they are: those of another program. */
export function readWords(words: unknown): readonly string[] {
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

const targetOption = {
  type: "string",
  array: true,
  describe: "An address, a module such as src/server.ts, a .json file with a list of tools, or after -- a command",
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
    describe: "Variable of the server's process, `NAME=value`, or `NAME` to pass on ours",
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
