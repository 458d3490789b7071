import type { Complete } from "../protocol-types.ts";

/**
 * Creates a completion function over a fixed list. Values beginning with the typed text come first, then values containing it, then values with its
 * letters in order.
 *
 * @example
 * ```ts
 * import { completeFrom } from "mcp-server-runtime";
 *
 * const city = defineResourceTemplate({
 *   uriTemplate: "city://{country}/{name}",
 *   name: "city",
 *   complete: { country: completeFrom(["it", "no"]) },
 *   read: ({ country, name }) => `${name} is in ${country}.`,
 * });
 * ```
 */
export function completeFrom(values: readonly string[]): Complete {
  const folded = values.map((value) => ({ value, text: value.toLowerCase() }));
  return (typed) => {
    const wanted = typed.toLowerCase();
    const ranked = folded.map(({ value, text }) => ({ value, rank: rank(text, wanted) }));
    return ranked
      .filter((entry) => entry.rank < noMatch)
      .sort((one, other) => one.rank - other.rank)
      .map((entry) => entry.value);
  };
}

const noMatch = 3;

function rank(text: string, wanted: string): number {
  if (text.startsWith(wanted)) return 0;
  if (text.includes(wanted)) return 1;
  return hasInOrder(text, wanted) ? 2 : noMatch;
}

function hasInOrder(text: string, wanted: string): boolean {
  let position = 0;
  for (const character of wanted) {
    position = text.indexOf(character, position) + 1;
    if (position === 0) return false;
  }
  return true;
}
