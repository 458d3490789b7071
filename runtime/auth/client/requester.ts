import { isObject } from "../../../generated/support.ts";
import { readText } from "../../transport/http-client/body.ts";
import { describeUrl, type Fetch } from "../../transport/http-client/endpoint.ts";
import { AuthError, isAuthError } from "./errors.ts";
import { type UrlRules } from "./url-rules.ts";

/** What happens on the way to a token; for logs. Holds no credential. */
export interface AuthStep {
  readonly kind: "request";
  readonly method: string;
  /** Without query. */
  readonly url: string;
  /** Absent when no answer came. */
  readonly status: number | undefined;
}

/** How documents and tokens are requested. */
export interface RequesterOptions {
  readonly fetch: Fetch;
  readonly rules: UrlRules;
  /** Milliseconds for one answer. */
  readonly timeout: number;
  /** Bytes of one answer. */
  readonly maxBytes: number;
  readonly onStep?: ((step: AuthStep) => void) | undefined;
}

/** One request, and what its URL is called in messages. */
export interface AuthorizationRequest {
  readonly what: string;
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer, read to its end. */
export interface AuthorizationAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body where it is a JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Makes the requests that lead to a token, each within bounds: where it may go, how long it may take, how much may come. Documents may be
 * elsewhere, two redirects away; what is posted holds secrets and goes nowhere else.
 */
export class Requester {
  readonly rules: UrlRules;
  readonly #options: RequesterOptions;

  constructor(options: RequesterOptions) {
    this.#options = options;
    this.rules = options.rules;
  }

  /** Rejects when no answer comes; a refusal is an answer. */
  async request(url: URL, request: AuthorizationRequest): Promise<AuthorizationAnswer> {
    let target = url;
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const answer = await this.#send(target, request);
      if (!redirects.includes(answer.status)) return answer;
      target = this.#readRedirect(answer, target, request);
    }
    throw new AuthError(
      "unsafe-url",
      `The ${request.what} ${describeUrl(url)} redirects more than ${maxRedirects} times`,
    );
  }

  async #send(url: URL, { what, method, headers = {}, body }: AuthorizationRequest): Promise<AuthorizationAnswer> {
    const { fetch, rules, timeout, maxBytes, onStep } = this.#options;
    rules.check(url, what);
    const signal = AbortSignal.timeout(timeout);
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
      return { status, headers: response.headers, text, json: readObject(text) };
    } catch (error) {
      if (isAuthError(error)) throw error;
      const why = signal.aborted ? `took longer than ${timeout} ms` : `failed: ${describe(error)}`;
      throw new AuthError("network", `The request to the ${what} ${describeUrl(url)} ${why}`);
    } finally {
      onStep?.({ kind: "request", method, url: describeUrl(url), status });
    }
  }

  #readRedirect(answer: AuthorizationAnswer, from: URL, { what, method }: AuthorizationRequest): URL {
    const location = answer.headers.get("location");
    if (method !== "GET" || location === null || !URL.canParse(location, from.href)) {
      throw new AuthError("unsafe-url", `The ${what} ${describeUrl(from)} redirects, which is refused`);
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

/** `fetch` puts what happened into the cause of an error that only says that it failed. */
function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "unknown reason";
  const inner = thrown.cause instanceof Error ? thrown.cause.message : "";
  return inner === "" ? thrown.message : inner;
}
