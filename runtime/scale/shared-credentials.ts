import type { Awaitable } from "../../generated/support.ts";
import { createFail, type OnError } from "../jsonrpc/error-report.ts";
import { SetupError } from "../jsonrpc/errors.ts";
import { pause, systemClock, type Clock } from "../internal/timers.ts";
import type { Engine } from "../stores/engine.ts";
import type { SharedValueStore } from "../stores/shared-value-store.ts";

/** Options of credentials that nodes share. */
export interface SharedCredentialsOptions {
  /** User whose credentials they are. Those of another user are never found. */
  readonly owner: string;
  /** Milliseconds that credentials are kept after they were last stored. Default 30 days. */
  readonly ttl?: number;
  /** Milliseconds after which the exclusive use by a node that has stopped ends. Default 10 s. */
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
 * Creates a store for the credentials of one user of clients that run on several nodes: each refresh token is used once. The engine encrypts them.
 *
 * @throws {SetupError} when the engine does not store values
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

interface Locking {
  readonly values: SharedValueStore;
  readonly lease: number;
  readonly clock: Clock | undefined;
  fail(thrown: unknown): void;
}

async function runLocked<Result>(key: string, task: () => Promise<Result>, locking: Locking): Promise<Result> {
  const { values, lease: milliseconds, clock, fail } = locking;
  const holder = crypto.randomUUID();
  let wait = 20;
  while (!(await values.lock(key, { holder, milliseconds }))) {
    await pause(wait, clock);
    wait = Math.min(2 * wait, 250);
  }
  const stop = keepLock(key, holder, locking);
  try {
    return await task();
  } finally {
    stop();
    await Promise.resolve(values.unlock(key, holder)).catch(fail);
  }
}

/** Extends the exclusive use of a key. Returns a function that ends this. */
function keepLock(
  key: string,
  holder: string,
  { values, lease: milliseconds, clock = systemClock, fail }: Locking,
): () => void {
  let isOver = false;
  let cancel = (): void => {};
  const schedule = (): void => {
    if (!isOver) cancel = clock.after(milliseconds / 3, () => void extend());
  };
  const extend = async (): Promise<void> => {
    try {
      const isHeld = isOver || (await values.lock(key, { holder, milliseconds }));
      if (!isHeld) fail(new Error("The exclusive use of credentials has expired; another node may use them"));
    } catch (thrown) {
      fail(thrown);
    }
    schedule();
  };
  schedule();
  return () => {
    isOver = true;
    cancel();
  };
}
