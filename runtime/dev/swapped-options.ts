import { isObject } from "../../generated/support.ts";
import { toGuard, type Authenticate, type Guard } from "../transport/http-server/identity.ts";

/** Options with which a server is served. */
export interface ServedOptions {
  readonly authenticate?: Authenticate | Guard;
  readonly cluster?: { close?(): Promise<void> };
  readonly onError?: unknown;
}

/** Returns a guard that uses the current one for each request. Its public documents are those of the first. */
export function createLiveGuard(first: Guard, read: () => Guard): Guard {
  return {
    authenticate: (request, reply) => read().authenticate(request, reply),
    challengeScopes: (needed, identity, request) => read().challengeScopes?.(needed, identity, request) ?? {},
    watchRevocation: (identity, end) => read().watchRevocation?.(identity, end) ?? (() => {}),
    useCluster: (shared) => read().useCluster?.(shared),
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
