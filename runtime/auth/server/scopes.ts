import { SetupError } from "../../jsonrpc/errors.ts";

/** Scopes that a scope includes in addition to itself: `{ admin: ["read", "write"] }`. */
export type ScopeHierarchy = Readonly<Record<string, readonly string[]>>;

/** Returns the scopes with all scopes that they include, directly or indirectly. */
export function expandScopes(scopes: readonly string[], hierarchy: ScopeHierarchy): readonly string[] {
  const all = new Set(scopes);
  // Iteration over a set includes items that are added during the iteration.
  for (const scope of all) {
    if (Object.hasOwn(hierarchy, scope)) for (const included of hierarchy[scope] ?? []) all.add(included);
  }
  return [...all];
}

/**
 * Checks names of scopes for use in challenges. `offline_access` is not allowed: access without the user is a matter between the client and the
 * authorization server.
 *
 * @throws {SetupError} when a scope is not valid.
 */
export function checkScopeNames(option: string, scopes: readonly string[]): void {
  const bad = scopes.find((scope) => !/^[!#-[\]-~]+$/.test(scope));
  if (bad !== undefined)
    throw new SetupError(`${option}: ${JSON.stringify(bad)} is not a scope; remove blanks, quotes and \\`);
  if (scopes.includes("offline_access")) {
    throw new SetupError(`${option}: offline_access is not a scope of a resource; remove it`);
  }
}
