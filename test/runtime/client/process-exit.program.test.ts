import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { createProgram } from "../../kit/programs.ts";

const script = await createProgram(new URL("./process-exit-client.ts", import.meta.url));

function run(...args: readonly string[]): Promise<{ readonly code: unknown; readonly stdout: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { timeout: 100_000 }, (error, stdout) =>
      resolve({ code: error?.code ?? error?.signal ?? 0, stdout }),
    );
  });
}

test("a program whose only call gets no response runs until the call has timed out", async () => {
  expect(await run("silent", "300")).toEqual({ code: 0, stdout: "TimeoutError" });
});

test("a program whose call got a response exits before the time-out", async () => {
  expect(await run("quick")).toEqual({ code: 0, stdout: "answered" });
});
