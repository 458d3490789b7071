import type { Awaitable } from "../generated/support.ts";
import { createFail, type OnError } from "../runtime/jsonrpc/error-report.ts";
import { SetupError } from "../runtime/jsonrpc/errors.ts";
import type { Clock } from "../runtime/internal/timers.ts";
import type { Engine } from "./stores/engine.ts";
import { runLocked, type Locking } from "./engine/run-locked.ts";
import { checkFinite, checkNumbers } from "../runtime/jsonrpc/check-numbers.ts";

/** Options of credentials shared by nodes. */
export interface SharedCredentialsOptions {
  /** User whose credentials they are. Those of another user are never found. */
  readonly owner: string;
  /** Milliseconds to keep credentials after they were last stored. Default 30 days. */
  readonly ttl?: number;
  /** Milliseconds after which the exclusive use by a node ends when it has stopped. Default 10 s. */
  readonly lease?: number;
  readonly onError?: OnError;
  readonly clock?: Clock;
}

/** Store of the credentials of one user, which all nodes share. It is a `CredentialStore` of clients. */
export interface SharedCredentials {
  get(key: string): Awaitable<string | undefined>;
  set(key: string, value: string): Awaitable<void>;
  delete(key: string): Awaitable<void>;
  /** Runs a task while no other node runs one for this key. */
  exclusively<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
}

/**
 * Creates a store for the credentials of one user of clients on several nodes: each refresh token is used once. The engine encrypts them.
 *
 * @throws {SetupError} when the engine does not store values, or a number is negative, `NaN` or `Infinity`
 * @example
 * ```ts
 * import { authorizationCode, createLoopbackRedirect, createOAuthProvider } from "mcp-server-runtime/auth/client";
 * import { createSharedCredentials } from "mcp-server-runtime/scale";
 *
 * const store = createSharedCredentials(engine, { owner: "ada" });
 * const client = { name: "my-client", version: "1.0.0" };
 * const grant = authorizationCode({ redirect: createLoopbackRedirect(), client });
 * const auth = createOAuthProvider("https://mcp.example.com/mcp", { grant, store });
 * ```
 */
export function createSharedCredentials(engine: Engine, options: SharedCredentialsOptions): SharedCredentials {
  checkNumbers(options);
  checkFinite({ ttl: options.ttl, lease: options.lease });
  const { values } = engine;
  if (!values) throw new SetupError("The engine does not store credentials; use another engine or a store of your own");
  const { owner, ttl = 30 * 24 * 3_600_000, lease = 10_000, onError, clock } = options;
  const toName = (key: string): string => JSON.stringify(["credentials", owner, key]);
  const locking: Locking = { values, lease, clock, fail: createFail(onError) };
  return {
    get: (key) => values.get(toName(key)),
    set: (key, value) => values.set(toName(key), value, ttl),
    delete: (key) => values.delete(toName(key)),
    exclusively: (key, task) => runLocked(toName(key), task, locking),
  };
}
