import type { HttpRejectionReason } from "../../protocol/profile.ts";
import type { HttpResponse, HeaderFields, RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import { rejectHttp } from "../../transport/http-server/rejection.ts";
import { expiredToken } from "./claims.ts";

/** Reason for rejecting a request. */
export type AuthRejection =
  /** The request holds no credentials of a supported scheme. */
  | { readonly kind: "unknown" }
  /** The credentials of the request are malformed. */
  | { readonly kind: "malformed"; readonly reason: string }
  /** The credentials are not valid. `scheme` is the scheme of the challenge that reports it. */
  | { readonly kind: "invalid"; readonly scheme: "Bearer" | "DPoP"; readonly error: string; readonly reason: string }
  /** The sender is known but lacks scopes. */
  | { readonly kind: "insufficient"; readonly scopes: readonly string[]; readonly principal: string }
  /** The credentials could not be checked. */
  | { readonly kind: "unavailable" };

/** Log entry about a rejected request. It holds none of its credentials. */
export interface DeniedRequest {
  /** Time of the rejection in ISO 8601. */
  readonly time: string;
  readonly kind: AuthRejection["kind"];
  readonly status: number;
  readonly reason: string;
  readonly method: string;
  readonly path: string;
  /** Address of the peer, if the platform reports it. */
  readonly address: string | undefined;
  /** Principal of the sender, if it lacks scopes. Absent for other kinds. */
  readonly principal: string | undefined;
}

/** Content of every challenge, regardless of the reason. */
export interface ChallengeStyle {
  readonly metadataUrl: string;
  /** Scopes needed by every request. */
  readonly scopes: readonly string[];
  /** Text clients put before a scope when they request it. */
  readonly scopePrefix: string;
  /** Algorithms of proofs. Absent if tokens are not bound to keys. */
  readonly algorithms: readonly string[] | undefined;
  /** True if only bound tokens are accepted. */
  readonly isBoundOnly: boolean;
}

/** Returns the response to a rejected request. @see https://www.rfc-editor.org/rfc/rfc6750#section-3 */
export function toHttpResponse(rejection: AuthRejection, style: ChallengeStyle): HttpResponse {
  const status = statuses[rejection.kind];
  return rejectHttp(status, describeRejection(rejection), {
    headers: { ...toFields(rejection, style), "cache-control": "no-store" },
    reason: toReason(rejection),
  }).response;
}

function toReason(rejection: AuthRejection): HttpRejectionReason | undefined {
  if (rejection.kind === "unknown") return "no-credentials";
  if (rejection.kind !== "invalid") return undefined;
  return rejection.reason === expiredToken ? "expired-credentials" : "invalid-credentials";
}

/** Returns the log entry about a rejected request. */
export function toDeniedRequest(rejection: AuthRejection, { method, path, address }: RequestHead): DeniedRequest {
  return {
    time: new Date().toISOString(),
    kind: rejection.kind,
    status: statuses[rejection.kind],
    reason: describeRejection(rejection),
    method,
    path,
    address,
    principal: rejection.kind === "insufficient" ? rejection.principal : undefined,
  };
}

/** Returns the challenge to a sender without the necessary scopes: a single one, with all scopes of the request. */
export function challengeScopes(needed: readonly string[], style: ChallengeStyle): HeaderFields {
  const scope = toScopeText([...new Set([...style.scopes, ...needed])], style);
  const scheme = style.isBoundOnly ? "DPoP" : "Bearer";
  const parameters = { error: "insufficient_scope", scope, resource_metadata: style.metadataUrl };
  return { "www-authenticate": formatChallenges([{ scheme, parameters }]) };
}

const statuses = { unknown: 401, malformed: 400, invalid: 401, insufficient: 403, unavailable: 503 } as const;

function describeRejection(rejection: AuthRejection): string {
  switch (rejection.kind) {
    case "unknown":
      return "An access token is required";
    case "insufficient":
      return `Insufficient scope; required: ${rejection.scopes.join(" ")}`;
    case "unavailable":
      return "The access token cannot be validated at the moment; retry later";
    case "malformed":
    case "invalid":
      return rejection.reason;
    default:
      return rejection satisfies never;
  }
}

function toFields(rejection: AuthRejection, style: ChallengeStyle): HeaderFields {
  switch (rejection.kind) {
    case "unknown":
      return toChallenge(offerAll(style, {}));
    case "malformed":
      return toChallenge(offerAll(style, { error: "invalid_request", error_description: rejection.reason }));
    case "invalid": {
      const { scheme, error, reason } = rejection;
      return toChallenge([offer(scheme, style, { error, error_description: reason })]);
    }
    case "insufficient":
      return challengeScopes(rejection.scopes, style);
    case "unavailable":
      return { "retry-after": "5" };
    default:
      return rejection satisfies never;
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
  style: ChallengeStyle,
  parameters: OfferedChallenge["parameters"],
): OfferedChallenge {
  const { metadataUrl, scopes, algorithms } = style;
  return {
    scheme,
    parameters: {
      ...parameters,
      scope: scopes.length > 0 ? toScopeText(scopes, style) : undefined,
      algs: scheme === "DPoP" ? algorithms?.join(" ") : undefined,
      resource_metadata: metadataUrl,
    },
  };
}

/** Returns the scopes as clients request them. */
function toScopeText(scopes: readonly string[], { scopePrefix }: ChallengeStyle): string {
  return scopes.map((scope) => scopePrefix + scope).join(" ");
}

/** Challenge in a `WWW-Authenticate` header. */
interface OfferedChallenge {
  readonly scheme: "Bearer" | "DPoP";
  /** Parameters in their output order. Undefined ones are omitted. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the value of a `WWW-Authenticate` header.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export function formatChallenges(challenges: readonly OfferedChallenge[]): string {
  return challenges.map(formatChallenge).join(", ");
}

function formatChallenge({ scheme, parameters }: OfferedChallenge): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `${scheme} ${given.map(([name, value = ""]) => `${name}=${quote(value)}`).join(", ")}`.trimEnd();
}

/**
 * Quotes a value. Characters forbidden in parameters are replaced: descriptions of errors are any text.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-3
 */
function quote(text: string): string {
  return `"${text.replaceAll(/[^ !#-[\]-~]/gu, "?")}"`;
}
