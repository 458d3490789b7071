import { lookup, type LookupAddress } from "node:dns";
import { request as requestPlain, type ClientRequest, type RequestOptions } from "node:http";
import { request as requestSecure } from "node:https";
import type { LookupFunction } from "node:net";
import type { Fetch } from "../../../transport/http-client/endpoint.ts";
import { readNodeResponse } from "../../../transport/http-client/node-response.ts";

/**
 * Creates a `fetch` with a check of addresses. It resolves a name once, checks the address, and connects to this same address. It does not follow
 * redirects.
 *
 * @param check - throws for a forbidden address
 */
export function createPinnedFetch(check: (address: string, host: string) => void): Fetch {
  const resolve = createLookup(check);
  return async (url, init) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const options: RequestOptions = { method: init.method ?? "GET", headers, lookup: resolve, agent: false };
    const sent = send(url, init.signal ? { ...options, signal: init.signal } : options);
    const response = readNodeResponse(sent);
    sent.end(init.body instanceof URLSearchParams ? init.body.toString() : init.body);
    return response;
  };
}

function send(url: URL, options: RequestOptions): ClientRequest {
  return url.protocol === "https:" ? requestSecure(url, options) : requestPlain(url, options);
}

/** Every address of a name must pass the check, because the connection may use any of them. */
function createLookup(check: (address: string, host: string) => void): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses: readonly LookupAddress[] = []) => {
      const [first] = addresses;
      if (error || !first) return done(error ?? new Error(`${host} has no address`), "");
      try {
        for (const { address } of addresses) check(address, host);
      } catch (rejection) {
        return done(rejection instanceof Error ? rejection : new Error("refused"), "");
      }
      if (options.all) done(null, [...addresses]);
      else done(null, first.address, first.family);
    });
  };
}
