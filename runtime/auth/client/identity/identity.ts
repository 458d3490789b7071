import type { CryptoKey } from "./keys.ts";
import { AuthError } from "../errors.ts";
import type { ServerMetadata } from "../discovery/metadata.ts";

/** Method by which a client authenticates at the token endpoint. */
export type TokenAuthMethod = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

/** Private key whose public key is known to the authorization server. */
export interface SigningKey {
  /** Key for signing, which need not be exportable. `importSigningKey` creates one from PEM or JWK. */
  readonly key: CryptoKey;
  /** Id of the key at the authorization server. */
  readonly kid?: string;
}

/** Identity of the client at one authorization server. */
export interface ClientIdentity {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly signingKey?: SigningKey | undefined;
  /** Default: a method suitable for the credentials and the authorization server. */
  readonly method?: TokenAuthMethod | undefined;
  /** Audience of assertions. Default `issuer`, as is current practice; some servers still require the URL of the endpoint. */
  readonly assertionAudience?: "issuer" | "token-endpoint" | undefined;
}

/**
 * Returns the authentication method: the registered one, else one supported by both client and server.
 *
 * @throws {AuthError} when no method fits.
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-2 for the default of servers which name none
 */
export function chooseMethod(identity: ClientIdentity, server: ServerMetadata): TokenAuthMethod {
  const { clientSecret, signingKey, method } = identity;
  if (method !== undefined) return checkMethod(method, identity);
  if (clientSecret === undefined && signingKey === undefined) return "none";
  const methods: readonly TokenAuthMethod[] = ["private_key_jwt", "client_secret_basic", "client_secret_post"];
  const own = methods.filter((one) => (one === "private_key_jwt" ? signingKey : clientSecret) !== undefined);
  const { tokenAuthMethods: known = own } = server;
  const found = own.find((one) => known.includes(one));
  if (found) return found;
  // Some servers issue a secret to every client but do not require it.
  if (known.includes("none")) return "none";
  throw new AuthError(
    "configuration",
    `The token endpoint of ${server.issuer} supports ${known.join(", ")}, but the client has credentials for ${own.join(", ")}`,
  );
}

/** True if a value names a supported authentication method. */
export function isTokenAuthMethod(value: unknown): value is TokenAuthMethod {
  return (
    value === "none" || value === "client_secret_basic" || value === "client_secret_post" || value === "private_key_jwt"
  );
}

function checkMethod(method: TokenAuthMethod, { clientSecret, signingKey }: ClientIdentity): TokenAuthMethod {
  const isThere = method === "none" || (method === "private_key_jwt" ? signingKey : clientSecret) !== undefined;
  if (isThere) return method;
  throw new AuthError("configuration", `The client is registered for ${method} but has no credential for it`);
}
