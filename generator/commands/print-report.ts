import { writeFile } from "node:fs/promises";
import { systemCode, UserError } from "../internal/user-error.ts";

/**
 * Prints a report, or writes it to the given file.
 *
 * @throws {UserError} when the file cannot be written.
 */
export async function printReport(text: string, output: string | undefined): Promise<void> {
  if (output === undefined) return console.log(text);
  await writeFile(output, `${text}\n`).catch((error: unknown) => {
    throw new UserError(`${output} cannot be written (${systemCode(error)}); choose another path.`, { cause: error });
  });
}
