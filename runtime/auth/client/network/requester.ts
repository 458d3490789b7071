import { isObject } from "../../../../generated/support.ts";
import { timeoutSignal } from "../../../internal/timers.ts";
import { readText } from "../../../transport/http-client/body.ts";
import { describeUrl, type Fetch } from "../../../transport/http-client/endpoint.ts";
import { parseRetryAfter } from "../../../transport/http-client/retry-rejected.ts";
import { AuthError, isAuthError } from "../errors.ts";
import { type UrlRules } from "./url-rules.ts";
import { isUrl } from "../../../internal/parse-url.ts";

/** Log entry about one step towards a token. It holds no credential. */
export interface AuthStep {
  readonly kind: "request";
  readonly method: string;
  /** URL without its query. */
  readonly url: string;
  /** HTTP status, absent if no response arrived. */
  readonly status: number | undefined;
}

/** Limits and rules of the requests to authorization servers. */
export interface RequesterOptions {
  readonly fetch: Fetch;
  readonly rules: UrlRules;
  /** Milliseconds for one response. */
  readonly timeout: number;
  /** Maximum size of one response in bytes. */
  readonly maxBytes: number;
  readonly onStep?: ((step: AuthStep) => void) | undefined;
}

/** One request. `what` names its URL in messages. */
export interface AuthorizationRequest {
  readonly what: string;
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Response with its body read completely. */
export interface AuthorizationResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Body of the response if it is a JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  /** Milliseconds of `Retry-After`, if the response has it. */
  readonly retryAfter: number | undefined;
}

/**
 * Sends the requests on the way to a token. Each request has limits for its destination, its duration and the size of the response. Documents may be
 * up to two redirects away. POST requests hold secrets, so a redirect of them is rejected.
 */
export class HttpRequester {
  readonly rules: UrlRules;
  readonly #options: RequesterOptions;

  constructor(options: RequesterOptions) {
    this.#options = options;
    this.rules = options.rules;
  }

  /**
   * Sends a request and resolves with the response, including an error response.
   *
   * @throws {AuthError} when no response arrives, or a URL is not allowed
   */
  async request(url: URL, request: AuthorizationRequest): Promise<AuthorizationResponse> {
    let target = url;
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const result = await this.#send(target, request);
      if (!redirects.includes(result.status)) return result;
      target = this.#readRedirect(result, target, request);
    }
    throw new AuthError(
      "unsafe-url",
      `The ${request.what} ${describeUrl(url)} redirects more than ${maxRedirects} times`,
    );
  }

  async #send(url: URL, { what, method, headers = {}, body }: AuthorizationRequest): Promise<AuthorizationResponse> {
    const { fetch, rules, timeout, maxBytes, onStep } = this.#options;
    rules.check(url, what);
    const signal = timeoutSignal(timeout);
    let status: number | undefined;
    try {
      const init: RequestInit = {
        method,
        headers: { Accept: "application/json", ...headers },
        redirect: "manual",
        signal,
      };
      const response = await fetch(url, body === undefined ? init : { ...init, body });
      status = response.status;
      const text = await readText(response, maxBytes);
      const { headers: fields } = response;
      const retryAfter = parseRetryAfter(fields.get("retry-after") ?? "");
      return { status, headers: fields, text, json: readObject(text), retryAfter };
    } catch (error) {
      if (isAuthError(error)) throw error;
      const why = signal.aborted ? `took longer than ${timeout} ms` : `failed: ${describe(error)}`;
      throw new AuthError("network", `The request to the ${what} ${describeUrl(url)} ${why}`);
    } finally {
      onStep?.({ kind: "request", method, url: describeUrl(url), status });
    }
  }

  #readRedirect(result: AuthorizationResponse, from: URL, { what, method }: AuthorizationRequest): URL {
    const location = result.headers.get("location");
    if (method !== "GET" || location === null || !isUrl(location, from.href)) {
      throw new AuthError("unsafe-url", `The redirect of the ${what} ${describeUrl(from)} is not allowed`);
    }
    const target = new URL(location, from);
    this.rules.check(target, `redirect of the ${what}`);
    return target;
  }
}

const maxRedirects = 2;

const redirects: readonly number[] = [301, 302, 303, 307, 308];

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `fetch` throws a general error; the reason is its cause. */
function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "unknown error";
  const inner = thrown.cause instanceof Error ? thrown.cause.message : "";
  return inner === "" ? thrown.message : inner;
}
