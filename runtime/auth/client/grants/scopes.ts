import { AuthError } from "../errors.ts";

/**
 * Splits a scope value from the wire. The value comes from a remote party and becomes part of a URL.
 *
 * @throws {AuthError} when a scope has an invalid character or is too long, or when there are more than 100 scopes.
 */
export function readGrantedScopes(text: string): readonly string[] {
  const scopes = [...new Set(text.split(" ").filter((scope) => scope !== ""))];
  const isFit = scopes.length <= maxScopes && scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(scope));
  if (isFit) return scopes;
  throw new AuthError("metadata", "The server requests invalid scopes or more than 100 scopes");
}

/** Sources of the scopes to request. */
export interface ScopeSources {
  /** Scopes demanded by the server's challenge, with spaces between. If present, they take precedence over `wanted` and `supported`. */
  readonly challenged: string | undefined;
  /** Scopes listed in the metadata of the server, with spaces between. They are not read unless they are needed. */
  readonly supported: string | undefined;
  /** Scopes needed by the application. They take precedence over `supported`. */
  readonly wanted: readonly string[] | undefined;
  /** Scopes of earlier token requests, if more are needed now. */
  readonly before: readonly string[];
  /** True if a refresh token is wanted and the authorization server supports it. */
  readonly offline: boolean;
}

/**
 * Returns the scopes to request: the fewest known to be necessary. An empty list leaves the choice to the authorization server.
 *
 * @throws {AuthError} when the chosen scopes are invalid
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy
 */
export function selectScopes({ challenged, supported, wanted, before, offline }: ScopeSources): readonly string[] {
  const isWanted = challenged === undefined && wanted !== undefined;
  const needed = isWanted ? wanted : readGrantedScopes(challenged ?? supported ?? "");
  const scopes = [...new Set([...before, ...needed])];
  return offline && !scopes.includes(offlineAccess) ? [...scopes, offlineAccess] : scopes;
}

/** Scope to request a refresh token with. */
export const offlineAccess = "offline_access";

const maxScopes = 100;
