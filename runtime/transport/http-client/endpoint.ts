import type { Awaitable } from "../../../generated/support.ts";
import type { AuthProvider } from "./auth-provider.ts";
import { authorizeEndpoint, type Endpoint } from "./authorized-endpoint.ts";
import { HttpError, LostError } from "./errors.ts";
import { cancelBody, readText } from "./body.ts";
import { isUrl } from "../../internal/parse-url.ts";

export type { Endpoint, HttpRequest, RequestProgress } from "./authorized-endpoint.ts";

/** The part of `fetch` used by a client. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

/** Options for the HTTP requests of a client. */
export interface EndpointOptions {
  /**
   * Implementation of `fetch`. Default: the platform's. Provide another one to use a proxy, custom certificates or longer timeouts: Node's gives up
   * after five minutes without a byte.
   */
  readonly fetch?: Fetch;
  /** Authorizes every request, and obtains what a server demands for it. Default: requests are sent without authorization. */
  readonly auth?: AuthProvider;
  /** Returns headers for a request. Called for every request, because tokens may change. The headers of the protocol cannot be replaced. */
  readonly headers?: () => Awaitable<Readonly<Record<string, string>>>;
}

/**
 * Creates an endpoint for a URL. Redirects are followed only within its origin: headers may carry secrets.
 *
 * @throws {Error} when the URL contains a user name or password
 */
export function createEndpoint(url: URL, options: EndpointOptions): Endpoint {
  const plain = createPlainEndpoint(url, options);
  return options.auth ? authorizeEndpoint(plain, options.auth) : plain;
}

function createPlainEndpoint(url: URL, options: EndpointOptions): Endpoint {
  const { fetch = (target: URL, init: RequestInit) => globalThis.fetch(target, init) } = options;
  if (url.username !== "" || url.password !== "") {
    throw new Error(`${describeUrl(url)} has a user name or password; send them in a header`);
  }
  return {
    url,
    async request({ method, headers, body, signal, progress = { isSent: false } }) {
      const init: RequestInit = {
        method,
        headers: toHeaders({ ...(await options.headers?.()) }, headers),
        signal,
        redirect: "manual",
        ...(body !== undefined && { body }),
      };
      let target = url;
      for (let hop = 0; hop <= maxRedirects; hop += 1) {
        signal.throwIfAborted();
        progress.isSent = true;
        const response = await attempt(() => fetch(target, init), { target, signal });
        progress.isSent = response.ok;
        if (!isRedirect(response)) return response;
        cancelBody(response);
        target = readRedirect(response, { from: target, method });
      }
      throw new HttpError(`${describeUrl(url)} redirects too many times`, { status: 307, body: "" });
    },
  };
}

/** Reads an error response into an `HttpError`. */
export async function readHttpErrorResponse(response: Response, url: URL): Promise<HttpError> {
  const body = await readText(response, maxRejection).catch(() => "");
  const reason = response.status === 401 || response.status === 403 ? " (see wwwAuthenticate)" : "";
  return new HttpError(`${describeUrl(url)} returned HTTP ${response.status}${reason}${quoteText(body)}`, {
    status: response.status,
    body,
    wwwAuthenticate: response.headers.get("www-authenticate") ?? undefined,
    retryAfter: response.headers.get("retry-after") ?? undefined,
  });
}

/** Returns a URL for error messages, without its possibly secret parts. */
export function describeUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/** Merges headers; later ones win. Values may be secret: the error names only the header, because the platform's error repeats the value. */
function toHeaders(...given: readonly Readonly<Record<string, string>>[]): Headers {
  const all = new Headers();
  for (const [name, value] of given.flatMap((headers) => Object.entries(headers))) {
    try {
      all.set(name, value);
    } catch {
      throw new Error(`The header ${JSON.stringify(name)} has an invalid character; remove it`);
    }
  }
  return all;
}

const maxRedirects = 3;

const maxRejection = 64 * 1024;

async function attempt(
  run: () => Promise<Response>,
  { target, signal }: { readonly target: URL; readonly signal: AbortSignal },
): Promise<Response> {
  try {
    return await run();
  } catch (cause) {
    signal.throwIfAborted();
    throw new LostError(`The request to ${describeUrl(target)} failed: ${describeCause(cause)}`, { cause });
  }
}

/** True if the response is a redirect. Browsers report it as `opaqueredirect`, without its target. */
function isRedirect(response: Response): boolean {
  return response.type === "opaqueredirect" || [301, 302, 303, 307, 308].includes(response.status);
}

function readRedirect(response: Response, { from, method }: { readonly from: URL; readonly method: string }): URL {
  const { status } = response;
  const reject = (why: string): HttpError =>
    new HttpError(`${describeUrl(from)} redirects ${why}; use the target URL instead`, { status, body: "" });
  const location = response.headers.get("location");
  if (location === null || !isUrl(location, from.href)) throw reject("without a valid Location");
  const target = new URL(location, from);
  if (target.origin !== from.origin) throw reject(`to another origin, ${describeUrl(target)}, which is not allowed`);
  if (method !== "GET" && status < 307)
    throw reject(`to ${describeUrl(target)} with a status that changes POST to GET`);
  return target;
}

/** Returns the reason of a failed `fetch`, which is in the cause of a generic error. */
function describeCause(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error && thrown.cause.message !== "" ? thrown.cause.message : thrown.message;
}

/** Characters at the start of a body to make the quoted text from. The quote itself is shorter. */
const longestQuoted = 10_000;

/** Returns the beginning of a text for the end of an error message. */
export function quoteText(body: string): string {
  const text = body.slice(0, longestQuoted).replaceAll(/\s+/g, " ").trim();
  return text === "" ? "" : `: ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`;
}
