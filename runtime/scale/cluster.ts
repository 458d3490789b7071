import { systemClock, type Clock } from "../internal/timers.ts";
import { createFail, type OnError } from "../jsonrpc/error-report.ts";
import type { Engine, EngineStatus } from "../stores/engine.ts";
import type { HttpCluster } from "../transport/http-server/cluster.ts";
import { ClusterNode } from "./cluster-node.ts";

/** Timing of a cluster, and the receiver of its errors. */
export interface ClusterOptions {
  /** Milliseconds after which a node that does not renew its lease counts as stopped. Default 6 s. */
  readonly lease?: number;
  readonly onError?: OnError;
  readonly clock?: Clock;
}

/** Connection of this process to a cluster. */
export interface Cluster extends HttpCluster {
  readonly engine: Engine;
  /** Returns the state of the engine. */
  status(): EngineStatus;
  /** Closes the connection to the engine; the listeners must be closed before. */
  close(): Promise<void>;
}

/**
 * Connects this process to an engine that all nodes share. A client may then send each request to any node.
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
  const { lease = 6_000, onError, clock = systemClock } = options;
  const fail = createFail(onError);
  await engine.open();
  return {
    engine,
    createNode: () => new ClusterNode({ engine, clock, lease, fail }),
    status: () => engine.status(),
    close: () => engine.close(),
  };
}
