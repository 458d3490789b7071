import { cancelBody } from "./body.ts";
import type { AuthProvider, AuthRequest } from "./auth-provider.ts";

/** Progress of a request, for a caller that may cancel it. */
export interface RequestProgress {
  /** True while the server may be processing the request. False before it is sent, and after it was rejected. */
  isSent: boolean;
}

/** HTTP request to the URL of an endpoint. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Stops the clock of the waiting call until the returned function is called. */
  readonly hold?: (() => () => void) | undefined;
  readonly progress?: RequestProgress | undefined;
}

/** Sends requests to one URL of a server. */
export interface Endpoint {
  readonly url: URL;
  /** Resolves with the head of the server's response, including error responses. Rejects when no response arrives. */
  request(request: HttpRequest): Promise<Response>;
}

/** Creates an endpoint with authorization. A request is repeated when the provider has obtained what the server demands. */
export function authorizeEndpoint(endpoint: Endpoint, provider: AuthProvider): Endpoint {
  const { url } = endpoint;
  return {
    url,
    async request(request) {
      const { method, headers: given, signal } = request;
      const subject: AuthRequest = { url, method, headers: given, signal };
      const pending = <Result>(work: () => Result | Promise<Result>): Promise<Result> => hold(request, work);
      for (let attempt = 1; ; attempt += 1) {
        const own = await pending(() => provider.authorize(subject));
        const response = await endpoint.request({ ...request, headers: { ...own, ...given } });
        const { status, headers } = response;
        const reviewing = pending(() => provider.review?.({ status, headers }, subject) ?? "accept");
        reviewing.catch(() => cancelBody(response));
        const impact = await reviewing;
        if (impact === "accept" || attempt === maxAttempts) return response;
        cancelBody(response);
      }
    },
  };
}

/** Upper bound for providers without a limit. */
const maxAttempts = 10;

/** Waits for work of the provider while the clock of the call is stopped. An abort rejects; the work may continue for other requests. */
async function hold<Result>(
  { signal, hold: stop }: HttpRequest,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const release = stop?.();
  let giveUp = (): void => {};
  const given = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(signal.reason);
    signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([work(), given]);
  } finally {
    signal.removeEventListener("abort", giveUp);
    release?.();
  }
}
