/** Claims of a token, as RFC 7519, RFC 7662 and RFC 9068 define them. Only checked claims are trustworthy. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Check of tokens without an `aud` claim. A token must meet each given rule, and at least one must be given. Otherwise this server would accept
 * tokens issued for any other server of the same issuer.
 */
export interface AudienceSubstitute {
  /** Accepted clients. The token must name one of them as `client_id`, or as `azp` if it has no `client_id`. */
  readonly clients?: readonly string[];
  /** Scopes granted by the issuer for this server only. The token must have at least one of them. */
  readonly scopes?: readonly string[];
}

/** Requirements for the claims of a token. */
export interface ClaimRules {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** Check of tokens without `aud`. Absent: they are rejected. */
  readonly withoutAudience: AudienceSubstitute | undefined;
  /** Claims with exactly these required values. */
  readonly requiredClaims: Claims;
  /** Claims with lists of scopes. Absent: `scope`, else `scp`. */
  readonly scopeClaims: readonly string[] | undefined;
  /** Seconds by which clocks may differ. */
  readonly clockSkew: number;
}

/**
 * Returns the reason why a token is not acceptable, or `undefined`. Issuer and audience are compared as text, because equivalent URLs may belong to
 * different parties.
 *
 * @param now - seconds since 1970
 * @see https://www.rfc-editor.org/rfc/rfc9068#section-4
 */
export function findClaimProblem(claims: Claims, rules: ClaimRules, now: number): string | undefined {
  const { iss, exp, nbf, iat } = claims;
  if (typeof iss !== "string" || !rules.issuers.includes(iss)) return "The access token is from another issuer";
  if (!isForThisServer(claims, rules)) return "The access token is for another resource";
  const wrong = Object.entries(rules.requiredClaims).find(([name, value]) => claims[name] !== value);
  if (wrong) return `The claim ${wrong[0]} of the access token has another value`;
  if (!isTime(exp) || exp + rules.clockSkew <= now) return expiredToken;
  const latest = now + rules.clockSkew;
  if (nbf !== undefined && (!isTime(nbf) || nbf > latest)) return "The access token is not valid yet";
  if (iat !== undefined && (!isTime(iat) || iat > latest)) return "The access token was issued in the future";
  return undefined;
}

/** Reason for an expired token. */
export const expiredToken = "The access token has expired";

function isForThisServer(claims: Claims, { audiences, withoutAudience, scopeClaims }: ClaimRules): boolean {
  const { aud, client_id: client = claims.azp } = claims;
  if (aud !== undefined) {
    const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
    return audiences.some((audience) => named.includes(audience));
  }
  if (!withoutAudience) return false;
  const { clients, scopes } = withoutAudience;
  const isOfClient = !clients || clients.some((one) => one === client);
  return isOfClient && (!scopes || readTokenScopes(claims, scopeClaims).some((scope) => scopes.includes(scope)));
}

/**
 * Returns the scopes of a token: those in the named claims, each a text or a list. Without names, those of `scope` as text, or `scp` as text or a
 * list, as some servers send it.
 */
export function readTokenScopes(claims: Claims, names?: readonly string[]): readonly string[] {
  if (!names) return toScopes(claims.scope ?? claims.scp);
  return [...new Set(names.flatMap((name) => (Object.hasOwn(claims, name) ? toScopes(claims[name]) : [])))];
}

function toScopes(given: unknown): readonly string[] {
  if (typeof given === "string") return given.split(" ").filter((name) => name !== "");
  return Array.isArray(given) ? given.filter((name) => typeof name === "string") : [];
}

/**
 * Returns the principal of a token. Subjects are unique only within their issuer. A client acting for no user is a subject of its own. Issuers
 * contain no spaces, so the text is unambiguous.
 */
export function readPrincipal({ iss, sub, client_id: client }: Claims): string | undefined {
  if (isText(sub)) return `${String(iss)} sub:${sub}`;
  return isText(client) ? `${String(iss)} client:${client}` : undefined;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
