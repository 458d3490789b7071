/** JSON for people: two spaces, and lists of texts on one line. */
export function jsonText(value: object): string {
  return JSON.stringify(value, undefined, 2).replaceAll(listOfTexts, (_list, items: string) => {
    return `[${items.replaceAll(/\n\s+/g, " ")}]`;
  });
}

/** In JSON a line break never stands inside a text, so whole lines can be matched. */
const listOfTexts = /\[\n\s+("[^\n]*"(?:,\n\s+"[^\n]*")*)\n\s+\]/g;
