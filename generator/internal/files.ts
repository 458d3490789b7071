import { createHash } from "node:crypto";
import { chmod, readFile, rename, stat } from "node:fs/promises";
import { relative, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { systemCode } from "./user-error.ts";

/** Platform and rename function for `move`. */
export interface MoveOptions {
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
  mover: MoveOptions = { platform: process.platform, rename },
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

/** Gives a file the permissions of the one it will replace, if there is one. */
export async function copyPermissions(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => undefined);
  if (found) await chmod(to, found.mode & 0o777);
}

/** Options for removing a folder. On Windows, another process may have a file open for a moment, so the removal is retried up to 5 times. */
export const wholeFolder: { readonly recursive: true; readonly force: true; readonly maxRetries: number } = {
  recursive: true,
  force: true,
  maxRetries: 5,
};

/**
 * Reads the text of a file named by the user, without a byte order mark. It supports UTF-16, because PowerShell often writes the output of a command
 * in it.
 */
export async function readTextFile(path: string): Promise<string> {
  const bytes = await readFile(path);
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** Reads a text file; `undefined` when there is none. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  });
}

/** Returns a path relative to a folder, with forward slashes. */
export function relativePath(folder: string, path: string): string {
  return relative(folder, path).split(sep).join("/");
}

/** True for a relative path with forward slashes that stays inside its folder. */
export function isInnerPath(path: string): boolean {
  return !path.split("/").includes("..") && !/^\/|^\w:|\\/.test(path);
}

/** True if Windows opens a device under this name, in any folder and with any extension. */
export function isDeviceName(name: string): boolean {
  return /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³]) *(\.|:|$)/i.test(name);
}

/** Returns a file name without its extension. If Windows would open a device with this name, appends a word. */
export function avoidDevice(name: string, word: string): string {
  return isDeviceName(name) ? `${name}-${word}` : name;
}

/** SHA-256 in lower-case hex of a text, with line endings normalised to LF. */
export function hashText(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
}
