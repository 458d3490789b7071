import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { loadChildProcess } from "./node-modules.ts";

/** Options of `spawn` with which wrappers (npx, shells) and their child processes can be ended together. */
export function ownTree(): { readonly detached: boolean; readonly windowsHide: boolean } {
  return { detached: process.platform !== "win32", windowsHide: true };
}

/**
 * Signals a process and all its descendants. The process has to be started as the head of its own tree. Windows has no signals: the whole tree is
 * ended there.
 */
export function signalTree(
  child: ChildProcess,
  signal: "SIGTERM" | "SIGKILL",
  platform: string = process.platform,
): void {
  if (child.pid === undefined) return;
  if (platform === "win32") return endTree(child.pid, child);
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The process has already ended.
  }
}

/**
 * Kills a process tree synchronously, just before this process exits. A `taskkill` in the background would end with this process on Windows before it
 * takes effect.
 */
export function killTree(child: ChildProcess, platform: string = process.platform): void {
  if (platform !== "win32") return signalTree(child, "SIGKILL");
  if (child.pid === undefined || hasEnded(child)) return;
  const { status } = loadChildProcess().spawnSync(...toEnder(child.pid));
  if (status !== 0) child.kill();
}

/** Ends a process tree on Windows. If `taskkill` cannot be started or fails, at least the head of the tree is ended. */
function endTree(pid: number, child: ChildProcess): void {
  if (hasEnded(child)) return;
  const ender = loadChildProcess().spawn(...toEnder(pid));
  ender.once("error", () => child.kill());
  ender.once("exit", (code) => code !== 0 && child.kill());
}

/** True if a process has ended: its children can no longer be found, and its id may belong to another process by now. */
function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Returns the command to end a tree, with its full path: Windows would search the working folder first. */
function toEnder(pid: number): [program: string, args: string[], options: { stdio: "ignore"; windowsHide: boolean }] {
  const program = path.win32.join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
  return [program, ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }];
}
