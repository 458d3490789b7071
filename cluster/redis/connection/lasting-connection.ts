import { startTimer, type Cancel } from "../../../runtime/internal/timers.ts";
import { withDeadline } from "../../engine/deadline.ts";
import { connectRedis, type RedisConnection, type RedisServer } from "./redis-client.ts";

/** Options of a connection that is opened again when it ends. */
export interface LastingConnectionOptions {
  readonly timeout: number;
  /** Finds the server, for each attempt. */
  resolve(): Promise<RedisServer>;
  /** Checks and prepares a connection before it is used. */
  prepare(connection: RedisConnection): Promise<void>;
  opened(): void;
  lost(): void;
  /** Called when an attempt to open the connection again has failed. */
  failed(error: unknown): void;
}

/** Connection to one server, opened again when it ends. */
export class LastingConnection {
  readonly #options: LastingConnectionOptions;
  #current: RedisConnection | undefined;
  #isClosed = true;
  #attempts = 0;
  #timer: Cancel | undefined;

  constructor(options: LastingConnectionOptions) {
    this.#options = options;
  }

  /** Open connection, if any. */
  get current(): RedisConnection | undefined {
    return this.#current;
  }

  async open(): Promise<void> {
    this.#isClosed = false;
    try {
      await this.#connect();
    } catch (error) {
      this.#isClosed = true;
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.();
    this.#current?.close();
    this.#current = undefined;
  }

  /** Ends the connection and opens another. */
  renew(): void {
    const current = this.#current;
    if (!current) return;
    current.close();
    this.#end(current);
  }

  async #connect(): Promise<void> {
    const { timeout, resolve, prepare, opened } = this.#options;
    const server = await resolve();
    let isGone = false;
    const connection: RedisConnection = await connectRedis(server, {
      timeout,
      onEnd: () => {
        isGone = true;
        if (connection === this.#current) this.#end(connection);
      },
    });
    try {
      await withDeadline(prepare(connection), 4 * timeout, "Redis did not respond in time");
    } catch (error) {
      connection.close();
      throw error;
    }
    if (this.#isClosed || isGone) {
      connection.close();
      throw new Error("The connection to Redis ended while it was opened");
    }
    this.#current = connection;
    this.#attempts = 0;
    opened();
  }

  #end(connection: RedisConnection): void {
    if (connection !== this.#current) return;
    this.#current = undefined;
    this.#options.lost();
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    const delay = Math.min(50 * 2 ** this.#attempts, 500) + Math.random() * 50;
    this.#attempts += 1;
    this.#timer = startTimer(delay, () => {
      this.#connect().catch((error: unknown) => {
        this.#options.failed(error);
        this.#retryLater();
      });
    });
  }
}
