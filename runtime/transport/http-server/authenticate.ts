import type { Incoming, RequestId } from "../../jsonrpc/message.ts";
import type { Clock } from "../../internal/timers.ts";
import type { HttpResponse, EventWriter, Exchange, HeaderFields, RequestHead } from "./exchange/exchange.ts";
import { checkOutcome, type Guard, type Identity } from "./identity.ts";
import { idsOf, type PostBody } from "./post-body.ts";
import { rejectHttp, type RejectedRequest } from "./rejection.ts";
import type { HttpService } from "./settings.ts";

/** Context for the checks of the sender. */
export interface SenderContext {
  readonly settings: { readonly guard: Guard | undefined; readonly clock: Clock };
  readonly service: Pick<HttpService, "readScopes">;
}

/** Authenticates the sender of a request. Returns its identity when it is its turn, or a rejection. */
export async function authenticate(
  exchange: Exchange,
  guard: Guard,
  { clock }: Pick<SenderContext["settings"], "clock">,
): Promise<Identity | RejectedRequest> {
  const outcome: Identity | HttpResponse = checkOutcome(await guard.authenticate(exchange, exchange));
  if ("status" in outcome) return { kind: "refused", response: outcome };
  exchange.onStream((writer) => endWithCredentials(writer, outcome, { guard, clock }));
  await exchange.takeTurn?.(outcome.principal);
  return outcome;
}

/** Ends a stream when the credentials of its reader expire or are revoked. The client resumes a resumable stream with newer credentials. */
function endWithCredentials(
  writer: EventWriter,
  identity: Identity,
  { guard, clock }: { readonly guard: Guard; readonly clock: Clock },
): void {
  const { until } = identity;
  const end = (): void => writer.end();
  if (until !== undefined) writer.onClose(clock.after(Math.max(0, until - Date.now()), end));
  const unwatch = guard.watchRevocation?.(identity, end);
  if (unwatch) writer.onClose(unwatch);
}

/**
 * Checks the scopes of the sender for its requests. The response has not begun, so its status can report the missing ones. A batch is rejected as a
 * whole, with all scopes it needs.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-challenge-handling
 */
export function checkScopes(
  head: RequestHead,
  { settings: { guard }, service }: SenderContext,
  { identity, postBody }: { readonly identity: Identity | undefined; readonly postBody: PostBody },
): RejectedRequest | undefined {
  const { readScopes } = service;
  if (!readScopes) return undefined;
  const scopesOf = (incoming: Incoming): readonly string[] =>
    incoming.kind === "request" ? readScopes(incoming.method, incoming.params) : none;
  const needed = postBody.kind === "single" ? scopesOf(postBody.incoming) : postBody.members.flatMap(scopesOf);
  if (needed.every((scope) => identity?.scopes?.includes(scope))) return undefined;
  const scopes = [...new Set(needed)];
  return rejectHttp(403, `Insufficient scope; required: ${scopes.join(" ")}`, {
    id: onlyIdOf(postBody),
    headers: identity && guard?.challengeScopes?.(scopes, identity, head),
  });
}

const none: readonly string[] = [];

/** Returns the id of the request in a body with only one message. */
function onlyIdOf(postBody: PostBody): RequestId | undefined {
  const hasOne = postBody.kind === "single" || postBody.members.length === 1;
  return hasOne ? idsOf(postBody)[0] : undefined;
}

/**
 * Serves a public document, also to pages of any origin: its content does not depend on the requester. A client which already has the version of the
 * entity tag gets no body.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function respondWithDocument(
  exchange: Pick<Exchange, "method" | "header">,
  document: HttpResponse,
): HttpResponse {
  const tag = document.headers?.etag;
  const headers = { ...document.headers, ...readableByAll, ...(tag !== undefined && revalidated) };
  switch (exchange.method) {
    case "GET":
    case "HEAD":
      return tag !== undefined && hasTag(exchange.header("if-none-match"), tag)
        ? { status: 304, headers: withoutContent(headers) }
        : { ...document, headers };
    case "OPTIONS":
      return { status: 204, headers: { ...readableByAll, ...preflight } };
    default:
      return rejectHttp(405, "Method not allowed; use GET", { headers: { allow: "GET, HEAD, OPTIONS" } }).response;
  }
}

/** True if a list of entity tags contains a tag, by weak comparison. */
function hasTag(list: string | undefined, tag: string): boolean {
  const tags = list?.split(",").map((one) => one.trim().replace(/^W\//, "")) ?? [];
  return tags.includes(tag) || tags.includes("*");
}

function withoutContent({ "content-type": _type, ...headers }: HeaderFields): HeaderFields {
  return headers;
}

const readableByAll = { "access-control-allow-origin": "*" } as const;

/** Fields with which pages can send the entity tag of their copy, and read the one of the response. */
const revalidated = {
  "access-control-allow-methods": "GET",
  "access-control-allow-headers": "Content-Type, If-None-Match",
  "access-control-expose-headers": "ETag",
} as const;

/** Fields of the preflight response. Old clients send their protocol version. */
const preflight = {
  "access-control-allow-methods": "GET",
  "access-control-allow-headers": "Content-Type, If-None-Match, MCP-Protocol-Version",
  "access-control-max-age": "600",
} as const;
