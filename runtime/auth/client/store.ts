import type { Awaitable } from "../../../generated/support.ts";
import { KeyedQueue } from "../../transport/http-client/keyed-queue.ts";

/**
 * Keeps credentials: tokens, and what client ids were given. Everything in it is secret. Keys say what for, by issuer and resource; values are
 * text. Of stores that several processes share, `exclusively` keeps two of them from using the same refresh token at once, which makes an
 * authorization server revoke it.
 */
export interface CredentialStore {
  get(key: string): Awaitable<string | undefined>;
  set(key: string, value: string): Awaitable<void>;
  delete(key: string): Awaitable<void>;
  /** Runs a task while nobody else who shares the store runs one for this key. Default: within this process only. */
  exclusively?<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
}

/** Keeps credentials until the process ends. May be shared by the clients of one user, not by users. */
export function createMemoryStore(): CredentialStore {
  const values = new Map<string, string>();
  const queue = new KeyedQueue<string>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    delete: (key) => void values.delete(key),
    exclusively: (key, task) => queue.run(key, task),
  };
}

/** The keys of a store: what belongs to one issuer, or to one resource, is never found under another. */
export const storeKeys = {
  /** Which issuer gave the tokens for a server. */
  issuer: (resource: string): string => JSON.stringify(["issuer", resource]),
  tokens: (issuer: string, resource: string): string => JSON.stringify(["tokens", issuer, resource]),
  client: (issuer: string): string => JSON.stringify(["client", issuer]),
} as const;
