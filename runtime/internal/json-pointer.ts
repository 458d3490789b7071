/**
 * Returns a key as JSON Pointer writes it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901#section-3
 */
export function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/**
 * Returns a key that JSON Pointer has escaped.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901#section-4
 */
export function unescapeKey(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

/**
 * Returns the value that a pointer leads to in a JSON value; `undefined` when there is none.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901#section-4
 */
export function valueAt(root: unknown, pointer: string): unknown {
  return follow(root, pointer.split("/").slice(1).map(unescapeKey));
}

/**
 * Returns the value that a reference leads to in its own document: `#`, or a pointer in the fragment of a URI. `undefined` for every other
 * reference, and when there is no value.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901#section-6
 */
export function valueAtFragment(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !/^#(?:\/|$)/.test(reference)) return undefined;
  return follow(root, reference.split("/").slice(1).map(unescapeFragmentKey));
}

/** Some writers leave out the percent-encoding: a key that cannot be decoded is only unescaped. */
function unescapeFragmentKey(key: string): string {
  try {
    return unescapeKey(decodeURIComponent(key));
  } catch {
    return unescapeKey(key);
  }
}

function follow(root: unknown, keys: readonly string[]): unknown {
  let value = root;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
