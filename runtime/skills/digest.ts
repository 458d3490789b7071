import { sha256, toHex } from "../internal/digest.ts";

/** Returns the digest of bytes in the form of skills: `sha256:` and 64 hexadecimal digits. */
export async function toDigest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return `sha256:${toHex(await sha256(bytes))}`;
}

/** True if a text has the form of a digest. */
export function isDigest(text: string): boolean {
  return /^sha256:[\da-f]{64}$/.test(text);
}
