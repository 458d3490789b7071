/** Scopes included in a scope, in addition to itself: `{ admin: ["read", "write"] }`. */
export type ScopeHierarchy = Readonly<Record<string, readonly string[]>>;

/** Returns the scopes with all scopes they include, directly or indirectly. */
export function expandScopes(scopes: readonly string[], hierarchy: ScopeHierarchy): readonly string[] {
  const all = new Set(scopes);
  // Iteration over a set includes items that are added during the iteration.
  for (const scope of all) {
    if (Object.hasOwn(hierarchy, scope)) for (const included of hierarchy[scope] ?? []) all.add(included);
  }
  return [...all];
}
