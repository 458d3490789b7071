import { systemClock, type Clock } from "../internal/timers.ts";
import { createFail, type OnError } from "../jsonrpc/error-report.ts";
import type { Engine, EngineStatus } from "../stores/engine.ts";
import type { HttpCluster } from "../transport/http-server/cluster.ts";
import type { OnListChanged } from "./cluster-broadcasts.ts";
import { ClusterNode } from "./cluster-node.ts";

/** Timing of a cluster, and the receiver of its errors. */
export interface ClusterOptions {
  /** Milliseconds after which a node that does not renew its lease counts as stopped. Default 6 s. */
  readonly lease?: number;
  /**
   * Reads definitions again when another node has changed the list of its own, because definitions contain functions and stay on their node. Returns a
   * function that changes the list of this node. Clients of this node are notified after it, and the change is not reported to other nodes. Called
   * for every kind of list when changes were missed. Default: the lists of the nodes are changed by other means.
   *
   * @example
   * ```ts
   * import { joinCluster } from "mcp-server-runtime/scale";
   *
   * const cluster = await joinCluster(engine, {
   *   async onListChanged(kind) {
   *     if (kind !== "tools") return undefined;
   *     const tools = await readTools();
   *     return () => {
   *       for (const tool of tools) if (!server.tools.get(tool.name)) server.tools.add(tool);
   *     };
   *   },
   * });
   * ```
   */
  readonly onListChanged?: OnListChanged;
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
  const { lease = 6_000, onListChanged, onError, clock = systemClock } = options;
  const fail = createFail(onError);
  await engine.open();
  return {
    engine,
    createNode: () => new ClusterNode({ engine, clock, lease, onListChanged, fail }),
    status: () => engine.status(),
    close: () => engine.close(),
  };
}
