import type { Awaitable } from "../../../generated/support.ts";
import type { Answer, Exchange, HeaderFields, RequestHead } from "./exchange/exchange.ts";

/** Who sends a request. */
export interface Identity {
  /** Owns the sessions that it opens; nobody else can use them. */
  readonly principal: string;
  /** What the sender may do, in the words in which tools, resources and prompts ask for it. Default: nothing that has to be asked for. */
  readonly scopes?: readonly string[];
  /** Milliseconds since 1970: what the sender has shown counts until then, and so long streams to it stay open. Default: they do not end. */
  readonly until?: number;
  /** What handlers may know besides. */
  readonly claims?: unknown;
}

/**
 * Finds out who sends a request, or answers in place of the server: 401 with `WWW-Authenticate`, 403, ... Fields that are added to `reply`
 * are part of the answer, whatever it will be.
 */
export type Authenticate = (request: RequestHead, reply: Pick<Exchange, "addFields">) => Awaitable<Identity | Answer>;

/** Who may come in, and what they are told about it. */
export interface Guard {
  readonly authenticate: Authenticate;
  /** Fields of the answer 403 to a sender that lacks some of these scopes. Default: none. */
  challengeScopes?(needed: readonly string[], identity: Identity, request: RequestHead): HeaderFields;
  /** Answers to GET that everybody may read, by path: how to get in. */
  readonly documents?: ReadonlyMap<string, Answer>;
}

/** A guard, however it is given. */
export function toGuard(authenticate: Authenticate | Guard | undefined): Guard | undefined {
  return typeof authenticate === "function" ? { authenticate } : authenticate;
}

/** Where a message came from: what handlers find in `context.origin` over HTTP. */
export interface HttpOrigin {
  /** Absent where nobody is asked who they are. */
  readonly identity: Identity | undefined;
  /**
   * Closes the connection that waits for the answer. A client of a revision with resumable streams comes back for it; others wait on, so
   * nothing is closed.
   *
   * @returns whether it was closed
   */
  releaseConnection(): boolean;
}
