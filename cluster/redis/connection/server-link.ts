import { SetupError } from "../../../runtime/jsonrpc/errors.ts";
import { LastingConnection } from "./lasting-connection.ts";
import type { LinkChecks, LinkEvents, RedisLink } from "./link.ts";
import type { ChannelListener, RedisConnection, RedisServer } from "./redis-client.ts";
import { toList } from "../replies.ts";

/** Options of a link to one server. */
export interface ServerLinkOptions {
  readonly timeout: number;
  /** Finds the server, for each connection. */
  resolve(): Promise<RedisServer>;
  readonly events: LinkEvents;
  readonly checks: LinkChecks;
}

/** Link to one server: a connection for commands and one for channels. */
export class ServerLink implements RedisLink {
  readonly publishCommand = "PUBLISH";
  readonly #commands: LastingConnection;
  readonly #channels: LastingConnection;
  readonly #checks: LinkChecks;
  #generation = 0;
  readonly #listeners = new Map<string, ChannelListener>();

  constructor({ timeout, resolve, events, checks }: ServerLinkOptions) {
    this.#checks = checks;
    this.#commands = new LastingConnection({
      timeout,
      resolve,
      prepare: (connection) => this.#check(connection),
      opened: () => {
        this.#generation += 1;
        events.connected();
      },
      lost: () => events.lost(),
      failed: (error) => events.failed(error),
    });
    this.#channels = new LastingConnection({
      timeout,
      resolve,
      prepare: (connection) => this.#subscribeAll(connection),
      opened: () => events.resubscribed(),
      lost: () => {},
      // Commands work without the channels, so that this is no reason not to use the server.
      failed: (error) => events.failed(error instanceof SetupError ? new Error(error.message) : error),
    });
  }

  get generation(): number {
    return this.#generation;
  }

  async open(): Promise<void> {
    await this.#commands.open();
    try {
      await this.#channels.open();
    } catch (error) {
      this.#commands.close();
      throw error;
    }
  }

  close(): void {
    this.#commands.close();
    this.#channels.close();
  }

  command(_key: string, args: readonly string[]): Promise<unknown> {
    const { current } = this.#commands;
    return current ? current.command(args) : Promise.reject(new Error("Redis is not connected"));
  }

  async subscribe(channel: string, listener: ChannelListener): Promise<void> {
    this.#listeners.set(channel, listener);
    const { current } = this.#channels;
    if (!current) throw new Error("Redis is not connected");
    await current.subscribe([channel], this.#receive);
  }

  async unsubscribe(channel: string): Promise<void> {
    if (this.#listeners.delete(channel)) await this.#channels.current?.unsubscribe(channel);
  }

  renew(): void {
    this.#commands.renew();
    this.#channels.renew();
  }

  check(): void {
    const { current } = this.#commands;
    if (!current) return;
    // The connection to a server that is not accepted is opened again until it is.
    this.#checks.checkServers([current]).catch(() => {
      if (current === this.#commands.current) this.#commands.renew();
    });
  }

  async #check(connection: RedisConnection): Promise<void> {
    await checkPrimary(connection);
    await this.#checks.checkCommands((args) => connection.command(args), this.publishCommand);
    await this.#checks.checkServers([connection]);
  }

  readonly #receive: ChannelListener = (text, channel) => this.#listeners.get(channel)?.(text, channel);

  async #subscribeAll(connection: RedisConnection): Promise<void> {
    await checkPrimary(connection);
    await this.#checks.checkChannels({
      subscribe: (channel, listener) => connection.subscribe([channel], listener),
      unsubscribe: (channel) => connection.unsubscribe(channel),
    });
    if (this.#listeners.size > 0) await connection.subscribe([...this.#listeners.keys()], this.#receive);
  }
}

/**
 * Checks that a server is a primary. One whose role cannot be read passes: its first write fails if it is a replica.
 *
 * @throws {Error} when the server is a replica
 */
async function checkPrimary(connection: RedisConnection): Promise<void> {
  let role: unknown;
  try {
    role = toList(await connection.command(["ROLE"]))[0];
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("NOPERM")) return;
    throw error;
  }
  if (role !== "master") throw new Error("The server is a replica");
}
