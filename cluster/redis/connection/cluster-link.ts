import { pause, systemClock } from "../../../runtime/internal/timers.ts";
import type { LinkChecks, LinkEvents, RedisLink } from "./link.ts";
import { connectCluster, type ChannelListener, type ClusterConnection, type RedisServer } from "./redis-client.ts";

/** Options of a link to a Redis Cluster. */
export interface ClusterLinkOptions {
  readonly timeout: number;
  readonly servers: readonly [RedisServer, ...RedisServer[]];
  readonly events: LinkEvents;
  readonly checks: LinkChecks;
  /** Key to decide on which server commands are tried. */
  readonly probe: string;
}

/** Link to a Redis Cluster. Its library follows moved slots and reconnects. */
export class ClusterLink implements RedisLink {
  readonly publishCommand = "SPUBLISH";
  readonly generation = 0;
  readonly #options: ClusterLinkOptions;
  #current: ClusterConnection | undefined;
  #isClosed = true;
  /** Number of requested checks. */
  #checks = 0;

  constructor(options: ClusterLinkOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { timeout, servers, events } = this.#options;
    this.#isClosed = false;
    // The library is ready for the first time before it returns the connection.
    let isOpen = false;
    const connection = await connectCluster(servers, {
      timeout,
      onError: (error) => events.failed(error),
      onReady: () => {
        if (!isOpen || connection !== this.#current) return;
        events.resubscribed();
        this.check();
      },
    });
    try {
      await this.#check(connection);
      if (this.#isClosed) throw new Error("The connection to Redis ended while it was opened");
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#current = connection;
    isOpen = true;
    events.connected();
  }

  close(): void {
    this.#isClosed = true;
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

  check(): void {
    const turn = (this.#checks += 1);
    void this.#checkUntilAccepted(() => turn === this.#checks);
  }

  async #checkUntilAccepted(isLatest: () => boolean): Promise<void> {
    const { events } = this.#options;
    for (let connection = this.#current; connection && isLatest(); connection = this.#current) {
      try {
        await this.#check(connection);
        if (isLatest() && this.#current) events.connected();
        return;
      } catch (error) {
        if (isLatest() && this.#current) events.failed(error);
        await pause(retryDelay, systemClock);
      }
    }
  }

  async #check(connection: ClusterConnection): Promise<void> {
    const { checks, probe } = this.#options;
    await checks.checkCommands((args) => connection.command(probe, args), this.publishCommand);
    await checks.checkChannels(connection);
    await checks.checkServers(await connection.findPrimaries());
  }

  renew(): void {
    // The library asks for the primaries of the slots when a server says that it is none.
  }
}

/** Milliseconds until an unusable cluster is checked again. */
const retryDelay = 500;
