import type { Awaitable } from "../../../../generated/support.ts";
import { KeyedQueue } from "../../../transport/http-client/keyed-queue.ts";

/**
 * Storage for credentials: tokens and client registrations. All values are secret. Keys name the purpose by issuer and resource; values are text. In
 * a store with several processes, `exclusively` prevents two of them from using the same refresh token simultaneously: an authorization server would
 * revoke it.
 */
export interface CredentialStore {
  get(key: string): Awaitable<string | undefined>;
  set(key: string, value: string): Awaitable<void>;
  delete(key: string): Awaitable<void>;
  /** Runs a task while no other user of the store runs one for this key. Default: exclusive within this process only. */
  exclusively?<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
}

/**
 * Creates a store of credentials in memory: they are lost when the process ends. The clients of one user may share it; different users must not.
 *
 * @example
 * ```ts
 * import { clientCredentials, createMemoryStore, createOAuthProvider } from "mcp-server-runtime/auth/client";
 *
 * const store = createMemoryStore(); // shared by the connections of one user
 * const grant = clientCredentials({ registered: [{ issuer: "https://login.example.com", clientId: "nightly" }] });
 * const auth = createOAuthProvider("https://mcp.example.com/mcp", { grant, store });
 * ```
 */
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

/** Keys of a store. Data of one issuer or resource is never found under the key of another. */
export const storeKeys = {
  /** Key of the issuer of the tokens for a server. */
  issuer: (resource: string): string => JSON.stringify(["issuer", resource]),
  tokens: (issuer: string, resource: string): string => JSON.stringify(["tokens", issuer, resource]),
  client: (issuer: string): string => JSON.stringify(["client", issuer]),
} as const;
