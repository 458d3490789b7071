import type { RequestRow } from "../../../generated/support.ts";
import { followSignals } from "../../internal/abort-signals.ts";
import type { SharedPromise } from "../../internal/shared-promise.ts";
import { systemClock, type Clock } from "../../internal/timers.ts";
import { ClosedError, TimeoutError, isClosedError } from "../../jsonrpc/errors.ts";
import { totalTimeoutOf, type Timeouts } from "../../jsonrpc/limits.ts";
import { noOptions, type RequestOptions } from "../../protocol/peer/incoming-call.ts";

/** Call whose limits apply. */
export interface LimitedCall {
  /** Row of the request; absent for a message without a timeout. */
  readonly row?: RequestRow | undefined;
  readonly options?: RequestOptions;
}

/** Signal and timeouts of one call, which apply while it waits for a connection as well. */
export class CallLimits {
  readonly options: RequestOptions;
  /** True if an earlier attempt may have reached the server. */
  mayBeSent = false;
  readonly #row: RequestRow | undefined;
  readonly #clock: Clock;
  readonly #total: number;
  readonly #startedAt: number;

  constructor(
    { row, options = noOptions }: LimitedCall,
    { clock = systemClock, timeouts }: { readonly clock: Clock | undefined; readonly timeouts: Timeouts },
  ) {
    this.options = options;
    this.#row = row;
    this.#clock = clock;
    this.#total = row ? (options.totalTimeout ?? totalTimeoutOf(row, timeouts)) : Infinity;
    this.#startedAt = clock.now();
  }

  /** Options for the request when it is sent now: earlier waits and attempts count toward the total timeout. */
  get remaining(): RequestOptions {
    return this.#total === Infinity ? this.options : { ...this.options, totalTimeout: this.remainingTotal };
  }

  /** Milliseconds left of the total timeout. */
  get remainingTotal(): number {
    return Math.max(0, Math.ceil(this.#startedAt + this.#total - this.#clock.now()));
  }

  /** Returns the error of a wait for a connection. It says if nothing of the call was sent. */
  mark(error: unknown): unknown {
    if (this.mayBeSent || !isClosedError(error)) return error;
    return new ClosedError(error.message, { cause: error.cause, unsent: true });
  }

  /**
   * Waits for a promise, such as the one of the next connection.
   *
   * @throws {TimeoutError} when a timeout of the call expires first
   * @throws {unknown} when the signal of the call is aborted first: its reason
   */
  async wait<Value>(awaited: SharedPromise<Value>): Promise<Value> {
    const { signal, timeout = Infinity } = this.options;
    const total = this.remainingTotal;
    const limit = Math.min(timeout, total);
    if (!this.#row || limit === Infinity) return awaited.wait(signal);
    const error = new TimeoutError(this.#row.method, timeout < total ? timeout : this.#total);
    const controller = new AbortController();
    const leave = followSignals(controller, [signal]);
    const cancel = this.#clock.after(limit, () => controller.abort(error));
    // The process does not end silently while the call is pending.
    cancel.hold?.();
    try {
      return await awaited.wait(controller.signal);
    } finally {
      leave();
      cancel();
    }
  }
}
