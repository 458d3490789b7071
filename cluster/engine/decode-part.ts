/** Decodes a user name or a password of a URL. Returns `undefined` for a text with a stray `%`. */
export function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
