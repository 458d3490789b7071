import { isObject, type Revision } from "../../../generated/support.ts";
import { ClosedError, VersionError, isClosedError, isPeerError, toError } from "../../jsonrpc/errors.ts";
import type { Profile } from "../../protocol/profile.ts";
import { SharedPromise } from "../../internal/shared-promise.ts";
import { pause, type Clock } from "../../internal/timers.ts";
import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import type { Timeouts } from "../../jsonrpc/limits.ts";
import { toDelay, toReconnection, type Reconnection } from "../../transport/http-client/reconnect-delay.ts";
import { isLostError, isSessionExpiredError } from "../../transport/http-client/errors.ts";
import { sendWithRetry } from "../../transport/http-client/retry-rejected.ts";
import type { ClientConnection } from "../connect.ts";
import type { ClientEvent } from "../events.ts";
import type { ReconnectOptions, Retry } from "../options.ts";
import { CallLimits, type LimitedCall } from "./call-limits.ts";

/** Client of a reconnecting connection. */
export interface ReconnectingConnectionHost {
  /** Opens a connection; the signal aborts the attempt. */
  open(signal: AbortSignal): Promise<ClientConnection>;
  /** Called with each new connection before any call uses it. */
  adopt(connection: ClientConnection, history: { readonly isFirst: boolean }): void;
  notify(event: ClientEvent): void;
}

/** Delays and rejections after which a connection is opened again. */
export interface ReconnectingConnectionOptions {
  readonly reconnect: ReconnectOptions | undefined;
  readonly clock: Clock | undefined;
  readonly timeouts: Timeouts;
  /** Decides which rejections are temporary. */
  readonly profile: Profile | undefined;
  /** Revisions of the client. A server without the negotiated one rejects it with the code of its own revision. */
  readonly revisions: readonly Revision[];
}

/** Sends a call on a connection, with the options left for it. */
export type SendCall<Result> = (connection: ClientConnection, options: RequestOptions) => Promise<Result>;

/** Retries and limits of one call. */
export interface CallRunOptions extends LimitedCall {
  readonly retry: Retry;
}

/** Connection with a replacement after each loss. Calls in between wait for the next connection. */
export class ReconnectingConnection {
  readonly closed: Promise<Error | undefined>;
  readonly #host: ReconnectingConnectionHost;
  readonly #clock: Clock | undefined;
  readonly #reconnection: (Reconnection & { readonly stableAfter: number }) | undefined;
  readonly #options: ReconnectingConnectionOptions;
  readonly #end = new AbortController();
  #last: ClientConnection | undefined;
  #isUp = false;
  #isFinished = false;
  #openedAt = 0;
  #failedAttempts = 0;
  #next: SharedPromise<ClientConnection> | undefined;
  #closing: Promise<void> | undefined;
  #resolveClosed: (reason: Error | undefined) => void = () => {};

  constructor(host: ReconnectingConnectionHost, options: ReconnectingConnectionOptions) {
    const { reconnect, clock } = options;
    this.#host = host;
    this.#options = options;
    this.#clock = clock;
    this.#reconnection = reconnect && { ...toReconnection(reconnect), stableAfter: reconnect.stableAfter ?? 10_000 };
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
  }

  /** Opens the first connection; rejects if this fails. */
  async start(): Promise<void> {
    await this.#open({ isFirst: true });
  }

  /**
   * Current connection, or the last one if it is lost.
   *
   * @throws {ClosedError} when there has been no connection yet
   */
  get last(): ClientConnection {
    if (!this.#last) throw new ClosedError("The client is not connected yet", { unsent: true });
    return this.#last;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** True if there has been a connection. */
  get hasOpened(): boolean {
    return this.#last !== undefined;
  }

  get isEnded(): boolean {
    return this.#end.signal.aborted;
  }

  /** Runs a call on the connection, immediately if there is one. A call with a temporary rejection runs again as the profile says. */
  run<Result>(call: SendCall<Result>, options: CallRunOptions): Promise<Result> {
    const { reconnect, profile, clock } = this.#options;
    const { retry } = options;
    const limits = new CallLimits(options, this.#options);
    if (!profile?.readRetry) return this.#run(call, limits, retry);
    const end = this.#end.signal;
    const { signal } = limits.options;
    return sendWithRetry(() => this.#run(call, limits, retry), {
      reconnection: toReconnection(reconnect),
      signal: signal ? AbortSignal.any([signal, end]) : end,
      clock,
      readDelay: (error) => {
        limits.mayBeSent = true;
        const delay = this.#readDelay(error, retry);
        return delay !== undefined && delay < limits.remainingTotal ? delay : undefined;
      },
    });
  }

  /** Returns the milliseconds after which a call may run again. Profiles apply to sessions only. */
  #readDelay(error: unknown, retry: Retry): number | undefined {
    if (!isPeerError(error) || this.#last?.revision.lifecycle !== "handshake") return undefined;
    const { code, message, data } = error;
    const advice = this.#options.profile?.readRetry?.({ code, message, data });
    return advice?.isBeforeWork || retry === "safe" ? advice?.delay : undefined;
  }

  /** Repeats an interrupted call once if it is safe or was never sent. */
  #run<Result>(call: SendCall<Result>, limits: CallLimits, retry: Retry): Promise<Result> {
    let used = this.#isUp ? this.#last : undefined;
    const first = used;
    const send = async (): Promise<Result> => {
      const ready = await limits.wait(this.#ready()).catch((error: unknown): never => {
        throw limits.mark(error);
      });
      return call((used = ready), limits.remaining);
    };
    const outcome = first ? call(first, limits.remaining) : send();
    if (!this.#reconnection) return outcome;
    return outcome.catch(async (error: unknown) => {
      if (used && isOutdated(error, used.revision, this.#options.revisions)) this.drop(used, toError(error));
      else if (!isCut(error, retry)) throw error;
      if (this.isEnded) throw error;
      if (first && isClosedError(error)) await limits.wait(new SharedPromise(first.closed));
      limits.mayBeSent ||= !isClosedError(error) || !error.unsent;
      return send();
    });
  }

  /** Drops a connection which turned out to be dead although it is open. */
  drop(connection: ClientConnection, reason: Error): void {
    void connection.close();
    this.#lose(connection, reason);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #ready(): SharedPromise<ClientConnection> {
    if (this.#isUp && this.#last) return new SharedPromise(Promise.resolve(this.#last));
    return this.#next ?? new SharedPromise(Promise.reject(new ClosedError("The session is closed")));
  }

  #adopt(connection: ClientConnection, history: { readonly isFirst: boolean }): void {
    this.#last = connection;
    this.#isUp = true;
    this.#openedAt = this.#now();
    this.#next = undefined;
    void connection.closed.then((reason) => this.#lose(connection, reason));
    this.#host.adopt(connection, history);
  }

  #lose(connection: ClientConnection, reason: Error | undefined): void {
    if (connection !== this.#last || !this.#isUp) return;
    this.#isUp = false;
    if (this.isEnded) return this.#finish(undefined);
    this.#host.notify({ kind: "disconnected", reason });
    if (!this.#reconnection) return this.#finish(reason);
    if (this.#now() - this.#openedAt >= this.#reconnection.stableAfter) this.#failedAttempts = 0;
    const next = this.#reconnect(connection, this.#reconnection);
    this.#next = new SharedPromise(next);
    next.catch((error: unknown) => this.#finish(this.isEnded ? undefined : toError(error)));
  }

  /** Opens the next connection after the old one has ended: two servers of one client could interfere with each other. */
  async #reconnect(old: ClientConnection, reconnection: Reconnection): Promise<ClientConnection> {
    const { signal } = this.#end;
    await old.closed;
    for (let failure: unknown; ;) {
      if (this.#failedAttempts >= reconnection.attempts) throw giveUp(this.#failedAttempts, failure);
      const delay = toDelay(this.#failedAttempts, { retry: undefined, reconnection });
      this.#failedAttempts += 1;
      const attempt = this.#failedAttempts;
      this.#host.notify({ kind: "reconnecting", attempt, delay });
      await pause(delay, this.#clock, signal);
      try {
        return await this.#open({ isFirst: false });
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        failure = error;
        this.#host.notify({ kind: "reconnectFailed", attempt, error: toError(error) });
        if (error instanceof VersionError) throw giveUp(attempt, error);
      }
    }
  }

  async #open(history: { readonly isFirst: boolean }): Promise<ClientConnection> {
    const { signal } = this.#end;
    const connection = await this.#host.open(signal);
    if (signal.aborted) {
      await connection.close();
      throw signal.reason;
    }
    this.#adopt(connection, history);
    return connection;
  }

  async #close(): Promise<void> {
    this.#end.abort(new ClosedError("The session was closed"));
    await this.#last?.close();
    await this.#next?.wait().catch(() => {});
    this.#finish(undefined);
  }

  #finish(reason: Error | undefined): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    if (!this.isEnded) this.#end.abort(new ClosedError("The session is closed", { cause: reason }));
    this.#next = undefined;
    this.#resolveClosed(reason);
    this.#host.notify({ kind: "closed", reason });
  }

  #now(): number {
    return this.#clock?.now() ?? performance.now();
  }
}

/** True if the server no longer supports the negotiated revision. It has not handled the request, so another revision can be negotiated. */
function isOutdated(error: unknown, negotiated: Revision, revisions: readonly Revision[]): boolean {
  if (!isPeerError(error)) return false;
  const hasCode = ({ errors }: Revision): boolean => errors.unsupportedProtocolVersion?.code === error.code;
  // The code of another revision may mean something else at the negotiated one.
  return (
    hasCode(negotiated) || (isObject(error.data) && Array.isArray(error.data.supported) && revisions.some(hasCode))
  );
}

/** True if a call failed because its connection, or its response stream, was cut, and may be sent again. */
function isCut(error: unknown, retry: Retry): boolean {
  if (retry === "never") return isClosedError(error) && error.unsent;
  return isClosedError(error) || isLostError(error) || isSessionExpiredError(error);
}

function giveUp(attempts: number, cause: unknown): ClosedError {
  return new ClosedError(`The connection is lost after ${attempts} failed attempts to reconnect; connect again`, {
    cause,
  });
}
