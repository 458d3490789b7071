import { UserError } from "../../internal/user-error.ts";
import { SchemaRejection } from "./safe-schema.ts";

/**
 * Rejects a value too deep or too large to traverse. Does not recurse itself.
 *
 * @param limits - levels of nesting, and number of values; the defaults are for one schema
 * @throws {SchemaRejection} when the value exceeds a limit.
 */
export function rejectOversize(
  value: unknown,
  { depth, size }: { readonly depth: number; readonly size: number } = { depth: 64, size: 50_000 },
): void {
  let count = 0;
  let level: unknown[] = [value];
  for (let at = 0; level.length > 0; at += 1) {
    if (at > depth) throw new SchemaRejection(`it is nested deeper than ${depth} levels`);
    count += level.length;
    if (count > size) throw new SchemaRejection(`it has more than ${size} values`);
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
}

/** Maximum levels of a file with schemas. */
export const deepestFile = 512;

/**
 * Rejects the content of a file with schemas, if it is too deep or too large to traverse.
 *
 * @throws {UserError} when it exceeds a limit; the message begins with the path.
 */
export function rejectHugeFile(content: unknown, path: string): void {
  try {
    rejectOversize(content, { depth: deepestFile, size: 2_000_000 });
  } catch (error) {
    if (error instanceof SchemaRejection) throw new UserError(`${path} cannot be used: ${error.message}.`);
    throw error;
  }
}
