import type { AuthProvider, AuthRequest } from "./auth-provider.ts";
import type { Endpoint, HttpRequest } from "./endpoint.ts";

/** Requests to one URL, each of them authorized and repeated when the provider has got what the server demanded. */
export function authorizeEndpoint(endpoint: Endpoint, provider: AuthProvider): Endpoint {
  const { url } = endpoint;
  return {
    url,
    async request(request) {
      const subject: AuthRequest = { url, method: request.method, headers: request.headers };
      const pending = <Result>(work: () => Result | Promise<Result>): Promise<Result> => hold(request, work);
      for (let attempt = 1; ; attempt += 1) {
        const own = await pending(() => provider.authorize(subject));
        const response = await endpoint.request({ ...request, headers: { ...own, ...request.headers } });
        const { status, headers } = response;
        const verdict = await pending(() => provider.review?.({ status, headers }, subject) ?? "accept");
        if (verdict === "accept" || attempt === maxAttempts) return response;
        await response.body?.cancel();
      }
    },
  };
}

/** Providers have limits of their own; this one is for those that have none. */
const maxAttempts = 10;

/** The work may go on for others when this request is given up. */
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
