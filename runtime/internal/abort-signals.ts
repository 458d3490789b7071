/**
 * Aborts a controller as soon as one of the signals is aborted; what is returned lets go of them, where they outlive it.
 *
 * In place of `AbortSignal.any`: Node 20 never forgets a signal from there once somebody has listened to it who does not stop listening, and
 * with the listener it keeps all that the listener knows.
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
