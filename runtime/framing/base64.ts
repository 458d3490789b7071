/** Encodes bytes in base64, as the protocol requires. Works without `Buffer`, in slices small enough for the stack. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += sliceLength) {
    binary += String.fromCharCode(...bytes.subarray(start, start + sliceLength));
  }
  return btoa(binary);
}

/** Encodes bytes in base64url, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Decodes base64 in the protocol's form; returns `undefined` for any other text. Strict: text with several possible readings is rejected. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  return isBase64(text) ? toBytes(atob(text)) : undefined;
}

/**
 * True for base64 with padding. Searches for a character outside of the alphabet: a pattern for the whole text may keep a place to return to for each
 * character, and several megabytes exceed the stack of the engine.
 */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ""));
}

/** Decodes the output of `toBase64Url`; returns `undefined` for any other text. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (/[^\w-]/.test(text) || text.length % 4 === 1) return undefined;
  const bytes = toBytes(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
  // Other last characters can encode the same bytes.
  return toBase64Url(bytes) === text ? bytes : undefined;
}

function toBytes(binary: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

const sliceLength = 8_192;
