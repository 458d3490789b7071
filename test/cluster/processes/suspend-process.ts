import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** Suspends a process, and resolves when all of its threads have stopped: on a busy machine some still work for a while. */
export async function suspendProcess(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  const tasks = `/proc/${pid}/task`;
  // Other systems than Linux do not list threads.
  if (!existsSync(tasks)) return sleep(50);
  while (!(await areStopped(tasks))) await sleep(5);
}

async function areStopped(tasks: string): Promise<boolean> {
  const names = await readdir(tasks);
  const states = names.map(async (name) => {
    const stat = await readFile(`${tasks}/${name}/stat`, "utf8").catch(() => "");
    return /\) (\w)/.exec(stat)?.[1] ?? "T";
  });
  return (await Promise.all(states)).every((state) => state === "T");
}
