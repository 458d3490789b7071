import type { Catalogue } from "../list/catalogue.ts";
import { encodeBeyondAscii, encodedBeyondAscii, toUpperEscapes } from "./uri-template/uri-expand.ts";

/**
 * Returns a URI in all its spellings, itself first: with letters beyond ASCII as people write them, and percent-encoded in upper or lower case, as
 * clients send them. Most URIs have one.
 */
export function spellingsOf(uri: string): readonly [string, ...string[]] {
  const readable = uri.replace(encodedBeyondAscii, decode);
  const upper = toUpperEscapes(encodeBeyondAscii(readable));
  const lower = upper.replace(encodedBeyondAscii, (escapes) => escapes.toLowerCase());
  const others = [readable, upper, lower].filter((other) => other !== uri);
  return [uri, ...new Set(others)];
}

/** Returns the definition a catalogue has for a URI in any of its spellings. */
export function findSpelling<Definition>(
  catalogue: Pick<Catalogue<Definition>, "get">,
  uri: string,
): Definition | undefined {
  for (const spelling of spellingsOf(uri)) {
    const found = catalogue.get(spelling);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What is not valid stays as it is. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
