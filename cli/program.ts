import { hideBin } from "yargs/helpers";
import yargs, { type Argv } from "yargs";
import { commands } from "./commands/commands.ts";
import { checkValues } from "./commands/define-command.ts";
import { usageText, withHelpOption } from "./commands/usage.ts";
import { packageVersion } from "../generator/internal/package-info.ts";
import { failedExitCode, UserError } from "../generator/internal/user-error.ts";

// A reader such as `head` may close the pipe early. That is not an error, and further output has no receiver.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Windows reports EOF.
  if (error.code !== "EPIPE" && error.code !== "EOF") throw error;
  process.exit();
});

const words = withHelpOption(hideBin(process.argv));

// Each command loads its modules when it runs: --help must not load ts-morph, prettier or handlebars.
const cli: Argv = yargs(words)
  .scriptName("create-mcp-server")
  // Arguments after -- belong to the program that they name.
  .parserConfiguration({ "populate--": true })
  .version(packageVersion())
  // The library would translate its own texts only, so the language is fixed.
  .locale("en")
  .usage("$0 <dir>\n\nScaffold, pin and upgrade Model Context Protocol servers and clients in TypeScript.")
  .wrap(Math.min(100, process.stdout.columns ?? 100))
  .strict()
  .help()
  .alias("help", "h")
  .alias("version", "v")
  .check(checkValues, true)
  .fail((problem: string | null, error: Error | undefined, { showHelp }) => {
    if (error && error.name !== "YError" && !(error instanceof UserError)) throw error;
    showHelp((help) => console.error(usageText(problem ?? error?.message ?? "", help, words)));
    process.exit(failedExitCode);
  });

await commands.reduce((built, command) => command.add(built), cli).parseAsync();
