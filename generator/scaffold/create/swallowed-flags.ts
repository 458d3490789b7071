import { UserError } from "../../internal/user-error.ts";

/**
 * Rejects a command of which npm took options for itself. npm passes options before `--` as environment variables, and newer versions lose the
 * values.
 * @throws {UserError} when npm took an option.
 */
export function rejectSwallowedFlags(
  flags: readonly string[],
  { env, platform }: Pick<NodeJS.Process, "env" | "platform"> = process,
): void {
  if (!runners.includes(env.npm_command ?? "")) return;
  const taken = flags.filter((flag) => isTaken(flag, env));
  if (taken.length === 0) return;
  const [first = ""] = taken;
  throw new UserError(
    `npm took ${taken.map((flag) => `--${flag}`).join(", ")} for itself. ` +
      `Put -- before the options: npm create mcp-server@latest <dir> -- --${first} ...` +
      // npm is a script on Windows, and PowerShell takes the first such word for itself.
      (platform === "win32" ? " In PowerShell it has to stand in quotes: '--'" : ""),
  );
}

/** Values of `npm_command` for `npm create`, `npm init` and `npm exec`. */
const runners: readonly string[] = ["init", "create", "exec"];

/** Options that npm has as well, with the same meaning. */
const shared: readonly string[] = ["yes", "git"];

function isTaken(flag: string, env: NodeJS.ProcessEnv): boolean {
  return !shared.includes(flag) && env[`npm_config_${flag.replaceAll("-", "_")}`] !== undefined;
}
