import type { Awaitable } from "../../../generated/support.ts";

/** One request to a server. The same object stands for every attempt at it. */
export interface AuthRequest {
  readonly url: URL;
  readonly method: string;
  /** Without those that authorize it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The head of what the server answered. */
export interface AuthAnswer {
  readonly status: number;
  readonly headers: Headers;
}

/** Proves to a server on whose behalf requests are made. An API key needs no more than `{ authorize: () => ({ Authorization: ... }) }`. */
export interface AuthProvider {
  /** The headers that authorize a request: asked for before every attempt. Rejects when the request must not be sent. */
  authorize(request: AuthRequest): Awaitable<Readonly<Record<string, string>>>;
  /**
   * Looks at every answer, and may get what the server demands: then the request is repeated. It may take as long as a user needs. Rejects when
   * it was impossible to get; an answer that is accepted is treated as if there were no provider.
   */
  review?(answer: AuthAnswer, request: AuthRequest): Awaitable<"accept" | "repeat">;
}
