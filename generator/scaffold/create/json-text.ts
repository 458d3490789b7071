/** Formats JSON for human readers: two spaces, and lists of strings on one line. */
export function jsonText(value: object): string {
  return JSON.stringify(value, undefined, 2).replaceAll(listOfTexts, (_list, items: string) => {
    return `[${items.replaceAll(/\n\s+/g, " ")}]`;
  });
}

/** Matches lists of strings. Line breaks never occur inside a JSON string, so whole lines can be matched. */
const listOfTexts = /\[\n\s+("[^\n]*"(?:,\n\s+"[^\n]*")*)\n\s+\]/g;
