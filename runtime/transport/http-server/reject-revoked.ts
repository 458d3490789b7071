import { toTokenId, type RevocableSender, type Revocations } from "../../stores/revocations.ts";
import type { HttpResponse, RequestHead } from "./exchange/exchange.ts";
import type { Guard, Identity } from "./identity.ts";
import { rejectHttp } from "./rejection.ts";

/**
 * Makes a guard reject revoked principals and tokens. Their streams end as well. The token of a request is taken from its `Authorization` field, or
 * is its API key. `requireBearerToken` does this by itself, and so does every guard of a server in a cluster.
 *
 * @example
 * ```ts
 * import { serveHttp } from "mcp-server-runtime";
 * import { createRevocations, rejectRevoked, requireCertificate } from "mcp-server-runtime/auth/server";
 *
 * const revocations = createRevocations();
 * const authenticate = rejectRevoked(requireCertificate(), revocations);
 * await serveHttp(server, { port: 3000, authenticate });
 * ```
 */
export function rejectRevoked(guard: Guard, revocations: Revocations): Guard {
  const senders = new WeakMap<Identity, RevocableSender>();
  return {
    ...guard,
    async authenticate(head, reply): Promise<Identity | HttpResponse> {
      const outcome = await guard.authenticate(head, reply);
      if ("status" in outcome) return outcome;
      const token = readToken(head);
      const sender = { principal: outcome.principal, tokenId: token === undefined ? token : await toTokenId(token) };
      if (revocations.isRevoked(sender)) return revoked();
      // A guard may return one identity for several tokens.
      const identity = { ...outcome };
      senders.set(identity, sender);
      return identity;
    },
    watchRevocation: (identity, end) =>
      revocations.watch(senders.get(identity) ?? { principal: identity.principal }, end),
  };
}

function readToken(head: RequestHead): string | undefined {
  return /^\S+ +(\S+)$/.exec(head.header("authorization") ?? "")?.[1] ?? head.header("x-api-key");
}

function revoked(): HttpResponse {
  const headers = { "cache-control": "no-store" };
  return rejectHttp(401, "The credentials were revoked", { headers, reason: "invalid-credentials" }).response;
}
