import { RpcError } from "../../jsonrpc/errors.ts";
import { Semaphore } from "../../jsonrpc/semaphore.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";

/** Function that releases a connection. */
export type Leave = () => void;

/**
 * Limit of the connections to the server that are in use at the same time. A session of a client has one until the session ends. A call
 * without a session has one until its response. Sessions never take all of them, so that calls do not wait for the end of a session.
 */
export class ConnectionLimit {
  readonly #all: Semaphore;
  readonly #sessions: Semaphore;
  readonly #most: number;
  readonly #mostSessions: number;
  readonly #timeout: number;
  /** Called when a connection is needed and all are in use. */
  onFull: () => void = () => {};

  /**
   * @param most - maximum number of connections in use; sessions leave a quarter of them to calls, rounded down but at least one
   * @param inputTimeout - milliseconds to wait for a connection before the request is rejected
   */
  constructor(most: number, inputTimeout: number = 60_000) {
    this.#most = most;
    this.#timeout = inputTimeout;
    this.#mostSessions = most - Math.max(1, Math.floor(most / 4));
    this.#all = new Semaphore(most);
    this.#sessions = new Semaphore(this.#mostSessions);
  }

  /** True if another session can take a connection. */
  get takesSessions(): boolean {
    return this.#sessions.free > 0;
  }

  /** Number of connections that calls without a session may use now. */
  get shareOfCalls(): number {
    return this.#most - (this.#mostSessions - this.#sessions.free);
  }

  /**
   * Takes a connection for a call, as soon as one is free.
   *
   * @throws {RpcError} when no connection becomes free in time
   */
  async enterCall(signal: AbortSignal): Promise<Leave> {
    await this.#enter(signal);
    return () => this.#all.leave();
  }

  /**
   * Takes the connection of a session.
   *
   * @throws {RpcError} when there are too many sessions, or no connection becomes free in time
   */
  async enterSession(signal: AbortSignal): Promise<Leave> {
    if (!this.#sessions.take()) throw tooMany();
    try {
      await this.#enter(signal);
    } catch (error) {
      this.#sessions.leave();
      throw error;
    }
    return () => {
      this.#all.leave();
      this.#sessions.leave();
    };
  }

  /**
   * Takes a further connection of a session, without waiting: the session would wait for itself.
   *
   * @throws {RpcError} when no connection is free
   */
  enterBeside(): Leave {
    if (!this.#all.take()) throw tooMany();
    return () => this.#all.leave();
  }

  async #enter(signal: AbortSignal): Promise<void> {
    if (this.#all.take()) return;
    const late = AbortSignal.timeout(this.#timeout);
    const entering = this.#all.enter(AbortSignal.any([signal, late]));
    this.onFull();
    try {
      await entering;
    } catch (error) {
      throw late.aborted && !signal.aborted ? tooMany() : error;
    }
  }
}

function tooMany(): RpcError {
  const message = `Too many connections to the server; retry in ${retryAfter} s`;
  return new RpcError(rejectionCodes.tooMany, message, { data: { retryAfter } });
}

/** Seconds after which a rejected client should try again. */
const retryAfter = 30;
