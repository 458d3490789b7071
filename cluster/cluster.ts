import { systemClock, type Clock } from "../runtime/internal/timers.ts";
import { createFail, type OnError } from "../runtime/jsonrpc/error-report.ts";
import type { Engine, EngineStatus } from "./stores/engine.ts";
import type { RateStore } from "../runtime/stores/rate-store.ts";
import type { Revocations } from "../runtime/stores/revocations.ts";
import type { SharedParts } from "../runtime/stores/shared-parts.ts";
import { SetupError } from "../runtime/jsonrpc/errors.ts";
import type { HttpCluster } from "../runtime/transport/http-server/settings.ts";
import type { OnListChanged } from "./cluster-broadcasts.ts";
import { rejectRevoked } from "../runtime/transport/http-server/reject-revoked.ts";
import { ClusterNode } from "./cluster-node.ts";
import { ClusterSessions } from "./sessions/cluster-sessions.ts";
import { createClusterRates } from "./cluster-rates.ts";
import { ClusterRevocations } from "./cluster-revocations.ts";
import { deriveKeys } from "./derive-keys.ts";
import { checkFinite, checkNumbers } from "../runtime/jsonrpc/check-numbers.ts";

/** Timing of a cluster, and the receiver of its errors. */
export interface ClusterOptions {
  /** Milliseconds after which a node counts as stopped unless it renews its lease. Default 6 s. */
  readonly lease?: number;
  /**
   * Characters of events to hold in this node until the engine has stored them. At half of it, requests are rejected with 503 and `Retry-After`. At
   * the limit, messages are rejected if their handlers do not wait for earlier ones. Responses may take twice as much. Default 16 Mi.
   */
  readonly maxUnstoredSize?: number;
  /**
   * Reads definitions again when another node has changed the list of its own: definitions contain functions and stay on their node. Returns a
   * function to change the list of this node. Clients of this node are notified after it, and the change is not reported to other nodes. Called for
   * every kind of list when changes were missed. Default: the lists of the nodes are changed by other means.
   *
   * @example
   * ```ts
   * import { joinCluster } from "mcp-server-runtime/scale";
   *
   * const report = defineTool({ name: "report", execute: () => "Done." });
   * const cluster = await joinCluster(engine, {
   *   async onListChanged(kind) {
   *     if (kind !== "tools") return undefined;
   *     const { ok } = await fetch("https://settings.example.com/report");
   *     return () => void (ok ? server.tools.add(report) : server.tools.remove("report"));
   *   },
   * });
   * ```
   */
  readonly onListChanged?: OnListChanged;
  /**
   * Secrets of 32 bytes or more, the same on all nodes: the keys of cursors, request states and nonces derive from them, unless the server has keys of
   * its own. The first one is used for new data, all are accepted. Default: the keys of the engine.
   */
  readonly keys?: readonly Uint8Array[];
  readonly onError?: OnError;
  readonly clock?: Clock;
}

/** Connection of this process to a cluster. */
export interface Cluster extends HttpCluster {
  readonly engine: Engine;
  /** Rates common to all nodes: for `rateLimit` and `limitAuthFailures`. While the engine is lost, each node counts on its own. */
  readonly rates: RateStore;
  /** Revoked principals and tokens: `requireBearerToken` of every node rejects them, and their streams end. */
  readonly revocations: Revocations;
  /** Returns the state of the engine. */
  status(): EngineStatus;
  /** Closes the connection to the engine; the listeners must be closed before. */
  close(): Promise<void>;
}

/**
 * Connects this process to an engine shared by all nodes. A client may then send each request to any node.
 *
 * @throws {SetupError} when the engine cannot be used: wrong address, credentials, version or settings
 * @example
 * ```ts
 * import { serveHttp } from "mcp-server-runtime";
 * import { createMemoryCluster, joinCluster } from "mcp-server-runtime/scale";
 *
 * const memory = createMemoryCluster();
 * const cluster = await joinCluster(memory.connect());
 * const listener = await serveHttp(server, { port: 3000, cluster });
 * ```
 */
export async function joinCluster(engine: Engine, options: ClusterOptions = {}): Promise<Cluster> {
  checkNumbers(options);
  checkFinite({ lease: options.lease });
  const { lease = 6_000, maxUnstoredSize = 16 * 1024 * 1024, onListChanged, onError, clock = systemClock } = options;
  const fail = createFail(onError);
  const toKeys = toDeriveKeys(engine, options.keys);
  await engine.open();
  const revocations = new ClusterRevocations({ engine, clock, fail });
  try {
    await revocations.start();
  } catch (thrown) {
    await engine.close();
    throw thrown;
  }
  const rates = createClusterRates(engine.rates);
  const { replays, values } = engine;
  const shared: SharedParts = { replays, rates, revocations, deriveKeys: toKeys, ...(values && { values }) };
  return {
    engine,
    rates,
    revocations,
    shared,
    protect(guard) {
      guard.useCluster?.(shared);
      return guard.watchRevocation ? guard : rejectRevoked(guard, revocations);
    },
    createNode: () =>
      new ClusterSessions(new ClusterNode({ engine, clock, lease, maxUnstoredSize, onListChanged, fail })),
    status: () => engine.status(),
    async close() {
      await revocations.close();
      await engine.close();
    },
  };
}

/** Returns a function to derive keys with. If each process drew random keys, nodes would reject what others have signed. */
function toDeriveKeys(engine: Engine, secrets: readonly Uint8Array[] | undefined): SharedParts["deriveKeys"] {
  if (secrets) {
    deriveKeys(secrets, "");
    return (purpose) => deriveKeys(secrets, purpose);
  }
  const derive = engine.deriveKeys?.bind(engine);
  if (!derive) throw new SetupError("The nodes have no common keys; give joinCluster the option keys");
  return derive;
}
