import { toBase64Url } from "../../../framing/base64.ts";
import { sha256 } from "../../../internal/digest.ts";
import type { ServerMetadata } from "../discovery/metadata.ts";
import { AuthError } from "../errors.ts";

/** Secrets to protect one sign-in. */
export interface SignInSecrets {
  readonly state: string;
  /** PKCE code verifier. The token endpoint gets it with the code. */
  readonly verifier: string;
  /** PKCE code challenge: the hash of the verifier. The authorization endpoint gets it. */
  readonly challenge: string;
}

/** Method by which the challenge is made of the verifier. */
export const challengeMethod = "S256";

/** Creates the secrets for one sign-in. @see https://www.rfc-editor.org/rfc/rfc7636 */
export async function createSignInSecrets(): Promise<SignInSecrets> {
  const verifier = createSecret();
  return { state: createSecret(), verifier, challenge: toBase64Url(await sha256(verifier)) };
}

/**
 * Does not start a sign-in if the code could be stolen. A server without metadata cannot declare PKCE support, so it passes.
 *
 * @throws {AuthError} when the server does not support PKCE
 */
export function checkPkce({ issuer, isAssumed, codeChallengeMethods }: ServerMetadata): void {
  if (isAssumed || codeChallengeMethods?.includes(challengeMethod)) return;
  throw new AuthError(
    "pkce-unsupported",
    `${issuer} does not support PKCE with ${challengeMethod} (code_challenge_methods_supported)`,
  );
}

/** Returns 32 random bytes as text. */
function createSecret(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}
