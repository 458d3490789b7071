import { connectHttp } from "../client/connect-http.ts";
import { connectStdio } from "../client/connect-stdio.ts";
import type { ConnectionFactory } from "../client/connection-factory.ts";
import { EraCache } from "../lifecycle/era-cache.ts";
import type { Limits } from "../jsonrpc/limits.ts";
import type { HttpClientOptions } from "../transport/http-client/http-client.ts";
import { fetchWithLongTimeout } from "./long-timeout-fetch.ts";

/** Where a server is: a program to start, which is then spoken to over its stdin and stdout, or an address. */
export type UpstreamTarget = (
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd?: string;
      /** Added to the few variables that every program needs. */
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "url"; readonly url: string; readonly headers?: HttpClientOptions["headers"] }
) & {
  /** Bounds on messages of the server. Default: nesting of 512 levels, for one deep schema would lose the whole list that it is in. */
  readonly limits?: Partial<Limits>;
};

/**
 * Opens connections to a server: each starts a program of its own, or is a session of its own. What the server turns out to be is asked
 * once. A function that opens connections over another transport is returned as it is.
 */
export function connectUpstream(place: UpstreamTarget | ConnectionFactory): ConnectionFactory {
  if (typeof place === "function") return place;
  const eras = new EraCache();
  const limits = { ...passedLimits, ...place.limits };
  switch (place.kind) {
    case "command": {
      const { kind: _kind, ...program } = place;
      return (options) => connectStdio({ ...program, limits }, { ...options, eras });
    }
    case "url": {
      const more = { eras, limits, fetch: fetchWithLongTimeout, ...(place.headers && { headers: place.headers }) };
      return (options) => connectHttp(place.url, { ...options, ...more });
    }
    default:
      return unknownPlace(place);
  }
}

/** Limits of connections whose messages are passed on, or judged one part at a time. */
export const passedLimits: Partial<Limits> = { maxDepth: 512 };

function unknownPlace(place: never): never {
  throw new Error(`There is no such place: ${JSON.stringify(place)}.`);
}
