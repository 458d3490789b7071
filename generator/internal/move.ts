import { rename } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { systemCode } from "./user-error.ts";

/** Platform and rename function that `move` uses. */
export interface Mover {
  readonly platform: string;
  readonly rename: (from: string, to: string) => Promise<void>;
}

/**
 * Renames a file or a folder. Windows rejects this while another process has the file, or a file in the folder, open, as editors and virus scanners
 * do for moments. On Windows, the operation is retried for about a second.
 */
export async function move(
  from: string,
  to: string,
  mover: Mover = { platform: process.platform, rename },
): Promise<void> {
  for (let wait = 10; ; wait *= 2) {
    try {
      return await mover.rename(from, to);
    } catch (error) {
      const isHeld = mover.platform === "win32" && held.includes(systemCode(error) ?? "");
      if (!isHeld || wait > longestWait) throw error;
    }
    await delay(wait);
  }
}

const held: readonly string[] = ["EACCES", "EBUSY", "EPERM"];

const longestWait = 640;

/** Options for removing a folder. On Windows, another process may have a file open for a moment, so the removal is retried up to 5 times. */
export const wholeFolder: { readonly recursive: true; readonly force: true; readonly maxRetries: number } = {
  recursive: true,
  force: true,
  maxRetries: 5,
};
