import { readNames } from "./names.ts";
import { shapeAt } from "./places.ts";
import type { Declared } from "./resolve.ts";

/** Returns the members declared by a revision, of the ones looked up in code because some revisions do not have them. */
export function knownMembersOf(model: Declared): string[] {
  return readNames().knownMembers.filter((member) => shapeAt(member, model) !== undefined);
}
