import { SchemaRejection } from "./safe-schema.ts";

/** Limits of the size of a schema. */
export interface SchemaBounds {
  /** Levels of nesting. Default 64. */
  readonly depth?: number;
  /** Number of values, including keys. Default 50,000. */
  readonly size?: number;
}

/**
 * Rejects a value too deep or too large to traverse. Does not recurse itself.
 *
 * @throws {SchemaRejection} when the value exceeds a limit.
 */
export function rejectOversize(value: unknown, { depth = 64, size = 50_000 }: SchemaBounds = {}): void {
  let count = 0;
  let level: unknown[] = [value];
  for (let at = 0; level.length > 0; at += 1) {
    if (at > depth) throw new SchemaRejection(`it is nested deeper than ${depth} levels`);
    count += level.length;
    if (count > size) throw new SchemaRejection(`it has more than ${size} values`);
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
}
