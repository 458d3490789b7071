import { spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAlive } from "./programs.ts";

/** Server with threads that take a while to end. */
const program = `
  const { Worker } = require("node:worker_threads");
  for (let index = 0; index < 8; index++) new Worker("setInterval(() => undefined, 1000)", { eval: true });
  const server = require("node:net").createServer().listen(0, "127.0.0.1");
  server.once("listening", () => setTimeout(() => console.log(server.address().port), 100));
`;

/** Waits without a turn of the event loop, in which the end of the process would be noticed. */
function waitForEnd(pid: number | undefined): void {
  const deadline = Date.now() + 60_000;
  while (isAlive(pid)) if (Date.now() > deadline) throw new Error(`Process ${pid} has not ended within 60 s`);
}

describe.runIf(process.platform === "linux")("a process that was killed and not waited for", () => {
  it("does not run once its ports are closed", async () => {
    const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [port] = await once(child.stdout, "data");
    expect(isAlive(child.pid)).toBe(true);

    child.kill("SIGKILL");
    waitForEnd(child.pid);

    const socket = createConnection(Number(port), "127.0.0.1");
    await expect(once(socket, "connect")).rejects.toThrow("ECONNREFUSED");
  });
});
