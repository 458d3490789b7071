import { UserError } from "../../../generator/internal/user-error.ts";
import type { CompareOptions, Path } from "./compare-values.ts";

/**
 * Returns the test for ignored members. A pattern names a member by the end of its path: names and indexes with dots between them, and `*` for any
 * one of them, as in `structuredContent.time` or `content.*.text`.
 *
 * @throws {UserError} when a pattern has an empty part
 */
export function readIgnored(patterns: readonly string[]): CompareOptions["isIgnored"] {
  const ends = patterns.map((pattern) => {
    const parts = pattern.split(".");
    if (parts.some((part) => part === ""))
      throw new UserError(`--ignore ${pattern} is not a path; write names with dots, such as structuredContent.time.`);
    return parts;
  });
  return (path) => ends.some((parts) => endsWith(path, parts));
}

function endsWith(path: Path, parts: readonly string[]): boolean {
  const end = path.slice(-parts.length);
  return end.length === parts.length && parts.every((part, index) => part === "*" || part === String(end[index]));
}

/** Returns a path as `--ignore` takes it. */
export function pathText(path: Path): string {
  return path.join(".");
}
