import { createClient, createCluster } from "@redis/client";
import { longestTimer } from "../../../runtime/internal/timers.ts";
import { withDeadline } from "../../engine/deadline.ts";

/** Server of a connection. */
export interface RedisServer {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly database?: number;
}

/** Open connection to one server. It never reconnects. */
export interface RedisConnection {
  command(args: readonly string[]): Promise<unknown>;
  subscribe(channels: readonly string[], listener: ChannelListener): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  close(): void;
}

/** Receives the messages of a channel. */
export type ChannelListener = (text: string, channel: string) => void;

/** Timeout and close listener of a connection. */
export interface ConnectionOptions {
  /** Milliseconds until an attempt to connect fails. */
  readonly timeout: number;
  /** Called once when the open connection ends, unless `close` was called. */
  onEnd(error: Error): void;
}

/** Connects to one server. */
export async function connectRedis(server: RedisServer, options: ConnectionOptions): Promise<RedisConnection> {
  const { host, port, isEncrypted, username, password, database } = server;
  const times = {
    connectTimeout: Math.min(options.timeout, longestTimer),
    socketTimeout: silence,
    reconnectStrategy: false as const,
  };
  const client = createClient({
    RESP: 2,
    socket: isEncrypted ? { host, port, tls: true, ...times } : { host, port, ...times },
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
    disableOfflineQueue: true,
    disableClientInfo: true,
    commandOptions,
    pingInterval,
  });
  let isOpen = false;
  const close = (): void => {
    isOpen = false;
    client.destroy();
  };
  client.on("error", (error: Error) => {
    if (!isOpen) return;
    close();
    options.onEnd(error);
  });
  try {
    await withDeadline(client.connect(), 2 * options.timeout, noResponse);
    await withDeadline(client.ping(), options.timeout, noResponse);
  } catch (error) {
    close();
    throw error;
  }
  isOpen = true;
  return {
    command: (args) => client.sendCommand<unknown>(args),
    subscribe: (channels, listener) => client.subscribe([...channels], listener),
    unsubscribe: (channel) => client.unsubscribe(channel),
    close,
  };
}

/** Connections to the nodes of a Redis Cluster. They reconnect on their own. */
export interface ClusterConnection {
  /** Returns the primaries of the slots. */
  findPrimaries(): Promise<readonly Pick<RedisConnection, "command">[]>;
  /** Sends a command to the node with the key. */
  command(key: string, args: readonly string[]): Promise<unknown>;
  subscribe(channel: string, listener: ChannelListener): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  close(): void;
}

/** Options of connections to a cluster. */
export interface RedisClusterOptions {
  readonly timeout: number;
  /** Called when a connection to one of the nodes is lost. */
  onError(error: Error): void;
  /** Called when a connection to one of the nodes is open again. */
  onReady(): void;
}

/** Connects to a cluster. All servers have the credentials of the first one. */
export async function connectCluster(
  servers: readonly [RedisServer, ...RedisServer[]],
  options: RedisClusterOptions,
): Promise<ClusterConnection> {
  const [{ username, password, isEncrypted }] = servers;
  const times = {
    connectTimeout: Math.min(options.timeout, longestTimer),
    socketTimeout: silence,
    reconnectStrategy: pauseBefore,
  };
  const cluster = createCluster({
    RESP: 2,
    rootNodes: servers.map(({ host, port }) => ({ socket: { host, port } })),
    defaults: {
      socket: isEncrypted ? { tls: true, ...times } : times,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      disableOfflineQueue: true,
      disableClientInfo: true,
      pingInterval,
    },
    commandOptions,
    topologyRefreshOnReconnectionAttemptStrategy: 500,
  });
  let cause: unknown;
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
    cluster.destroy();
  };
  // A search for the nodes that was running when the cluster was closed connects to them all the same.
  const unlessClosed = (run: () => void): void => (isClosed ? cluster.destroy() : run());
  cluster.on("error", (error: Error) => {
    cause = error;
    unlessClosed(() => options.onError(error));
  });
  cluster.on("node-error", (error: Error) => unlessClosed(() => options.onError(error)));
  cluster.on("node-ready", () => unlessClosed(options.onReady));
  try {
    await withDeadline(cluster.connect(), 3 * options.timeout, noResponse);
  } catch (error) {
    close();
    throw new Error("No node of the cluster can be used", { cause: cause ?? error });
  }
  return {
    async findPrimaries() {
      const clients = await Promise.all(cluster.masters.map((node) => cluster.nodeClient(node)));
      return clients.map((client) => ({ command: (args) => client.sendCommand<unknown>([...args]) }));
    },
    command: (key, args) => cluster.sendCommand<unknown>(key, false, [...args]),
    subscribe: (channel, listener) => cluster.sSubscribe(channel, listener),
    unsubscribe: (channel) => cluster.sUnsubscribe(channel),
    close,
  };
}

const noResponse = "Redis did not respond in time";

/** Commands have a deadline of their own: a timer of the library for each would take a tenth of the time of a call. */
const commandOptions = { timeout: 0 } as const;

/** Milliseconds between two pings of a silent connection. */
const pingInterval = 2_000;

/** Milliseconds without a byte after which a connection is given up. */
const silence = 5_000;

function pauseBefore(retries: number): number {
  return Math.min(50 * 2 ** Math.min(retries, 4), 500) + Math.floor(Math.random() * 50);
}
