import { rename } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { systemCode } from "./user-error.ts";

/** What moves, and where. */
export interface Mover {
  readonly platform: string;
  readonly rename: (from: string, to: string) => Promise<void>;
}

/**
 * Renames a file or a folder. Windows refuses that as long as anybody has it open, or something in it, as editors and virus scanners do for
 * moments: there it is tried again for a second.
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

/** How a folder is removed: Windows holds what somebody has open for a moment. */
export const wholeFolder: { readonly recursive: true; readonly force: true; readonly maxRetries: number } = {
  recursive: true,
  force: true,
  maxRetries: 5,
};
