import { interrupted, interruptedExitCode } from "../../generator/internal/user-error.ts";
import { reportProblem } from "./report.ts";

/**
 * Runs a command until a signal of the system stops it, and returns its exit code. The signals are listened for first: even an early one leaves no
 * started process behind. An error after the signal is no failure.
 */
export function runUntilStopped(run: (stopped: AbortSignal) => Promise<number>): Promise<number> {
  const stop = new AbortController();
  return withSignals(stops, {
    onSignal: () => stop.abort(),
    run: () => run(stop.signal).catch((error: unknown) => (stop.signal.aborted ? 0 : reportProblem(error))),
  });
}

/**
 * Runs a command that a signal of the system interrupts, and returns its exit code. An interruption is a failure, also of a command that completes.
 */
export function runInterruptibly(run: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const interruption = new AbortController();
  return withSignals(interruptions, {
    onSignal: () => interruption.abort(interrupted()),
    run: async () => {
      const code = await run(interruption.signal).catch(reportProblem);
      return interruption.signal.aborted ? interruptedExitCode : code;
    },
  });
}

/** Runs a command that ends with its process at a signal of the system. Returns its exit code. */
export function runUntilExit(run: () => Promise<number>): Promise<number> {
  return withSignals(stops, {
    onSignal: () => process.exit(interruptedExitCode),
    run: () => run().catch(reportProblem),
  });
}

const interruptions: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGBREAK"];

const stops: readonly NodeJS.Signals[] = [...interruptions, "SIGHUP"];

async function withSignals(
  signals: readonly NodeJS.Signals[],
  { onSignal, run }: { readonly onSignal: () => void; readonly run: () => Promise<number> },
): Promise<number> {
  for (const signal of signals) process.once(signal, onSignal);
  try {
    return await run();
  } finally {
    for (const signal of signals) process.removeListener(signal, onSignal);
  }
}

/** Resolves when the command is stopped. */
export function untilStopped(stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopped.aborted) resolve();
    stopped.addEventListener("abort", () => resolve());
  });
}
