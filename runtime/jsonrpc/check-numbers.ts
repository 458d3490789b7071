import { SetupError } from "./errors.ts";

/**
 * Checks the numbers in groups of options. A limit that is `NaN`, as `Number(process.env.LIMIT)` without the variable, would permit everything.
 *
 * @throws {SetupError} when one is negative or `NaN`
 */
export function checkNumbers(...groups: readonly (object | false | undefined)[]): void {
  for (const [name, value] of groups.flatMap((group) => Object.entries(group || {})))
    if (typeof value === "number" && !(value >= 0))
      throw new SetupError(`${name} is ${value}; use a number of 0 or more, or omit it for the default`);
}

/** @throws {SetupError} when one of these options is `Infinity`: it has no form where the number is sent or stored */
export function checkFinite(options: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(options))
    if (value === Infinity)
      throw new SetupError(`${name} is Infinity; use a finite number, or omit it for the default`);
}

/** @throws {SetupError} when a number is not above 0 */
export function checkPositive(name: string, value: number): void {
  if (value > 0) return;
  throw new SetupError(`${name} is ${value}; use a number above 0, or omit it for the default`);
}
