import { connectHttp } from "../client/connect-http.ts";
import { connectProcess } from "../client/connect-process.ts";
import type { Opener } from "../client/opener.ts";
import { Eras } from "../lifecycle/eras.ts";
import type { HttpClientOptions } from "../transport/http-client.ts";
import { fetchPatiently } from "./patient-fetch.ts";

/** Where a server is: a program to start, which is then spoken to over its stdin and stdout, or an address. */
export type ServerPlace =
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd?: string;
      /** Added to the few variables that every program needs. */
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "url"; readonly url: string; readonly headers?: HttpClientOptions["headers"] };

/**
 * How to open connections to a server: each starts a program of its own, or is a session of its own. What the server turns out to be is asked
 * once.
 */
export function openPlace(place: ServerPlace): Opener {
  const eras = new Eras();
  switch (place.kind) {
    case "command": {
      const { kind: _kind, ...program } = place;
      return (options) => connectProcess(program, { ...options, eras });
    }
    case "url": {
      const { url, headers } = place;
      return (options) => connectHttp(url, { ...options, eras, fetch: fetchPatiently, ...(headers && { headers }) });
    }
    default:
      return unknownPlace(place);
  }
}

function unknownPlace(place: never): never {
  throw new Error(`There is no such place: ${JSON.stringify(place)}.`);
}
