import { timeoutSignal } from "../../internal/timers.ts";
import { RpcError, toError } from "../../jsonrpc/errors.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import { Shares } from "../../stores/shares.ts";

/** Releases a connection. */
export type Leave = () => void;

/** Authenticated principal that needs a connection; `undefined` if clients are not authenticated. */
type Holder = string | undefined;

interface Waiting {
  readonly holder: Holder;
  admit(): void;
}

/**
 * Limit of the connections to the server in use at the same time. A session of a client has one until the session ends. A call without a session has
 * one until its response. Sessions never take all of them: otherwise, calls would wait for the end of a session. Each principal has its share of
 * them.
 */
export class ConnectionLimit {
  /** Maximum number of connections in use. */
  readonly most: number;
  readonly #all: Shares;
  readonly #sessions: Shares;
  readonly #mostSessions: number;
  readonly #timeout: number;
  /** Calls without a connection so far, in order of arrival. */
  readonly #waiting = new Set<Waiting>();
  readonly #onFull: (holder: Holder) => void;

  /**
   * @param most - maximum number of connections in use; sessions leave a quarter of them to calls, rounded down but at least one
   * @param options - `timeout`: milliseconds to wait for a connection before the request is rejected; `onFull`: called when a principal needs a
   *   connection and all of its share are in use
   */
  constructor(most: number, options: { readonly timeout?: number; readonly onFull?: (holder: Holder) => void } = {}) {
    const { timeout = 60_000, onFull = () => {} } = options;
    this.most = most;
    this.#timeout = timeout;
    this.#onFull = onFull;
    this.#mostSessions = most - Math.max(1, Math.floor(most / 4));
    this.#all = new Shares(most);
    this.#sessions = new Shares(this.#mostSessions);
  }

  /** True if another session of a principal can take a connection. */
  takesSessions(holder: Holder): boolean {
    return this.#sessions.roomFor(holder) >= 1;
  }

  /** Number of connections for calls without a session at the moment. */
  get shareOfCalls(): number {
    return this.most - this.#sessions.total;
  }

  /** Returns the number of connections a principal uses. */
  held(holder: Holder): number {
    return this.#all.held(holder);
  }

  /**
   * Takes a connection for a call, as soon as one is free.
   *
   * @throws {RpcError} when no connection becomes free in time
   */
  async enterCall(signal: AbortSignal, holder: Holder): Promise<Leave> {
    await this.#enter(signal, holder);
    return () => this.#leave(holder);
  }

  /**
   * Takes the connection of a session.
   *
   * @throws {RpcError} when there are too many sessions, or no connection becomes free in time
   */
  async enterSession(signal: AbortSignal, holder: Holder): Promise<Leave> {
    if (!this.takesSessions(holder)) throw tooMany();
    this.#sessions.change(holder, 1);
    try {
      await this.#enter(signal, holder);
    } catch (error) {
      this.#sessions.change(holder, -1);
      throw error;
    }
    return () => {
      this.#sessions.change(holder, -1);
      this.#leave(holder);
    };
  }

  /**
   * Takes a further connection of a session, without waiting: the session would wait for itself.
   *
   * @throws {RpcError} when no connection is free
   */
  enterBeside(holder: Holder): Leave {
    if (!this.#take(holder)) throw tooMany();
    return () => this.#leave(holder);
  }

  async #enter(signal: AbortSignal, holder: Holder): Promise<void> {
    signal.throwIfAborted();
    if (this.#take(holder)) return;
    const late = timeoutSignal(this.#timeout);
    const entering = this.#wait(AbortSignal.any([signal, late]), holder);
    this.#onFull(holder);
    try {
      await entering;
    } catch (error) {
      throw late.aborted && !signal.aborted ? tooMany() : error;
    }
  }

  #take(holder: Holder): boolean {
    if (this.#all.roomFor(holder) < 1) return false;
    this.#all.change(holder, 1);
    return true;
  }

  #wait(signal: AbortSignal, holder: Holder): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(waiting);
        reject(toError(signal.reason));
      };
      const admit = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const waiting: Waiting = { holder, admit };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Releases a connection, and admits the calls for which there is one now. */
  #leave(holder: Holder): void {
    this.#all.change(holder, -1);
    for (const waiting of this.#waiting) {
      if (!this.#take(waiting.holder)) continue;
      this.#waiting.delete(waiting);
      waiting.admit();
    }
  }
}

function tooMany(): RpcError {
  const message = `Too many connections to the server; retry in ${retryAfter} s`;
  return new RpcError(rejectionCodes.tooMany, message, { data: { retryAfter } });
}

/** Seconds after which a rejected client should try again. */
const retryAfter = 30;
