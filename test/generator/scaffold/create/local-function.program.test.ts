import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";
import { emitFiles, linkPackages, writeFiles } from "../../../kit/projects.ts";
import { isAlive } from "../../../kit/programs.ts";

/* `npm run dev` of projects whose functions run elsewhere. */

test.each([
  ["lambda", "SIGTERM"],
  ["vercel", "SIGINT"],
] as const)("`npm run dev` for %s leaves no process behind after %s", async (target, signal) => {
  const folder = temporaryFolder();
  writeFiles(folder, await emitFiles({ selection: { target } }));
  linkPackages(folder, ["esbuild", "@esbuild"]);
  const program = `console.error("process " + process.pid); setInterval(() => {}, 1e6);`;
  writeFiles(folder, [[join("src", "local.ts"), program]]);
  const child = spawn(process.execPath, ["build.js", "--watch"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  await expect.poll(() => log, { interval: 20 }).toMatch(/process \d+/);
  const pid = Number(/process (\d+)/.exec(log)?.[1]);
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
  child.kill(signal);
  await expect.poll(() => isAlive(pid)).toBe(false);
  await expect.poll(() => child.exitCode ?? child.signalCode).not.toBeNull();
});
