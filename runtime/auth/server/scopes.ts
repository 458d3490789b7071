import { SetupError } from "../../jsonrpc/errors.ts";

/** Which scopes a scope includes, besides itself: `{ admin: ["read", "write"] }`. */
export type ScopeHierarchy = Readonly<Record<string, readonly string[]>>;

/** Everything that these scopes allow, however deep it is included. */
export function expandScopes(scopes: readonly string[], hierarchy: ScopeHierarchy): readonly string[] {
  const all = new Set(scopes);
  // A set that grows while it is walked is walked to its new end.
  for (const scope of all) {
    if (Object.hasOwn(hierarchy, scope)) for (const included of hierarchy[scope] ?? []) all.add(included);
  }
  return [...all];
}

/**
 * Throws for scopes that cannot be put into a challenge, and for one that must not: whether a client may come back without its user is between
 * it and the authorization server.
 */
export function checkScopeNames(option: string, scopes: readonly string[]): void {
  const bad = scopes.find((scope) => !/^[!#-[\]-~]+$/.test(scope));
  if (bad !== undefined)
    throw new SetupError(`${option}: ${JSON.stringify(bad)} is no scope. Leave out blanks, quotes and \\.`);
  if (scopes.includes("offline_access")) {
    throw new SetupError(
      `${option}: leave offline_access out. A resource does not ask for it; clients do, where they may.`,
    );
  }
}
