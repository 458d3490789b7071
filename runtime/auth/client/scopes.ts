import { AuthError } from "./errors.ts";

/** Splits a scope as it is on the wire. Throws when it holds what no scope may hold: it comes from a stranger and goes into a URL. */
export function readScopes(text: string): readonly string[] {
  const scopes = [...new Set(text.split(" ").filter((scope) => scope !== ""))];
  const isFit = scopes.length <= maxScopes && scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(scope));
  if (isFit) return scopes;
  throw new AuthError("metadata", "The server asks for scopes that cannot be scopes, or for more than 100 of them");
}

/** What decides which scopes are asked for. */
export interface ScopeSources {
  /** What the server's challenge demands: it alone decides where it is there. */
  readonly challenged: readonly string[] | undefined;
  /** What the metadata of the server lists. */
  readonly supported: readonly string[] | undefined;
  /** What the application wants whatever the server says. */
  readonly wanted: readonly string[] | undefined;
  /** What earlier requests for a token asked for, where more is needed now. */
  readonly before: readonly string[];
  /** Whether a refresh token is wanted and can be asked for. */
  readonly offline: boolean;
}

/**
 * The scopes to ask for, the least that is known to be needed. None at all leaves the choice to the authorization server.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/authorization#scope-selection-strategy
 */
export function selectScopes({ challenged, supported, wanted, before, offline }: ScopeSources): readonly string[] {
  const needed = challenged ?? wanted ?? supported ?? [];
  const scopes = [...new Set([...before, ...needed])];
  return offline && !scopes.includes(offlineAccess) ? [...scopes, offlineAccess] : scopes;
}

/** Asks for a refresh token. */
export const offlineAccess = "offline_access";

const maxScopes = 100;
