import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isAuthError } from "../../../runtime/auth/client/errors.ts";
import {
  findChallenge,
  readChallenges,
  type Challenge,
} from "../../../runtime/auth/client/discovery/www-authenticate.ts";
import { findNetwork, type Network } from "../../../runtime/auth/client/network/network.ts";
import { createPinnedFetch } from "../../../runtime/auth/client/network/pinned-fetch.ts";
import { HttpRequester, type AuthorizationResponse } from "../../../runtime/auth/client/network/requester.ts";
import { createUrlRules } from "../../../runtime/auth/client/network/url-rules.ts";
import { UserError } from "../../../generator/internal/user-error.ts";
import { isUrl } from "../../../runtime/internal/parse-url.ts";

/** Options of the examination of a server's authorization. */
export interface AuthOptions {
  readonly url: URL;
  /** Headers of the requests to the server. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds to wait for a response of the server. Authorization servers have 5 s. */
  readonly timeout: number;
  /** Access token to examine. */
  readonly token?: string;
  /** Receives a text about each step. */
  readonly onStep?: (text: string) => void;
}

/** Response, or the reason why there is none. */
export type Attempt =
  | { readonly kind: "response"; readonly response: AuthorizationResponse }
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Sends the requests of an examination. The server may be anywhere. Documents of others are fetched as clients do: over https or on this machine if
 * the server is there, from public addresses or the network of the server, after at most two redirects, within 5 s and 1 MiB.
 */
export interface AuthClient {
  readonly url: URL;
  /** Fetches a document named by the server or an authorization server. */
  fetchDocument(url: URL, what: string): Promise<Attempt>;
  /** Sends a request to the server. Without a token, it has no credentials. */
  callServer(token?: string): Promise<Attempt>;
  /** Checks a URL in metadata. Returns the reason why clients do not use it. */
  findUrlProblem(text: string): string | undefined;
}

/** Creates a client for a server. @throws {UserError} when the name of the server has no address. */
export async function createAuthClient({ url, headers, timeout }: AuthOptions): Promise<AuthClient> {
  const rules = createUrlRules(url, await findNetworks(url));
  const fetch = createPinnedFetch((address, host) => rules.checkAddress(address, host));
  const limits = { fetch, rules, maxBytes: 1024 * 1024 };
  const documents = new HttpRequester({ ...limits, timeout: 5_000 });
  const server = new HttpRequester({ ...limits, timeout });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: {} });
  const own = {
    ...headers,
    Accept: "application/json, text/event-stream",
    "Content-Type": "application/json",
    "Mcp-Method": "server/discover",
  };
  return {
    url,
    fetchDocument: (target, what) => attempt(documents.request(target, { what, method: "GET" })),
    callServer: (token) =>
      attempt(
        server.request(url, {
          what: "server",
          method: "POST",
          headers: token === undefined ? own : { ...own, Authorization: `Bearer ${token}` },
          body,
        }),
      ),
    findUrlProblem(text) {
      if (!isUrl(text)) return "is not a URL";
      try {
        rules.check(new URL(text), "URL");
        return undefined;
      } catch (error) {
        return toReason(error);
      }
    },
  };
}

/** Networks of the server itself, which is named by the user. */
async function findNetworks({ hostname }: URL): Promise<readonly Network[]> {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return [];
  const addresses = await lookup(host, { all: true }).catch((cause: unknown) => {
    throw new UserError(`${host} has no address; check the URL and the network.`, { cause });
  });
  return addresses.flatMap(({ address }) => findNetwork(address) ?? []);
}

async function attempt(response: Promise<AuthorizationResponse>): Promise<Attempt> {
  try {
    return { kind: "response", response: await response };
  } catch (error) {
    if (!isAuthError(error)) throw error;
    return { kind: "failed", reason: toReason(error) };
  }
}

/** Text of an error without its advice, which is about options of a client, and without the URL, which the finding names. */
function toReason(error: unknown): string {
  const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("; ");
  return reason.replace(/^The request to the .*? \S+ (?=failed|took)/, "the request ");
}

/** Returns the challenge for clients with access tokens. */
export function findAuthChallenge({ headers }: AuthorizationResponse): Challenge | undefined {
  return findChallenge(readChallenges(headers.get("www-authenticate")), ["dpop", "bearer"]);
}

/** Returns the scopes in a challenge. */
export function readScopes(challenge: Challenge | undefined): readonly string[] {
  const text = challenge?.parameters.get("scope") ?? "";
  return text.split(" ").filter((scope) => scope !== "");
}
