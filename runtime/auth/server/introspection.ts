import { isObject } from "../../../generated/support.ts";
import { toBase64 } from "../../framing/base64.ts";
import { timeoutSignal } from "../../internal/timers.ts";
import { readBounded } from "./read-bounded.ts";
import type { Claims } from "./claims.ts";
import { checkUrl } from "./metadata.ts";
import type { TrustedIssuers, VerifyToken } from "./token-options.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";

/** Limits of the requests about tokens to an authorization server. */
export interface TokenRequestOptions {
  /** Milliseconds for one response. Default 5 s. */
  readonly timeout?: number;
  /** Maximum number of concurrent requests. Clients get status 503 for further ones. Default 100. */
  readonly maxConcurrent?: number;
  /** Function to send the requests with. Default: the `fetch` of the platform. */
  readonly fetch?: typeof fetch;
}

/** Options of `introspectTokens`. */
export interface IntrospectionOptions extends TokenRequestOptions {
  /** URL of the `introspection_endpoint` of the authorization server. */
  readonly endpoint: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Creates a verifier for tokens only the authorization server can read: it introspects them there. If a response names no issuer and exactly one
 * issuer is trusted, this issuer is assumed.
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
  const { endpoint, clientId, clientSecret } = options;
  checkUrl("endpoint", endpoint);
  const send = createTokenRequests(options);
  const authorization = `Basic ${toBase64(new TextEncoder().encode(`${encode(clientId)}:${encode(clientSecret)}`))}`;
  const headers = {
    authorization,
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  return async (token, trust) => {
    const body = new URLSearchParams({ token, token_type_hint: "access_token" }).toString();
    return send(endpoint, { headers, body }, async (response) =>
      toClaims(await readBounded(response, maxTokenResponse), trust),
    );
  };
}

/** Maximum size of a response about a token in bytes. */
export const maxTokenResponse: number = 64 * 1024;

/** Sends a request about a token, and returns the claims found by `read` in the response. */
export type SendTokenRequest = (
  endpoint: string,
  init: Pick<RequestInit, "headers" | "body">,
  read: (response: Response) => Promise<Claims | undefined>,
) => Promise<Claims | undefined>;

/** Creates a function to send requests about tokens, within limits. It follows no redirects, because their targets must not see tokens. */
export function createTokenRequests({
  timeout = 5_000,
  maxConcurrent = 100,
  fetch: ask = fetch,
}: TokenRequestOptions): SendTokenRequest {
  checkNumbers({ timeout, maxConcurrent });
  let running = 0;
  return async (endpoint, init, read) => {
    if (running >= maxConcurrent) throw new Error("Too many concurrent requests about tokens");
    running += 1;
    try {
      // Workers do not have the value "error".
      const limits = { redirect: "manual", signal: timeoutSignal(timeout) } as const;
      return await read(await ask(endpoint, { ...init, ...limits, method: "POST" }));
    } finally {
      running -= 1;
    }
  };
}

function toClaims(response: unknown, { issuers: [only, ...others] }: TrustedIssuers): Claims | undefined {
  if (!isObject(response)) throw new Error("The introspection response has no boolean active");
  const { active, error } = response;
  if (typeof active !== "boolean") {
    const reason = typeof error === "string" && /^[\w.-]{1,64}$/.test(error) ? ` (${error})` : "";
    throw new Error(`The introspection response has no boolean active${reason}`);
  }
  if (!active) return undefined;
  const claims = dropNulls(response);
  const isUnnamed = claims.iss === undefined || claims.iss === "";
  return isUnnamed && others.length === 0 ? { ...claims, iss: only } : claims;
}

/** Removes null members: some servers send every member they know. Other empty values are claims, which are checked. */
export function dropNulls(response: Claims): Claims {
  return Object.fromEntries(Object.entries(response).filter(([, value]) => value !== null));
}

/** Encodes client credentials for basic authentication. @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1 */
function encode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
