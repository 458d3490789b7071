import { classify, type Incoming } from "../../jsonrpc/message.ts";
import type { Clock } from "../../internal/timers.ts";
import type { Answer, EventWriter, Exchange, RequestHead } from "./exchange/exchange.ts";
import type { Guard, Identity } from "./identity.ts";
import type { PostBody } from "./post-body.ts";
import { refuse, type Rejection } from "./rejection.ts";
import type { HttpService } from "./settings.ts";

/** What the checks of the sender need to know. */
export interface Guarded {
  readonly settings: { readonly guard: Guard | undefined; readonly clock: Clock };
  readonly service: Pick<HttpService, "readScopes">;
}

/** Asks who sends the request. */
export async function authenticate(
  exchange: Exchange,
  { settings: { guard, clock } }: Pick<Guarded, "settings">,
): Promise<Identity | Rejection | undefined> {
  if (!guard) return undefined;
  const outcome: Identity | Answer = await guard.authenticate(exchange, exchange);
  if ("status" in outcome) return { kind: "refused", answer: outcome };
  const { until } = outcome;
  if (until !== undefined) exchange.onStream((writer) => endStreamAt(until, writer, clock));
  return outcome;
}

/** Nobody reads on who could not ask again. What a stream can be resumed for, its client comes back for with something newer. */
function endStreamAt(until: number, writer: EventWriter, clock: Clock): void {
  const cancel = clock.after(Math.max(0, until - Date.now()), () => writer.end());
  writer.onClose(cancel);
}

/**
 * Whether the sender may ask for this. The answer is still to begin, so it can say with its status what is missing; a batch is refused as a
 * whole, for all that it lacks.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/authorization#scope-challenge-handling
 */
export function checkScopes(
  head: RequestHead,
  { settings: { guard }, service }: Guarded,
  { identity, postBody }: { readonly identity: Identity | undefined; readonly postBody: PostBody },
): Rejection | undefined {
  const { readScopes } = service;
  if (!readScopes) return undefined;
  const all = postBody.kind === "single" ? [postBody.incoming] : postBody.values.map(classify);
  const needed = all.flatMap((incoming) =>
    incoming.kind === "request" ? readScopes(incoming.method, incoming.params) : [],
  );
  if (needed.every((scope) => identity?.scopes?.includes(scope))) return undefined;
  const scopes = [...new Set(needed)];
  return refuse(403, `This needs the scope ${scopes.join(" ")}`, {
    id: idOf(all),
    headers: identity && guard?.challengeScopes?.(scopes, identity, head),
  });
}

function idOf([incoming, ...others]: readonly Incoming[]): string | number | undefined {
  return incoming?.kind === "request" && others.length === 0 ? incoming.id : undefined;
}

/** Gives everybody a document, pages of any origin included: there is nothing in it that depends on who asks. */
export function answerDocument({ method }: Exchange, document: Answer): Answer {
  switch (method) {
    case "GET":
    case "HEAD":
      return { ...document, headers: { ...document.headers, ...readableByAll } };
    case "OPTIONS":
      return { status: 204, headers: { ...readableByAll, ...preflight } };
    default:
      return refuse(405, "This document can only be read", { headers: { allow: "GET, HEAD, OPTIONS" } }).answer;
  }
}

const readableByAll = { "access-control-allow-origin": "*" } as const;

/** Old clients name their protocol version. */
const preflight = {
  "access-control-allow-methods": "GET",
  "access-control-allow-headers": "MCP-Protocol-Version",
  "access-control-max-age": "600",
} as const;
