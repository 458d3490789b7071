import { UserError } from "../internal/user-error.ts";

/** Options of the present command, as yargs knows them. */
interface KnownOptions {
  /** Names of the options that may be given several times. */
  readonly array: readonly string[];
}

/**
 * Check for yargs. It collects the values of an option that is given twice in a list, also if the command takes one value: a limit such as `--fail-on`
 * would then never be reached.
 *
 * @throws {UserError} when an option that takes one value is given several times
 */
export function rejectRepeated(values: Readonly<Record<string, unknown>>, { array }: KnownOptions): true {
  const lists = new Set(["_", "--", ...array]);
  const names = Object.keys(values).filter((name) => !/[A-Z]/.test(name));
  const found = names.find((name) => Array.isArray(values[name]) && !lists.has(name));
  if (found === undefined) return true;
  throw new UserError(`--${found} is given several times; pass it once.`);
}
