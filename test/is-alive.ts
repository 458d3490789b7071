import { readFileSync } from "node:fs";

/**
 * True if any thread of a process runs: its ports are open until the last one has ended, and after SIGKILL the first thread often ends before the
 * others. A process that has ended and was not waited for yet does not run.
 */
export function isAlive(pid: number | undefined): boolean {
  try {
    if (pid === undefined || !process.kill(pid, 0)) return false;
    return (
      process.platform !== "linux" ||
      !/^State:\s+Z[^]*^Threads:\s+[01]$/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
    );
  } catch {
    return false;
  }
}
