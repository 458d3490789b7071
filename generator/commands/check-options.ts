import { UserError } from "../internal/user-error.ts";

/**
 * Checks the values of a command line, for yargs.
 *
 * @param options - what yargs knows about the options of the command, although its types say aliases; `array` lists those with several values
 * @throws {UserError} when a single-value option is given several times, or the option for a file or a folder has no value
 */
export function checkOptions(
  values: Readonly<Record<string, unknown>>,
  { array }: Readonly<Record<string, unknown>>,
): true {
  const lists: readonly unknown[] = Array.isArray(array) ? array : [];
  rejectRepeated(values, new Set(["_", "--", ...lists]));
  const empty = paths.find((name) => values[name] === "");
  if (empty !== undefined) throw new UserError(`--${empty} requires a value.`);
  return true;
}

/** yargs collects repeated values in a list, also if the command takes one value: a limit such as `--fail-on` would then never be reached. */
function rejectRepeated(values: Readonly<Record<string, unknown>>, lists: ReadonlySet<unknown>): void {
  const names = Object.keys(values).filter((name) => !/[A-Z]/.test(name));
  const found = names.find((name) => Array.isArray(values[name]) && !lists.has(name));
  if (found !== undefined) throw new UserError(`--${found} is given several times; pass it once.`);
}

/** Options for files and folders. Without a value, as from an unset variable, they would mean the working folder. */
const paths: readonly string[] = ["from", "out", "output", "record", "spec"];
