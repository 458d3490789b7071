import { isObject } from "../../generated/support.ts";
import type { SharedParts } from "../../runtime/stores/shared-parts.ts";
import { toGuard, type Authenticate, type Guard, type Identity } from "../../runtime/transport/http-server/identity.ts";

/** Options with which a server is served. */
export interface ServedOptions {
  readonly authenticate?: Authenticate | Guard;
  readonly cluster?: { close?(): Promise<void> };
  readonly onError?: unknown;
}

/**
 * Returns a guard which uses the current one for each request. Its public documents are the first guard's. In a cluster, each guard uses its parts:
 * the keys of nonces, used proofs, and revocations.
 */
export function createLiveGuard(first: Guard, read: () => Guard): Guard {
  let shared: SharedParts | undefined;
  let joined: Guard | undefined;
  const readJoined = (): Guard => {
    const guard = read();
    if (shared && guard !== joined) guard.useCluster?.(shared);
    joined = guard;
    return guard;
  };
  return {
    authenticate: (request, reply) => readJoined().authenticate(request, reply),
    challengeScopes: (needed, identity, request) => readJoined().challengeScopes?.(needed, identity, request) ?? {},
    // A cluster watches revocations itself for a guard without this function.
    ...(first.watchRevocation && {
      watchRevocation: (identity: Identity, end: () => void) =>
        readJoined().watchRevocation?.(identity, end) ?? ((): void => {}),
    }),
    useCluster(given) {
      shared = given;
      joined = undefined;
      readJoined();
    },
    ...(first.documents && { documents: first.documents }),
  };
}

/** Returns the guard of options. */
export function readGuard({ authenticate }: ServedOptions): Guard | undefined {
  return toGuard(authenticate);
}

/** Returns the names of options whose change has no effect before a restart. */
export function findFixedOptions(before: ServedOptions, after: ServedOptions): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => describeOption(name, before) !== describeOption(name, after));
}

/** Describes an option as text. Functions, stores and clusters cannot be compared. */
function describeOption(name: string, options: ServedOptions): string {
  const value: unknown = Reflect.get(options, name);
  if (name === "authenticate") return describeDocuments(readGuard(options));
  return isPlain(value) ? JSON.stringify(value) : typeof value;
}

function describeDocuments(guard: Guard | undefined): string {
  return guard ? JSON.stringify([...(guard.documents ?? [])]) : "";
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (!isObject(value)) return value === undefined || ["string", "number", "boolean"].includes(typeof value);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
}
