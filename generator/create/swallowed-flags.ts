import { UserError } from "../user-error.ts";

/**
 * Throws a {@link UserError} when npm took options of ours for its own: what stands before `--` it hands over as variables, of which newer
 * versions have lost the values.
 */
export function refuseSwallowedFlags(
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
      // Npm is a script there, of which PowerShell takes the first such word for its own.
      (platform === "win32" ? " In PowerShell it has to stand in quotes: '--'" : ""),
  );
}

/** What `npm create`, `npm init` and `npm exec` call themselves. */
const runners: readonly string[] = ["init", "create", "exec"];

/** Options that npm has as well, and that mean the same to whoever types them. */
const shared: readonly string[] = ["yes", "git"];

function isTaken(flag: string, env: NodeJS.ProcessEnv): boolean {
  return !shared.includes(flag) && env[`npm_config_${flag.replaceAll("-", "_")}`] !== undefined;
}
