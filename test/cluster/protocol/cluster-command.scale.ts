import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "../client/client.ts";
import { startRedis, type RedisProcess } from "../processes/redis-process.ts";
import { HistoryLog } from "../history.ts";
import { isAlive } from "../../kit/programs.ts";

const root = join(import.meta.dirname, "../../..");
const program = ["--import", "tsx", join(root, "test/cluster/processes/main.ts")];

interface Ready {
  readonly url: string;
  readonly nodes: readonly { readonly pid: number; readonly url: string }[];
}

async function start(args: readonly string[]): Promise<{ readonly child: ChildProcess; readonly ready: Ready }> {
  const child = spawn(process.execPath, [...program, ...args], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGTERM"));
  for await (const line of createInterface(child.stdout)) return { child, ready: JSON.parse(line) };
  throw new Error("The command has ended without a line");
}

describe.runIf(process.env["SCALE_ENGINE"] === "redis")("npm run cluster with Redis", () => {
  let redis: RedisProcess;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  it("sends each request of a session to the next node, starts nodes again, and ends all processes", async () => {
    const { child, ready } = await start(["--engine", redis.url, "--nodes", "3"]);
    const log = new HistoryLog();
    const client = await openClient({ url: ready.url, name: "c", principal: "alice", log, random: () => 0.5 });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    for (let id = 1; id <= 3; id++) {
      const response = await client.send({ method: "POST", message: { ...list, id } });
      expect(response?.status).toBe(200);
    }

    const [first] = ready.nodes;
    process.kill(first?.pid ?? 0, "SIGKILL");
    // A node that is ending may still accept a request that it does not respond to.
    await expect.poll(() => isAlive(first?.pid)).toBe(false);
    for (let id = 4; id <= 9; id++) {
      const response = await client.send({ method: "POST", message: { ...list, id } });
      expect(response?.status).toBe(200);
    }

    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    expect(ready.nodes.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });
});
