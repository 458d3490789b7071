import { readNames } from "./names.ts";
import { shapeAt } from "./places.ts";
import type { Declared } from "./resolve.ts";

/** Returns the members that a revision declares of those that code looks up, because some revisions do not have them. */
export function knownMembersOf(model: Declared): string[] {
  return readNames().knownMembers.filter((member) => shapeAt(member, model) !== undefined);
}
