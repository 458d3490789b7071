/**
 * Returns a key that JSON Pointer has escaped.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901#section-4
 */
export function unescapeKey(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}
