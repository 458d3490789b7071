/** Removes `@category` and `@internal` from doc comments: a project has no reference to sort types into. */
export function withoutCategories(types: string): string {
  return types
    .replaceAll(/^ \* @(?:category [^\n]*|internal)\n/gm, "")
    .replaceAll(/^ \*\n(?= \*\/)/gm, "")
    .replaceAll(/^\/\*\*\n \* ([^\n]{1,112})\n \*\/\n/gm, "/** $1 */\n");
}

/** Removes doc comments that only repeat the names of checks. */
export function withoutCheckDocs(checks: string): string {
  return checks.replaceAll(/^\/\*\* Checks [^\n]*\*\/\n(?=export function check)/gm, "");
}
