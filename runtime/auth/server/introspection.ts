import { isObject } from "../../../generated/support.ts";
import { toBase64 } from "../../framing/base64.ts";
import { readBounded } from "./read-bounded.ts";
import type { Claims } from "./claims.ts";
import { checkUrl } from "./metadata.ts";
import type { Trust, VerifyToken } from "./verify-token.ts";

/** Where tokens are asked about, and as whom. */
export interface IntrospectionOptions {
  /** `introspection_endpoint` of the authorization server. */
  readonly endpoint: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Milliseconds that an answer may take. Default 5 s. */
  readonly timeout?: number;
  /** Questions at a time; beyond them requests are answered with 503. Default 100. */
  readonly maxConcurrent?: number;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
}

/**
 * Asks the authorization server about tokens: for those that nobody else can read. Answers that leave the issuer out are taken to be about the
 * only one that is trusted.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7662
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
    if (running >= maxConcurrent) throw new Error("Too many access tokens are being asked about");
    running += 1;
    try {
      const body = new URLSearchParams({ token, token_type_hint: "access_token" }).toString();
      // What a redirect leads to was never meant to see tokens.
      const init = { method: "POST", headers, body, redirect: "error", signal: AbortSignal.timeout(timeout) } as const;
      return toClaims(await readBounded(await ask(endpoint, init), maxBytes), trust);
    } finally {
      running -= 1;
    }
  };
}

/** Characters of an answer. */
const maxBytes = 64 * 1024;

function toClaims(answer: unknown, { issuers: [only, ...others] }: Trust): Claims | undefined {
  if (!isObject(answer) || typeof answer.active !== "boolean") throw new Error("The answer about a token is none");
  if (!answer.active) return undefined;
  return answer.iss === undefined && others.length === 0 ? { ...answer, iss: only } : answer;
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1 */
function encode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
