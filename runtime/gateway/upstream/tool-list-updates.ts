import { followSignals } from "../../internal/abort-signals.ts";
import { pause } from "../../internal/timers.ts";
import { deliverReport } from "../../jsonrpc/error-report.ts";
import { errorCodes, isPeerError, toError } from "../../jsonrpc/errors.ts";
import { ownRequest } from "./own-request.ts";
import { RetryDelay } from "./retry-delay.ts";
import type { ToolList } from "./tool-list.ts";
import type { UpstreamOptions } from "./upstream.ts";

/** Updates of the list of tools, one after the other. However many changes there are during one, one more follows. */
export class ToolListUpdates {
  /** Resolves when the list has been read for the first time, or the first attempt has failed. */
  readonly firstAttempt: Promise<void>;
  readonly #tools: ToolList;
  readonly #options: Pick<UpstreamOptions, "onError" | "signal">;
  #endFirstAttempt: () => void = () => {};
  #isRunning = false;
  #isOutdated = false;
  #endPause: () => void = () => {};

  constructor(tools: ToolList, options: Pick<UpstreamOptions, "onError" | "signal">) {
    this.#tools = tools;
    this.#options = options;
    this.firstAttempt = new Promise((resolve) => (this.#endFirstAttempt = resolve));
  }

  /** Reads the list. A failure is reported and the attempt repeated; the known tools stay until it succeeds. */
  start(): void {
    this.#isOutdated = true;
    this.#endPause();
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    const { signal, onError } = this.#options;
    const delay = new RetryDelay();
    let isReported = false;
    try {
      while (this.#isOutdated && !signal.aborted) {
        this.#isOutdated = false;
        const reason = await this.#tools.read(ownRequest).then(() => undefined, toError);
        this.#endFirstAttempt();
        if (!reason || signal.aborted) continue;
        // The other features of the server work without the list.
        if (!isReported) deliverReport({ kind: "protocol", error: reason }, { onError });
        isReported = true;
        if (isPeerError(reason) && reason.code === errorCodes.methodNotFound) continue;
        await this.#pause(delay.next());
      }
    } finally {
      // At once: a change from here on begins another run.
      this.#isRunning = false;
      this.#endFirstAttempt();
    }
  }

  /** Waits before another attempt, unless the list changes first. */
  async #pause(milliseconds: number): Promise<void> {
    if (this.#isOutdated) return;
    this.#isOutdated = true;
    const changed = new AbortController();
    const leave = followSignals(changed, [this.#options.signal]);
    this.#endPause = () => changed.abort();
    await pause(milliseconds, undefined, changed.signal).catch(() => {});
    leave();
  }
}
