import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { killTree, signalTree } from "../../../../runtime/transport/stdio/process-tree.ts";

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function start(): ChildProcess {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  children.push(child);
  return child;
}

const ways: readonly (readonly [string, (child: ChildProcess) => void])[] = [
  ["by and by", (child) => signalTree(child, "SIGTERM", "win32")],
  ["at once", (child) => killTree(child, "win32")],
];

test.each(ways)("the first process is ended where Windows' program for trees is missing: %s", async (_, end) => {
  const child = start();
  await once(child, "spawn");
  end(child);
  await once(child, "exit");
  expect(child.signalCode).not.toBeNull();
});

test.each(ways)(
  "a process that has ended is not searched: on Windows its number may be another's by then: %s",
  async (_, end) => {
    const child = start();
    await once(child, "spawn");
    child.kill("SIGKILL");
    await once(child, "exit");
    const kill = vi.spyOn(child, "kill");
    end(child);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(kill).not.toHaveBeenCalled();
  },
);
