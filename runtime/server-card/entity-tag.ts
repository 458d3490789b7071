/** Returns a strong entity tag for a text. It identifies versions of one document; it is no protection against forgery. */
export function createTag(text: string): string {
  return `"${hash(text, 0x811c9dc5)}${hash(text, 0x01000193)}"`;
}

/** FNV-1a over UTF-16 code units, as eight hexadecimal digits. */
function hash(text: string, seed: number): string {
  let value = seed;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}
