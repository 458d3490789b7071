/** A text that the other side has sent, for an error or a report: the beginning of one of more than 2,000 characters, and its length. */
export function shorten(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}... [${text.length} characters]` : text;
}

const longestText = 2_000;
