import { setTimeout as delay } from "node:timers/promises";

/**
 * Does something with a file. Windows refuses much of it as long as another has the file open, if only to look at it: there it is tried again
 * for a second.
 */
export async function onceFree<Result>(
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
