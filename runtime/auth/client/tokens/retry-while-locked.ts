import { pause } from "../../../internal/timers.ts";
import { AuthError } from "../errors.ts";

/**
 * Runs a file operation. Windows rejects many operations while another process has the file open, even for reading. On Windows, the operation is
 * retried for about a second.
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
    await pause(wait, undefined);
  }
}

const longestWait = 640;

function isHeld(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["EACCES", "EBUSY", "EPERM"].some((code) => code === error.code);
}

/** Creates an error about a file needed for credentials. */
export function rejectFile(path: string, why: string): AuthError {
  return new AuthError("storage", `${path} ${why}`);
}

/** Returns the system's code of an error, such as `ENOENT`, or `unknown`. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
