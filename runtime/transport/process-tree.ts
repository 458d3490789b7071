import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import process from "node:process";

/** What a process has to be started with, so that wrappers (npx, shells) and what they started can be ended together. */
export const ownTree: { readonly detached: boolean; readonly windowsHide: boolean } = {
  detached: process.platform !== "win32",
  windowsHide: true,
};

/** Signals a process that was started as the head of its own tree, and everything that it started. Windows knows no signals: all of it is ended there. */
export function signalTree(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") return endTree(child.pid, child);
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It is gone already.
  }
}

/** A process that has ended names its children no more. By its full path: Windows would look in the working folder first. */
function endTree(pid: number, { exitCode }: ChildProcess): void {
  if (exitCode !== null) return;
  const program = path.win32.join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
  spawn(program, ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", ignore);
}

function ignore(): void {}
