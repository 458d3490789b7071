import { safeLine } from "../internal/text.ts";
import { UserError } from "../internal/user-error.ts";

/** Names and tags by which an item can be chosen. */
export interface Choosable {
  /** Names of this item alone. Messages show the first. A `*` in a word matches any text. */
  readonly names: readonly string[];
  /** Names shared with other items. */
  readonly tags: readonly string[];
}

/** Names of source and items, for messages. */
export interface ChoiceWords {
  readonly origin: string;
  /** Kind of the items: "operation" or "tool". */
  readonly kind: string;
  /** True if words may match nothing, as long as one matches. Default: `false`. */
  readonly acceptsIdle?: boolean;
}

/**
 * Returns the items that match at least one of the words, separated by commas.
 *
 * @throws {UserError} when a word matches no item.
 */
export function chooseNamed<Item extends Choosable>(
  items: readonly Item[],
  only: string,
  { origin, kind, acceptsIdle = false }: ChoiceWords,
): Item[] {
  const words = only
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const tests = words.map((word) => ({ word, fits: toTest(word) }));
  const idle = tests.filter(({ fits }) => !items.some(fits));
  if (idle.length > (acceptsIdle ? tests.length - 1 : 0) || words.length === 0) {
    const word = JSON.stringify(safeLine(idle[0]?.word ?? "", 80));
    throw new UserError(`--only: ${origin} has no ${kind} ${word}. It has ${listNames(items)}.`);
  }
  return items.filter((item) => tests.some(({ fits }) => fits(item)));
}

function toTest(word: string): (item: Choosable) => boolean {
  const parts = word.toLowerCase().split("*");
  return ({ names, tags }) =>
    tags.some((tag) => tag.toLowerCase() === word.toLowerCase()) ||
    names.some((name) => fitsParts(name.toLowerCase(), parts));
}

/** True if the parts occur in a text in this order, the first at its beginning and the last at its end. */
function fitsParts(text: string, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

/** Lists the names of items for a message. Tags come first, because they are few and most descriptive. */
function listNames(items: readonly Choosable[]): string {
  const tags = [...new Set(items.flatMap((item) => item.tags))];
  const names = items.flatMap((item) => item.names.slice(0, 1));
  const shown = (list: readonly string[]): string => {
    const some = list.slice(0, 20).map((name) => JSON.stringify(safeLine(name, 80)));
    return `${some.join(", ")}${list.length > 20 ? ` and ${list.length - 20} more` : ""}`;
  };
  return tags.length === 0 ? shown(names) : `the tags ${shown(tags)}, and ${shown(names)}`;
}
