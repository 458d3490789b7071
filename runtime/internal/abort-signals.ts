/**
 * Aborts a controller as soon as one of the signals is aborted. Returns a function that removes the listeners, for signals that outlive their use.
 *
 * Replaces `AbortSignal.any`: Node 20 keeps a signal created by it for as long as the signal has a listener, and the listener keeps everything that
 * it references.
 */
export function followSignals(controller: AbortController, signals: readonly (AbortSignal | undefined)[]): () => void {
  const follows = signals.map((signal) => signal && follow(controller, signal));
  return () => follows.forEach((leave) => leave?.());
}

function follow(controller: AbortController, signal: AbortSignal): () => void {
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return () => signal.removeEventListener("abort", abort);
}
