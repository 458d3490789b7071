import { hkdfSync } from "node:crypto";
import { SetupError } from "../runtime/jsonrpc/errors.ts";

/**
 * Derives a key of 32 bytes from each secret for a purpose, with HKDF-SHA-256.
 *
 * @throws {SetupError} when there is no secret, or one is too short
 */
export function deriveKeys(secrets: readonly Uint8Array[], purpose: string): readonly [Uint8Array, ...Uint8Array[]] {
  const [first, ...others] = secrets;
  if (first === undefined || secrets.some(({ length }) => length < 32))
    throw new SetupError("keys requires at least one key with 32 random bytes or more each");
  const derive = (secret: Uint8Array): Uint8Array =>
    new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(0), purpose, 32));
  return [derive(first), ...others.map(derive)];
}
