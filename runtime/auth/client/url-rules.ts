import { findNetwork, type Network } from "./network.ts";
import { AuthError } from "./errors.ts";

/** Where requests that a stranger's document asks for may go. */
export interface UrlRules {
  /** Throws when a URL may not be requested. */
  check(url: URL, what: string): void;
  /** Throws when an address may not be connected to: names can stand for any. */
  checkAddress(address: string, host: string): void;
}

/**
 * Rules for everything that is requested in order to be authorized by a server: `https`, or `http` on this machine if the server is on it too;
 * and only the internet, unless the server itself is somewhere else. Otherwise a server could make its clients reach what it cannot reach.
 *
 * @param allowed - networks that may be reached although the server is not in them; for name that resolve to private addresses, `private`
 * @see https://modelcontextprotocol.io/specification/latest/basic/security_best_practices#server-side-request-forgery-ssrf
 */
export function createUrlRules(server: URL, allowed: readonly Network[] = []): UrlRules {
  const own = findNetwork(server.hostname);
  const reachable: readonly (Network | undefined)[] = ["public", ...(own === undefined ? [] : [own]), ...allowed];
  const checkNetwork = (network: Network, host: string): void => {
    if (reachable.includes(network)) return;
    throw new AuthError(
      "unsafe-url",
      `${host} is a ${network} address, which this server may not send its clients to. If it is meant, allow it: networks: ["${network}"].`,
    );
  };
  return {
    check(url, what) {
      const network = findNetwork(url.hostname);
      if (network) checkNetwork(network, url.hostname);
      const isSecure = url.protocol === "https:" || (url.protocol === "http:" && network === "loopback");
      if (!isSecure) throw new AuthError("unsafe-url", `The ${what} uses ${url.protocol} instead of https:`);
      if (url.username !== "" || url.password !== "") {
        throw new AuthError("unsafe-url", `The ${what} carries a user name, which is refused`);
      }
    },
    checkAddress: (address, host) => checkNetwork(findNetwork(address) ?? "reserved", host),
  };
}

/** Reads a URL that a document names. Throws when it is none, or may not be used. */
export function readUrl(text: unknown, rules: UrlRules, what: string): URL {
  if (typeof text !== "string" || !URL.canParse(text)) throw new AuthError("unsafe-url", `The ${what} is not a URL`);
  const url = new URL(text);
  rules.check(url, what);
  return url;
}
