import type { Argv } from "yargs";
import { impacts } from "../typed-client/contract/impact.ts";
import {
  accessOptions,
  connectionOptions,
  readWords,
  reportOptions,
  servingOptions,
  toAccess,
  toServing,
} from "./server-options.ts";
import { specOption, toSpec } from "./spec-option.ts";
import { examplesText } from "./usage.ts";

/* Definition for yargs of the command `replay`. The code of the command is loaded when it runs. */

/** Adds the command `replay` to the command line. */
export function addReplayCommand(cli: Argv): Argv {
  return cli.command(
    "replay <file>",
    "Serve a mock server from a recording of `gateway --record`, or test a server with it",
    (command) =>
      command
        .positional("file", { type: "string", demandOption: true, describe: "Recording of `gateway --record`" })
        .option("against", {
          type: "string",
          describe: "Test this server: an address, a module, a quoted command, or a command after --",
        })
        .options(mockOptions)
        .options(connectionOptions)
        .option("protocol", { ...accessOptions.protocol, defaultDescription: "the recorded one" })
        .option("spec", specOption)
        .option("timeout", accessOptions.timeout)
        .option("ignore", {
          type: "string",
          array: true,
          nargs: 1,
          describe: "Member that is not compared, such as structuredContent.time; * stands for any name or index",
        })
        .options(reportOptions)
        .option("fail-on", {
          choices: impacts,
          default: "risky" as const,
          describe: "Lowest impact of a difference that makes the command fail",
        })
        .epilogue(
          examplesText(
            ["replay session.jsonl", "mock server over stdio, at every revision"],
            ["replay session.jsonl --listen 3000", "mock server over HTTP"],
            ["replay session.jsonl --against dist/server.js", "in CI: exit with 1 if a response differs"],
            [
              "replay session.jsonl --against --protocol <revision> -- npx some-server",
              "the same requests at another revision",
            ],
          ),
        ),
    async ({ "--": words, file, against, ignore, format, output, failOn, protocol, spec, ...flags }) => {
      const { runReplay } = await import("./replay.ts");
      const server = [...(against === undefined || against === "" ? [] : [against]), ...readWords(words)];
      process.exitCode = await runReplay({
        ...toAccess(flags),
        ...toServing(flags),
        ...toSpec(spec),
        file,
        against: against !== undefined,
        server,
        ignore: ignore ?? [],
        format,
        failOn,
        ...(output !== undefined && { output }),
        ...(protocol !== undefined && { protocol }),
      });
    },
  );
}

const { stdio: _stdio, listen, ...callerOptions } = servingOptions;

/** Options of the mock. It is served over stdio unless it listens. */
const mockOptions = { listen: { ...listen, defaultDescription: "stdio" }, ...callerOptions } as const;
