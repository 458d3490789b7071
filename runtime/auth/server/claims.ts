/** Claims of a token, as RFC 7519, RFC 7662 and RFC 9068 define them. Only checked claims are trustworthy. */
export type Claims = Readonly<Record<string, unknown>>;

/** Requirements for the claims of a token. */
export interface ClaimRules {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** Seconds by which clocks may differ. */
  readonly clockSkew: number;
}

/**
 * Returns the reason why a token is not acceptable, or `undefined`. Issuer and audience are compared as text, because URLs that are equivalent may
 * belong to different parties.
 *
 * @param now - seconds since 1970
 * @see https://www.rfc-editor.org/rfc/rfc9068#section-4
 */
export function findClaimProblem(claims: Claims, rules: ClaimRules, now: number): string | undefined {
  const { iss, aud, exp, nbf, iat } = claims;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (typeof iss !== "string" || !rules.issuers.includes(iss)) return "The access token is from another issuer";
  if (!rules.audiences.some((audience) => audiences.includes(audience))) {
    return "The access token is for another resource";
  }
  if (!isTime(exp) || exp + rules.clockSkew <= now) return expiredToken;
  const latest = now + rules.clockSkew;
  if (nbf !== undefined && (!isTime(nbf) || nbf > latest)) return "The access token is not valid yet";
  if (iat !== undefined && (!isTime(iat) || iat > latest)) return "The access token was issued in the future";
  return undefined;
}

/** Reason for an expired token. */
export const expiredToken = "The access token has expired";

/** Returns the scopes of a token: `scope` as text, or `scp` as text or a list, as some servers send it. */
export function readTokenScopes({ scope, scp }: Claims): readonly string[] {
  const given = scope ?? scp;
  if (typeof given === "string") return given.split(" ").filter((name) => name !== "");
  return Array.isArray(given) ? given.filter((name) => typeof name === "string") : [];
}

/**
 * Returns the principal of a token. Subjects are unique only within their issuer. A client that acts for no user is a subject of its own. Issuers
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
