/** Shortens text from the peer for an error or a report. Text of more than 2,000 characters is cut, and its length is appended. */
export function shorten(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}... [${text.length} characters]` : text;
}

const longestText = 2_000;
