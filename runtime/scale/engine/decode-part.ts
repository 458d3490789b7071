/** Decodes a user name or a password of a URL. Returns `undefined` for one with a `%` that encodes nothing. */
export function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
