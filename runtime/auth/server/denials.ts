import type { HttpRefusalReason } from "../../protocol/profile.ts";
import type { Answer, HeaderFields, RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import { refuse } from "../../transport/http-server/rejection.ts";
import { expiredToken } from "./claims.ts";
import { formatChallenges, type OfferedChallenge } from "./challenge.ts";

/** Why a request is not let in. */
export type Denial =
  /** Nothing in it says who sends it. */
  | { readonly kind: "unknown" }
  /** It is not a request that could be let in. */
  | { readonly kind: "malformed"; readonly reason: string }
  /** `scheme`: what is wrong with it is said in this way. */
  | { readonly kind: "invalid"; readonly scheme: "Bearer" | "DPoP"; readonly error: string; readonly reason: string }
  /** The sender is known and may not do this. */
  | { readonly kind: "insufficient"; readonly scopes: readonly string[]; readonly principal: string }
  /** It could not be found out. */
  | { readonly kind: "unavailable" };

/** A request that was not let in, for logs. Nothing of what it carried is in it. */
export interface DeniedRequest {
  /** ISO 8601. */
  readonly time: string;
  readonly kind: Denial["kind"];
  readonly status: number;
  readonly reason: string;
  readonly method: string;
  readonly path: string;
  /** Where the connection comes from, if the platform tells. */
  readonly address: string | undefined;
  /** Where the sender is known. */
  readonly principal: string | undefined;
}

/** What challenges say, whatever is wrong. */
export interface ChallengeStyle {
  readonly metadataUrl: string;
  /** Those that every request needs. */
  readonly scopes: readonly string[];
  /** Algorithms of proofs; absent where tokens are not bound to keys. */
  readonly algorithms: readonly string[] | undefined;
  /** Only bound tokens are accepted. */
  readonly isBoundOnly: boolean;
}

/** The answer to a request that is not let in. @see https://www.rfc-editor.org/rfc/rfc6750#section-3 */
export function toAnswer(denial: Denial, style: ChallengeStyle): Answer {
  const status = statuses[denial.kind];
  return refuse(status, describeDenial(denial), {
    headers: { ...toFields(denial, style), "cache-control": "no-store" },
    reason: toReason(denial),
  }).answer;
}

function toReason(denial: Denial): HttpRefusalReason | undefined {
  if (denial.kind === "unknown") return "no-credentials";
  if (denial.kind !== "invalid") return undefined;
  return denial.reason === expiredToken ? "expired-credentials" : "invalid-credentials";
}

/** The entry of the log. */
export function toDenied(denial: Denial, { method, path, address }: RequestHead): DeniedRequest {
  return {
    time: new Date().toISOString(),
    kind: denial.kind,
    status: statuses[denial.kind],
    reason: describeDenial(denial),
    method,
    path,
    address,
    principal: denial.kind === "insufficient" ? denial.principal : undefined,
  };
}

/** The challenge to a sender that lacks scopes: one, and with all that the request needs. */
export function challengeScopes(needed: readonly string[], style: ChallengeStyle): HeaderFields {
  const scope = [...new Set([...style.scopes, ...needed])].join(" ");
  const scheme = style.isBoundOnly ? "DPoP" : "Bearer";
  const parameters = { error: "insufficient_scope", scope, resource_metadata: style.metadataUrl };
  return { "www-authenticate": formatChallenges([{ scheme, parameters }]) };
}

const statuses = { unknown: 401, malformed: 400, invalid: 401, insufficient: 403, unavailable: 503 } as const;

function describeDenial(denial: Denial): string {
  switch (denial.kind) {
    case "unknown":
      return "An access token is needed";
    case "insufficient":
      return `This needs the scope ${denial.scopes.join(" ")}`;
    case "unavailable":
      return "The access token cannot be checked at the moment";
    case "malformed":
    case "invalid":
      return denial.reason;
    default:
      return denial satisfies never;
  }
}

function toFields(denial: Denial, style: ChallengeStyle): HeaderFields {
  switch (denial.kind) {
    case "unknown":
      return toChallenge(offerAll(style, {}));
    case "malformed":
      return toChallenge(offerAll(style, { error: "invalid_request", error_description: denial.reason }));
    case "invalid": {
      const { scheme, error, reason } = denial;
      return toChallenge([offer(scheme, style, { error, error_description: reason })]);
    }
    case "insufficient":
      return challengeScopes(denial.scopes, style);
    case "unavailable":
      return { "retry-after": "5" };
    default:
      return denial satisfies never;
  }
}

function toChallenge(challenges: readonly OfferedChallenge[]): HeaderFields {
  return { "www-authenticate": formatChallenges(challenges) };
}

function offerAll(style: ChallengeStyle, parameters: OfferedChallenge["parameters"]): readonly OfferedChallenge[] {
  const schemes = [...(style.isBoundOnly ? [] : bearer), ...(style.algorithms ? bound : [])];
  return schemes.map((scheme) => offer(scheme, style, parameters));
}

const bearer = ["Bearer"] as const;
const bound = ["DPoP"] as const;

function offer(
  scheme: OfferedChallenge["scheme"],
  { metadataUrl, scopes, algorithms }: ChallengeStyle,
  parameters: OfferedChallenge["parameters"],
): OfferedChallenge {
  return {
    scheme,
    parameters: {
      ...parameters,
      scope: scopes.length > 0 ? scopes.join(" ") : undefined,
      algs: scheme === "DPoP" ? algorithms?.join(" ") : undefined,
      resource_metadata: metadataUrl,
    },
  };
}
