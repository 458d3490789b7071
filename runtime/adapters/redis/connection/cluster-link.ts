import type { LinkEvents, RedisLink } from "./link.ts";
import { connectCluster, type ChannelListener, type ClusterConnection, type RedisServer } from "./redis-client.ts";

/** Options of a link to a Redis Cluster. */
export interface ClusterLinkOptions {
  readonly timeout: number;
  readonly servers: readonly [RedisServer, ...RedisServer[]];
  readonly events: LinkEvents;
}

/** Link to a Redis Cluster. Its library follows moved slots and reconnects. */
export class ClusterLink implements RedisLink {
  readonly publishCommand = "SPUBLISH";
  readonly generation = 0;
  readonly #options: ClusterLinkOptions;
  #current: ClusterConnection | undefined;

  constructor(options: ClusterLinkOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { timeout, servers, events } = this.#options;
    this.#current = await connectCluster(servers, {
      timeout,
      onError: (error) => events.failed(error),
      onReady: () => events.resubscribed(),
    });
    events.connected();
  }

  close(): void {
    this.#current?.close();
    this.#current = undefined;
  }

  async command(key: string, args: readonly string[]): Promise<unknown> {
    if (!this.#current) throw new Error("Redis is not connected");
    return await this.#current.command(key, args);
  }

  async subscribe(channel: string, listener: ChannelListener): Promise<void> {
    if (!this.#current) throw new Error("Redis is not connected");
    await this.#current.subscribe(channel, listener);
  }

  async unsubscribe(channel: string): Promise<void> {
    await this.#current?.unsubscribe(channel);
  }

  renew(): void {
    // The library asks for the primaries of the slots when a server says that it is none.
  }
}
