import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { createProgram } from "../../../kit/programs.ts";
import { startRig } from "./rig.ts";

const script = await createProgram(new URL("./loopback-program.ts", import.meta.url));

/** Starts a program that sends one request to a server. It prints the URL of the sign-in, then the status or the error. */
function startProgram(url: string, mode: "wait" | "abort"): { child: ChildProcess; line(): Promise<unknown> } {
  const child = spawn(process.execPath, [script, url, mode], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, line: async () => (await lines.next()).value };
}

describe("the loopback redirect of a program (AC-32)", () => {
  test("a loopback redirect keeps the process alive while a request waits", async () => {
    const rig = await startRig();
    const { child, line } = startProgram(rig.url, "wait");
    const url = String(await line());
    await delay(300);
    expect(child.exitCode).toBeNull();
    const [status] = await Promise.all([line(), fetch(url)]);
    expect(status).toBe("200");
  });

  test("a loopback redirect does not keep the process alive after the last request is aborted", async () => {
    const rig = await startRig();
    const { child, line } = startProgram(rig.url, "abort");
    const exit = once(child, "exit");
    expect(await line()).toContain("/authorize");
    expect(await line()).toBe("AbortError");
    expect(await exit).toEqual([0, null]);
  });
});
