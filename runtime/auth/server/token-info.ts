import { isObject } from "../../../generated/support.ts";
import type { Claims } from "./claims.ts";
import { createTokenRequests, maxTokenResponse, dropNulls, type TokenRequestOptions } from "./introspection.ts";
import { checkUrl } from "./metadata.ts";
import { readBounded } from "./read-bounded.ts";
import type { TrustedIssuers, VerifyToken } from "./token-options.ts";

/** Options of `readTokenInfo`. */
export interface TokenInfoOptions extends TokenRequestOptions {
  /** URL which describes the token in the `Authorization` header of a request. Default: `https://oauth2.googleapis.com/tokeninfo`. */
  readonly endpoint?: string;
}

/**
 * Creates a verifier for the opaque access tokens of Google, which a `tokeninfo` endpoint describes. `aud` is the client to which the token was
 * issued: pass the clients of this server as `audience`. Tokens without the scope `openid` name no subject and are rejected. The response names no
 * issuer, so exactly one issuer must be trusted.
 *
 * @throws {SetupError} when the endpoint is not a valid URL.
 * @see https://developers.google.com/identity/protocols/oauth2
 * @example
 * ```ts
 * import { readTokenInfo, requireBearerToken } from "mcp-server-runtime/auth/server";
 *
 * const authenticate = requireBearerToken({
 *   resource: "https://mcp.example.com/mcp",
 *   issuer: "https://accounts.google.com",
 *   audience: "1234-abcd.apps.googleusercontent.com", // used for this server only
 *   verify: readTokenInfo(),
 * });
 * ```
 */
export function readTokenInfo(options: TokenInfoOptions = {}): VerifyToken {
  const { endpoint = "https://oauth2.googleapis.com/tokeninfo" } = options;
  checkUrl("endpoint", endpoint);
  const send = createTokenRequests(options);
  return async (token, trust) => {
    const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
    return send(endpoint, { headers }, async (response) => {
      if (!rejections.includes(response.status)) return toClaims(await readBounded(response, maxTokenResponse), trust);
      await response.body?.cancel();
      return undefined;
    });
  };
}

/** HTTP statuses for an invalid token. */
const rejections: readonly number[] = [400, 401];

function toClaims(response: unknown, { issuers: [only, ...others] }: TrustedIssuers): Claims {
  if (!isObject(response)) throw new Error("The tokeninfo response is not valid");
  if (others.length > 0) throw new Error("The tokeninfo response names no issuer; trust exactly one issuer");
  const { exp, ...rest } = dropNulls(response);
  // Google writes numbers as texts.
  return { ...rest, iss: only, ...(exp !== undefined && { exp: Number(exp) }) };
}
