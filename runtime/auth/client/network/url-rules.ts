import { findNetwork, type Network } from "./network.ts";
import { AuthError } from "../errors.ts";
import { isUrl } from "../../../internal/parse-url.ts";

/** Rules for the destinations of requests named in a remote document. */
export interface UrlRules {
  /** Checks the URL of a request. @throws {AuthError} when the URL may not be requested. */
  check(url: URL, what: string): void;
  /**
   * Checks an address before a connection to it, because a name may resolve to any address.
   *
   * @throws {AuthError} when the client may not connect to it.
   */
  checkAddress(address: string, host: string): void;
}

/**
 * Creates rules for all requests on behalf of authorization by a server. URLs must be `https`, or `http` on this machine if the server is on it too
 * or `loopback` is allowed. Addresses must be in the public internet, in the network of the server itself, or in an allowed network. Otherwise a
 * server could use its clients to reach hosts it cannot reach itself.
 *
 * @param allowed - networks to reach although the server is not in them; for names with private addresses, use `private`
 * @see https://modelcontextprotocol.io/docs/2026-07-28/tutorials/security/security_best_practices#server-side-request-forgery-ssrf
 */
export function createUrlRules(server: URL, allowed: readonly Network[] = []): UrlRules {
  const own = findNetwork(server.hostname);
  const reachable: readonly (Network | undefined)[] = ["public", ...(own === undefined ? [] : [own]), ...allowed];
  const checkNetwork = (network: Network, host: string): void => {
    if (reachable.includes(network)) return;
    throw new AuthError(
      "unsafe-url",
      `The ${network} address ${host} is not allowed; to allow it, use networks: ["${network}"]`,
    );
  };
  return {
    check(url, what) {
      const network = findNetwork(url.hostname);
      if (network) checkNetwork(network, url.hostname);
      const isSecure = url.protocol === "https:" || (url.protocol === "http:" && network === "loopback");
      if (!isSecure) throw new AuthError("unsafe-url", `The ${what} uses ${url.protocol} instead of https:`);
      if (url.username !== "" || url.password !== "") {
        throw new AuthError("unsafe-url", `The ${what} has a user name or password; remove it`);
      }
    },
    checkAddress: (address, host) => checkNetwork(findNetwork(address) ?? "reserved", host),
  };
}

/** Reads a URL of a document. @throws {AuthError} when it is not a URL or may not be requested. */
export function readUrl(text: unknown, rules: UrlRules, what: string): URL {
  if (typeof text !== "string" || !isUrl(text)) throw new AuthError("unsafe-url", `The ${what} is not a URL`);
  const url = new URL(text);
  rules.check(url, what);
  return url;
}
