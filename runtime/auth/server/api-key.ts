import type { Awaitable } from "../../../generated/support.ts";
import { sha256, toHex } from "../../internal/digest.ts";
import { findPlaceholder } from "../../internal/placeholder.ts";
import { SetupError } from "../../jsonrpc/errors.ts";
import type { HttpRejectionReason } from "../../protocol/profile.ts";
import type { HttpResponse, RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import type { Guard, Identity } from "../../transport/http-server/identity.ts";
import { rejectHttp } from "../../transport/http-server/rejection.ts";
import { timingSafeEqual } from "./timing-safe-equal.ts";

/** API key with the identity of its holder. */
export type ApiKey = Identity &
  (
    | { /** API key of 24 characters or more, from a secret store. */ readonly key: string }
    | { /** SHA-256 of the key in hexadecimal: `printf %s "$KEY" | sha256sum`. */ readonly sha256: string }
  );

/** Options of `requireApiKey`. */
export interface ApiKeyOptions {
  /** List of keys, or a function from the SHA-256 of a key (hexadecimal, lower case) to its holder. */
  readonly keys: readonly ApiKey[] | ((sha256: string) => Awaitable<Identity | undefined>);
  /** Location of the key: `X-API-Key`, or `Authorization` as a bearer token. Default: `X-API-Key`. */
  readonly in?: "x-api-key" | "authorization";
}

/**
 * Creates a guard for requests with a known key. It is meant for your own programs: keys do not expire, are not bound to one server and do not
 * identify a user. Only hashes of keys are kept, and the comparison time does not depend on the input.
 *
 * @throws {SetupError} when a key is too short or a hash is malformed.
 * @example
 * ```ts
 * import { serveHttp } from "mcp-server-runtime";
 * import { requireApiKey } from "mcp-server-runtime/auth/server";
 *
 * const key = { principal: "ci", scopes: ["notes:read"], sha256: process.env["CI_KEY_SHA256"] ?? "" };
 * await serveHttp(server, { authenticate: requireApiKey({ keys: [key] }) });
 * ```
 */
export function requireApiKey({ keys, in: place = "x-api-key" }: ApiKeyOptions): Guard {
  const find: Find = typeof keys === "function" ? (shown) => keys(toHex(shown)) : createFinder(keys);
  return {
    async authenticate(head) {
      const key = readKey(head, place);
      if (key === undefined) return unauthorized(place, "An API key is required", "no-credentials");
      const holder = key.length <= maxLength ? await find(await sha256(key)) : undefined;
      return holder ?? unauthorized(place, "The API key is not valid", "invalid-credentials");
    },
  };
}

const maxLength = 1_024;

function readKey(head: RequestHead, place: "x-api-key" | "authorization"): string | undefined {
  const field = head.isRepeated(place) ? undefined : head.header(place);
  return place === "authorization" ? /^bearer +(\S+)$/i.exec(field ?? "")?.[1] : field || undefined;
}

/**
 * Rejects with a challenge (RFC 9110, section 15.5.2). No scheme is registered for custom headers, and `Bearer` would make clients look for an
 * authorization server.
 */
function unauthorized(
  place: "x-api-key" | "authorization",
  message: string,
  reason: HttpRejectionReason,
): HttpResponse {
  const challenge = place === "authorization" ? 'Bearer realm="API key"' : 'ApiKey realm="API key", header="X-API-Key"';
  const headers = { "www-authenticate": challenge, "cache-control": "no-store" };
  return rejectHttp(401, message, { headers, reason }).response;
}

type Find = (hash: Uint8Array) => Awaitable<Identity | undefined>;

/** Compares with every key, even after a match. */
function createFinder(keys: readonly ApiKey[]): Find {
  for (const [index, key] of keys.entries()) checkKey(key, index);
  const known = Promise.all(keys.map(toKnown));
  return async (shown) => {
    let found: Identity | undefined;
    for (const { hash: expected, holder } of await known) if (timingSafeEqual(expected, shown)) found = holder;
    return found;
  };
}

/** Messages name the position of an entry: its principal may be a key given without a name. */
function checkKey(given: ApiKey, index: number): void {
  const isHash = "sha256" in given;
  if (!isHash && findPlaceholder(given.key) !== undefined)
    throw new SetupError(`API key ${index + 1} is a placeholder that the host did not fill in; enter a key there`);
  if (isHash ? /^[\da-f]{64}$/i.test(given.sha256) : given.key.length >= 24) return;
  throw new SetupError(
    isHash
      ? `API key ${index + 1} is not a SHA-256 hash of 64 hexadecimal digits; run \`npm run key\` and use the hash it prints`
      : `API key ${index + 1} has fewer than 24 characters; create one with \`openssl rand -base64 32\``,
  );
}

async function toKnown(given: ApiKey): Promise<{ readonly hash: Uint8Array; readonly holder: Identity }> {
  if ("sha256" in given) {
    const { sha256: digits, ...holder } = given;
    const pairs = digits.match(/../g) ?? [];
    return { hash: Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)), holder };
  }
  const { key, ...holder } = given;
  return { hash: await sha256(key), holder };
}
