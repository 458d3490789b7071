import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import path from "node:path";
import process from "node:process";

/** What a process has to be started with, so that wrappers (npx, shells) and what they started can be ended together. */
export const ownTree: { readonly detached: boolean; readonly windowsHide: boolean } = {
  detached: process.platform !== "win32",
  windowsHide: true,
};

/** Signals a process that was started as the head of its own tree, and everything that it started. Windows knows no signals: all of it is ended there. */
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
    // It is gone already.
  }
}

/** Kills it at once, for a process that ends itself in this moment: what it starts then dies with it on Windows, before it has done anything. */
export function killTree(child: ChildProcess, platform: string = process.platform): void {
  if (platform !== "win32") return signalTree(child, "SIGKILL");
  if (child.pid === undefined || hasEnded(child)) return;
  const { status } = spawnSync(...toEnder(child.pid));
  if (status !== 0) child.kill();
}

/** Where the program that ends trees is refused, or fails, the head of the tree is ended at least. */
function endTree(pid: number, child: ChildProcess): void {
  if (hasEnded(child)) return;
  const ender = spawn(...toEnder(pid));
  ender.once("error", () => child.kill());
  ender.once("exit", (code) => code !== 0 && child.kill());
}

/** A process that has ended names its children no more, and its number may be another's by now. */
function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** By its full path: Windows would look in the working folder first. */
function toEnder(pid: number): [program: string, args: string[], options: { stdio: "ignore"; windowsHide: boolean }] {
  const program = path.win32.join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
  return [program, ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }];
}
