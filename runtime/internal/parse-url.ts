/**
 * Parses a URL. Returns `undefined` for any other text. `URL.canParse` of Node 20 and 22 returns `false` for URLs with characters such as `ü` after
 * some thousand calls, so nothing here uses it.
 *
 * @param base - base of relative references; default: the text has to be an absolute URL
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** True if a text is a URL, as `parseUrl` reads it. */
export function isUrl(text: string, base?: string | URL): boolean {
  return parseUrl(text, base) !== undefined;
}
