/** Computes the SHA-256 digest of bytes, or of a text in UTF-8. */
export async function sha256(data: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Writes bytes as lower-case hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Creates an unguessable id: 128 random bits in hexadecimal. */
export function createSecretId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)));
}
