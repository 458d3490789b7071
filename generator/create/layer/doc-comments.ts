/** Leaves out in which chapter of a reference a type belongs, and what is not for it: in a project there is no reference to sort it into. */
export function withoutCategories(types: string): string {
  return types
    .replaceAll(/^ \* @(?:category [^\n]*|internal)\n/gm, "")
    .replaceAll(/^ \*\n(?= \*\/)/gm, "")
    .replaceAll(/^\/\*\*\n \* ([^\n]{1,112})\n \*\/\n/gm, "/** $1 */\n");
}

/** Leaves out what the name of each check says already. */
export function withoutCheckDocs(checks: string): string {
  return checks.replaceAll(/^\/\*\* Checks [^\n]*\*\/\n(?=export function check)/gm, "");
}
