import { readFileSync } from "node:fs";

/** True if a process runs. A process that has ended and was not waited for yet does not run. */
export function isAlive(pid: number | undefined): boolean {
  try {
    if (pid === undefined || !process.kill(pid, 0)) return false;
    return process.platform !== "linux" || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
