import type { Revision } from "../../../generated/support.ts";
import type { Path } from "./compare-values.ts";

/** Returns the names of members that only one of two revisions has. A conversion between the revisions adds or removes them. */
export function findForeignMembers(one: Revision, other: Revision): ReadonlySet<string> {
  const different = [
    ...one.knownMembers.filter((member) => !other.knownMembers.includes(member)),
    ...other.knownMembers.filter((member) => !one.knownMembers.includes(member)),
  ];
  return new Set(different.map((member) => member.slice(member.lastIndexOf(".") + 1)));
}

/** True for such a member of the protocol. Members of arguments and structured results have no meaning in the protocol. */
export function isForeign(path: Path, foreign: ReadonlySet<string>): boolean {
  const name = path.at(-1);
  return typeof name === "string" && foreign.has(name) && !path.some((part) => freeMembers.has(String(part)));
}

/** Members whose content belongs to the server. */
const freeMembers: ReadonlySet<string> = new Set([
  "structuredContent",
  "arguments",
  "inputSchema",
  "outputSchema",
  "requestedSchema",
]);
