/**
 * Parses a URL. Returns `undefined` for a text that is none. `URL.canParse` of Node 20 and 22 returns `false` for URLs with characters such as `ü` after
 * some thousand calls, so nothing here uses it.
 *
 * @param base - URL that a relative reference is resolved against; default: the text has to be an absolute URL
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
