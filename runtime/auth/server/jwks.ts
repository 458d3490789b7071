import { isObject } from "../../../generated/support.ts";
import { quoteIssuer } from "../common/quote-issuer.ts";
import { timeoutSignal } from "../../internal/timers.ts";
import { toMetadataPlaces } from "../common/well-known.ts";
import { readBounded } from "./read-bounded.ts";
import { isSecure } from "./metadata.ts";
import { parseUrl } from "../../internal/parse-url.ts";

/**
 * Fetches a JSON document from an authorization server. It follows no redirects and accepts at most 1 MiB within 5 s.
 *
 * @throws {Error} when the response is not valid.
 */
export async function fetchJson(url: string | URL, ask: typeof fetch): Promise<unknown> {
  const headers = { accept: "application/json" };
  // Workers do not have the value "error". A redirect is not a successful response.
  const response = await ask(url, { headers, redirect: "manual", signal: timeoutSignal(5_000) });
  return readBounded(response, 1024 * 1024);
}

/**
 * Returns the URL at which an issuer publishes its keys. Metadata counts only if it names this exact issuer.
 *
 * @throws {AggregateError} when no metadata names the keys.
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3.3
 */
export async function findKeysUrl(issuer: string, ask: typeof fetch): Promise<string> {
  const failures: unknown[] = [];
  for (const place of toMetadataPlaces(new URL(issuer))) {
    try {
      return readKeysUrl(await fetchJson(place, ask), issuer);
    } catch (thrown) {
      failures.push(thrown);
    }
  }
  throw new AggregateError(failures, `The keys of ${issuer} were not found; set their URL in the option keys`);
}

function readKeysUrl(metadata: unknown, issuer: string): string {
  if (!isObject(metadata)) throw new Error("The metadata is not a JSON object");
  const { issuer: named, jwks_uri: url } = metadata;
  if (named !== issuer)
    throw new Error(`The metadata is for the issuer ${quoteIssuer(named)} instead of ${quoteIssuer(issuer)}`);
  const target = typeof url === "string" ? parseUrl(url) : undefined;
  if (target && isSecure(target) && target.username === "" && target.password === "") return target.href;
  throw new Error("The metadata has no valid jwks_uri; expected an https URL");
}
