import { setTimeout as delay } from "node:timers/promises";
import { AuthError } from "./errors.ts";

/**
 * Does something with a file. Windows refuses much of it as long as another has the file open, if only to look at it: there it is tried again
 * for a second.
 */
export async function retryWhileLocked<Result>(
  task: () => Promise<Result>,
  platform: string = process.platform,
): Promise<Result> {
  for (let wait = 10; ; wait *= 2) {
    try {
      return await task();
    } catch (error) {
      if (platform !== "win32" || wait > longestWait || !isHeld(error)) throw error;
    }
    await delay(wait);
  }
}

const longestWait = 640;

function isHeld(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["EACCES", "EBUSY", "EPERM"].some((code) => code === error.code);
}

/** What is wrong with a file that credentials need. */
export function refuseFile(path: string, why: string): AuthError {
  return new AuthError("storage", `${path} ${why}`);
}

/** What the system calls a failure. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
