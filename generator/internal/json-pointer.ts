/**
 * Returns a key as JSON Pointer writes it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901#section-3
 */
export function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
