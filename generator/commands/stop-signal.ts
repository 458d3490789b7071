import { reportProblem } from "./report.ts";

/**
 * Runs a command that a signal of the system stops, and returns its exit code. The signals are listened for first, so that an early one leaves no
 * started process behind. What fails because of the stop is no failure.
 */
export async function runUntilStopped(run: (stopped: AbortSignal) => Promise<number>): Promise<number> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  for (const signal of stopSignals) process.once(signal, onSignal);
  try {
    return await run(stop.signal);
  } catch (error) {
    return stop.signal.aborted ? 0 : reportProblem(error);
  } finally {
    for (const signal of stopSignals) process.removeListener(signal, onSignal);
  }
}

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

/** Resolves when the command is stopped. */
export function untilStopped(stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopped.aborted) resolve();
    stopped.addEventListener("abort", () => resolve());
  });
}
