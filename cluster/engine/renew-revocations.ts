import type { StoredRevocation } from "../stores/revocation-store.ts";

/** Revocation as an engine has found it. */
export interface FoundRevocation extends StoredRevocation {
  /** True if only an older key than the current one can read it. */
  readonly isOutdated: boolean;
}

/**
 * Returns each revocation once. If only an older key can read it, it is stored again, so it still applies when this key is removed. The outdated
 * copies stay until they expire: nodes with the keys in another order may do the same at the same time, and neither may remove what the other one
 * counts on.
 */
export async function renewRevocations(
  found: readonly FoundRevocation[],
  add: (revocation: StoredRevocation) => Promise<void>,
): Promise<readonly StoredRevocation[]> {
  const all = latestOf(found);
  const current = latestOf(found.filter(({ isOutdated }) => !isOutdated));
  const revocations = Array.from(all, ([key, until]) => ({ key, until }));
  const missing = revocations.filter(({ key, until }) => (current.get(key) ?? 0) < until - clockError);
  for (let first = 0; first < missing.length; first += atOnce) {
    // A node whose engine rejects a write applies the revocations all the same. They are read again soon.
    await Promise.allSettled(missing.slice(first, first + atOnce).map(add));
  }
  return revocations;
}

function latestOf(found: readonly StoredRevocation[]): ReadonlyMap<string, number> {
  const latest = new Map<string, number>();
  for (const { key, until } of found) latest.set(key, Math.max(until, latest.get(key) ?? until));
  return latest;
}

/** Milliseconds by which two readings of one expiry may differ. */
const clockError = 10_000;

/** Revocations to store at a time. */
const atOnce = 100;
