import { isObject } from "../../../generated/support.ts";
import { toBase64 } from "../../framing/base64.ts";
import { readBounded } from "./read-bounded.ts";
import type { Claims } from "./claims.ts";
import { checkUrl } from "./metadata.ts";
import type { TrustedIssuers, VerifyToken } from "./token-options.ts";

/** Options of `introspectTokens`. */
export interface IntrospectionOptions {
  /** URL of the `introspection_endpoint` of the authorization server. */
  readonly endpoint: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Milliseconds for one response. Default 5 s. */
  readonly timeout?: number;
  /** Maximum number of concurrent introspections. Further requests get status 503. Default 100. */
  readonly maxConcurrent?: number;
  /** Function that sends the introspection requests. Default: the `fetch` of the platform. */
  readonly fetch?: typeof fetch;
}

/**
 * Creates a verifier that introspects tokens at the authorization server, for tokens that only it can read. If a response names no issuer and exactly
 * one issuer is trusted, that issuer is assumed.
 *
 * @throws {SetupError} when the endpoint is not a valid URL.
 * @see https://www.rfc-editor.org/rfc/rfc7662
 * @example
 * ```ts
 * import { introspectTokens, requireBearerToken } from "mcp-server-runtime/auth/server";
 *
 * const authenticate = requireBearerToken({
 *   resource: "https://mcp.example.com/mcp",
 *   issuer: "https://login.example.com",
 *   verify: introspectTokens({
 *     endpoint: "https://login.example.com/introspect",
 *     clientId: "notes",
 *     clientSecret: process.env["INTROSPECTION_SECRET"] ?? "",
 *   }),
 * });
 * ```
 */
export function introspectTokens(options: IntrospectionOptions): VerifyToken {
  const { endpoint, clientId, clientSecret, timeout = 5_000, maxConcurrent = 100, fetch: ask = fetch } = options;
  checkUrl("endpoint", endpoint);
  const authorization = `Basic ${toBase64(new TextEncoder().encode(`${encode(clientId)}:${encode(clientSecret)}`))}`;
  const headers = {
    authorization,
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  let running = 0;
  return async (token, trust) => {
    if (running >= maxConcurrent) throw new Error("Too many concurrent token introspections");
    running += 1;
    try {
      const body = new URLSearchParams({ token, token_type_hint: "access_token" }).toString();
      // The target of a redirect must not see tokens. Workers do not have the value "error".
      const init = { method: "POST", headers, body, redirect: "manual", signal: AbortSignal.timeout(timeout) } as const;
      return toClaims(await readBounded(await ask(endpoint, init), maxBytes), trust);
    } finally {
      running -= 1;
    }
  };
}

/** Maximum size of a response in bytes. */
const maxBytes = 64 * 1024;

function toClaims(response: unknown, { issuers: [only, ...others] }: TrustedIssuers): Claims | undefined {
  if (!isObject(response) || typeof response.active !== "boolean")
    throw new Error("The introspection response is not valid");
  if (!response.active) return undefined;
  return response.iss === undefined && others.length === 0 ? { ...response, iss: only } : response;
}

/** Encodes client credentials for basic authentication. @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1 */
function encode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
