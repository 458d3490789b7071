import type { CryptoKey } from "./keys.ts";
import { AuthError } from "./errors.ts";
import type { ServerMetadata } from "./metadata.ts";

/** How a client proves at the token endpoint who it is. */
export type TokenAuthMethod = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

/** A key that the authorization server knows the public half of. */
export interface SigningKey {
  /** May be one that cannot be exported. `importSigningKey` makes one of PEM or JWK. */
  readonly key: CryptoKey;
  /** Its name at the authorization server. */
  readonly kid?: string;
}

/** Who the client is at one authorization server. */
export interface ClientIdentity {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly signingKey?: SigningKey | undefined;
  /** Absent: what fits the credentials and the authorization server. */
  readonly method?: TokenAuthMethod | undefined;
  /** Whom assertions are meant for. Default `issuer`, as current practice has it; some servers still want the URL of the endpoint. */
  readonly assertionAudience?: "issuer" | "token-endpoint" | undefined;
}

/**
 * The way of proving that is used: the one that was registered, else one that both sides know.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-2 for the default of servers that name none
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
  // Some servers give everybody a secret, and want none.
  if (known.includes("none")) return "none";
  throw new AuthError(
    "configuration",
    `The token endpoint of ${server.issuer} knows ${known.join(", ")}, and the client has credentials for ${own.join(", ")}`,
  );
}

/** Whether a text is a way of proving that is known here. */
export function isTokenAuthMethod(value: unknown): value is TokenAuthMethod {
  return (
    value === "none" || value === "client_secret_basic" || value === "client_secret_post" || value === "private_key_jwt"
  );
}

function checkMethod(method: TokenAuthMethod, { clientSecret, signingKey }: ClientIdentity): TokenAuthMethod {
  const isThere = method === "none" || (method === "private_key_jwt" ? signingKey : clientSecret) !== undefined;
  if (isThere) return method;
  throw new AuthError("configuration", `The client is registered for ${method} and has no credential for it`);
}
