/** Returns the digest of bytes in the form that skills use: `sha256:` and 64 hexadecimal digits. */
export async function toDigest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** True if a text has the form of a digest. */
export function isDigest(text: string): boolean {
  return /^sha256:[\da-f]{64}$/.test(text);
}
