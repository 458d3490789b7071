/** Leaves out in which chapter of a reference a type belongs: in a project there is no reference to sort it into. */
export function withoutCategories(types: string): string {
  return types.replaceAll(/^ \*\n \* @category [^\n]*\n(?= \*\/)/gm, "").replaceAll(/^ \* @category [^\n]*\n/gm, "");
}

/** Leaves out what the name of each check says already. */
export function withoutCheckDocs(checks: string): string {
  return checks.replaceAll(/^\/\*\* Checks [^\n]*\*\/\n(?=export function check)/gm, "");
}
