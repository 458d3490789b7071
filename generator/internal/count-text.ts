/** Formats a count with its noun, in the plural if necessary. */
export function countText(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
