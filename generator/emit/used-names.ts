/** Returns the names that a piece of code mentions as whole words, in the given order. Import lists are built from them. */
export function usedNames(code: string, names: readonly string[]): string[] {
  const words = new Set(code.match(/[A-Za-z_$][\w$]*/g) ?? []);
  return names.filter((name) => words.has(name));
}
