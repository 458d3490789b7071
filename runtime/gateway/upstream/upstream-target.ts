import { connectHttp } from "../../client/connect-http.ts";
import { connectStdio } from "../../client/connect-stdio.ts";
import type { ConnectionFactory } from "../../client/connection-factory.ts";
import { EraCache } from "../../lifecycle/era-cache.ts";
import type { Limits } from "../../jsonrpc/limits.ts";
import type { HttpClientOptions } from "../../transport/http-client/http-client.ts";
import { fetchWithLongTimeout } from "./long-timeout-fetch.ts";

/** Location of a server: a program to start, with messages over its stdin and stdout, or a URL. */
export type UpstreamTarget = (
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd?: string;
      /** Variables in addition to the few every program needs. */
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "url"; readonly url: string; readonly headers?: HttpClientOptions["headers"] }
) & {
  /** Bounds on messages of the server. Default: nesting of 512 levels, because one deep schema would cost the whole list it is in. */
  readonly limits?: Partial<Limits>;
};

/**
 * Returns a function to open connections to a server: each connection starts a program of its own, or is a session of its own. The kind of the server
 * is remembered between connections. A function for another transport is returned unchanged.
 *
 * @example
 * ```ts
 * import { connectClient } from "mcp-server-runtime";
 * import { connectUpstream } from "mcp-server-runtime/gateway";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const source = connectUpstream({ kind: "command", command: "node", args: ["dist/server.js"] });
 * const info = { name: "my-client", version: "1.0.0" };
 * const client = await connectClient<Declarations>(source, { info, revisions });
 * ```
 */
export function connectUpstream(place: UpstreamTarget | ConnectionFactory): ConnectionFactory {
  if (typeof place === "function") return place;
  const eras = new EraCache();
  const limits = { ...relayedLimits, ...place.limits };
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

/** Limits of connections whose messages are checked one part at a time. */
export const passedLimits: Partial<Limits> = { maxDepth: 512 };

/** Limits of connections whose messages are passed on. A rounded number would be passed on as another one. */
export const relayedLimits: Partial<Limits> = { ...passedLimits, exactNumbers: true };

function unknownPlace(place: never): never {
  throw new Error(`The target is not supported: ${JSON.stringify(place)}`);
}
