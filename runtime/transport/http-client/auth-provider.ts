import type { Awaitable } from "../../../generated/support.ts";

/** HTTP request to a server. All attempts at one request share the same object. */
export interface AuthRequest {
  readonly url: URL;
  readonly method: string;
  /** Headers of the request, without its authorization. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the call of the request has ended and needs no authorization any more. Pass it on to work done only for this request. */
  readonly signal?: AbortSignal;
}

/** Head of the server's response. */
export interface AuthResponse {
  readonly status: number;
  readonly headers: Headers;
}

/** Authorizes the requests of a client. For an API key `{ authorize: () => ({ Authorization: ... }) }` is enough. */
export interface AuthProvider {
  /** Returns the headers to authorize a request with. Called before every attempt. Rejects when the request must not be sent. */
  authorize(request: AuthRequest): Awaitable<Readonly<Record<string, string>>>;
  /**
   * Inspects every response, and may obtain what the server demands: the request is then repeated. It may take as long as a user needs. Rejects when
   * the demand cannot be met. An accepted response is treated as if there were no provider.
   */
  review?(response: AuthResponse, request: AuthRequest): Awaitable<"accept" | "repeat">;
}
