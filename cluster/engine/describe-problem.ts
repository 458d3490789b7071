/** Returns the text of an error in one line of limited length. */
export function describeProblem(error: unknown): string {
  const text = error instanceof Error ? error.message : "unknown problem";
  const [line = ""] = text.split(/[\r\n]/, 1);
  return line.slice(0, 80);
}
