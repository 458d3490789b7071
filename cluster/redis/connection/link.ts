import type { ChannelListener, RedisConnection } from "./redis-client.ts";

/** Connections to one server, or to a cluster. Commands fail at once while there is no connection. */
export interface RedisLink {
  /** Command for publishing to the channels of this link. */
  readonly publishCommand: "PUBLISH" | "SPUBLISH";
  /** Number of connections for commands so far. A confirmation of writes counts only on the connection they used. */
  readonly generation: number;
  /** Opens the first connections. The link opens later ones on its own. */
  open(): Promise<void>;
  close(): void;
  /** Sends a command to the server with the key. */
  command(key: string, args: readonly string[]): Promise<unknown>;
  /** Subscribes to a channel until `unsubscribe`, on later connections too. */
  subscribe(channel: string, listener: ChannelListener): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  /** Replaces the connection for commands, because the server is no longer the primary. */
  renew(): void;
  /** Checks the servers again while they are connected. A rejected server is used again once it passes. */
  check(): void;
}

/** Checks of servers, after each connection and before it is used. */
export interface LinkChecks {
  /**
   * Checks the permission for commands on the server with the key of the check.
   *
   * @throws {SetupError} when one is denied
   */
  checkCommands(command: (args: readonly string[]) => Promise<unknown>, publishCommand: string): Promise<void>;
  /**
   * Checks the permission for channels.
   *
   * @throws {SetupError} when it is denied
   */
  checkChannels(channels: Pick<RedisLink, "subscribe" | "unsubscribe">): Promise<void>;
  /**
   * Checks version and settings of all servers.
   *
   * @throws {SetupError} when one cannot be used
   */
  checkServers(servers: readonly Pick<RedisConnection, "command">[]): Promise<void>;
}

/** Called when the connections change. */
export interface LinkEvents {
  connected(): void;
  lost(): void;
  /** Called when an attempt to connect again has failed. */
  failed(error: unknown): void;
  /** Called when a connection for channels is open again: messages may have been missed. */
  resubscribed(): void;
}
