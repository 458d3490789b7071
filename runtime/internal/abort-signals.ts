/**
 * Aborts a controller as soon as one of the signals is aborted. Returns a function to remove the listeners, for signals that outlive their use.
 *
 * Replaces `AbortSignal.any`: Node 20 keeps a signal created by it for as long as the signal has a listener, and the listener keeps everything it
 * references.
 */
export function followSignals(controller: AbortController, signals: readonly (AbortSignal | undefined)[]): () => void {
  const follows = signals.map((signal) => signal && follow(controller, signal));
  return () => follows.forEach((leave) => leave?.());
}

function follow(controller: AbortController, signal: AbortSignal): () => void {
  const abort = (): void => controller.abort(signal.reason);
  if (!signal.aborted) return onAbort(signal, abort);
  abort();
  return () => {};
}

/**
 * Calls a function when a signal is aborted, which it is not yet. Returns a function to remove it. The signal gets one listener for all such
 * functions: adding a listener takes time for each existing one, and Node.js warns of more than ten.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const known = actionsOf.get(signal) ?? new AbortActions(signal);
  actionsOf.set(signal, known);
  return known.add(run);
}

/** Functions to run when a signal is aborted. */
class AbortActions {
  readonly #signal: AbortSignal;
  readonly #actions = new Set<() => void>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(run: () => void): () => void {
    if (this.#actions.size === 0) this.#signal.addEventListener("abort", this.#runAll);
    this.#actions.add(run);
    return () => {
      this.#actions.delete(run);
      if (this.#actions.size === 0) this.#signal.removeEventListener("abort", this.#runAll);
    };
  }

  /** Runs all functions, even if one of them throws. Its error is uncaught, like the error of a listener. */
  readonly #runAll = (): void => {
    for (const run of this.#actions) {
      try {
        run();
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  };
}

const actionsOf = new WeakMap<AbortSignal, AbortActions>();
