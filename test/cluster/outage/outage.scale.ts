import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../kit/random.ts";
import { describeViolations, findViolations } from "../checker.ts";
import { startCluster, type Cluster, type EngineProcess } from "../processes/cluster.ts";
import { HistoryLog } from "../history.ts";
import { runCalls } from "../load/calls.ts";
import { closeSessions, openSessions, type LoadSession } from "../load/sessions.ts";
import { MemoryWatch } from "./memory.ts";

/*
 * Nodes without their engine for some seconds, while clients call at a steady rate and handlers send messages without waiting for them:
 * `npm run test:scale -- outage --engine redis`.
 */

const { SCALE_ENGINE = "memory", SCALE_SEED = "1" } = process.env;

/** Bytes by which the memory of a node may grow while its engine is away. */
const mostGrowth = 10 * 1024 * 1024;

/** Bytes of the messages that may wait in a node, and of their copies in commands that fail, which the next collection removes. */
const mostWaiting = 3 * 16 * 1024 * 1024;

describe.runIf(SCALE_ENGINE === "redis" || SCALE_ENGINE === "nats")("outage of the engine", () => {
  let cluster: Cluster;
  let engine: EngineProcess;
  const log = new HistoryLog();
  const random = createRandom(Number(SCALE_SEED));
  let sessions: readonly LoadSession[];
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2, engine: SCALE_ENGINE === "nats" ? "nats" : "redis" });
    if (!cluster.engine || cluster.engine.kind === "sentinel") throw new Error("The engine is not one server");
    engine = cluster.engine;
    sessions = await openSessions(cluster.urls, { count: 100, log, random });
    await runCalls(sessions, { rate: 100, milliseconds: 8_000, random });
  }, 120_000);
  afterAll(() => cluster?.close());

  /** Ends the engine for some seconds, and starts it again. Returns the growth of the memory of each node until then, in bytes. */
  const loseEngine = async (milliseconds: number): Promise<readonly number[]> => {
    const watch = new MemoryWatch(cluster);
    watch.start();
    await sleep(3_000);
    const before = watch.takeHighest();
    const line = {
      op: "fault",
      id: String(log.lines.length),
      client: "nemesis",
      principal: "",
      node: "engine",
      value: "kill engine",
    } as const;
    log.add({ phase: "call", ...line });
    await engine.kill();
    await sleep(milliseconds);
    const during = watch.takeHighest();
    await engine.restart();
    for (let node = 0; node < cluster.size; node += 1)
      await expect.poll(() => readReady(cluster.nodeUrl(node))).toContain('"status":"ok"');
    log.add({ phase: "return", ...line });
    await watch.stop();
    return during.map((bytes, index) => bytes - (before[index] ?? 0));
  };

  it("the memory of the nodes stays as it is, and requests are rejected in time", async () => {
    const losing = loseEngine(8_000);
    const { calls, failures } = await runCalls(sessions, { rate: 100, until: losing, random });
    const growth = await losing;
    console.log(JSON.stringify({ calls, failures: failures.length, growth: growth.map(toMebibytes) }));
    expect(failures.length).toBeGreaterThan(0);
    for (const bytes of growth) expect(bytes).toBeLessThanOrEqual(mostGrowth);
  });

  it("handlers that do not wait for their messages take a bounded part of the memory", async () => {
    // 30 handlers send 8 MiB each.
    const floods = sessions
      .slice(0, 30)
      .map(({ client }) => client.call("flood", { n: 512, size: 16_384, milliseconds: 6_000 }));
    const growth = await loseEngine(8_000);
    console.log(JSON.stringify({ floods: floods.length, growth: growth.map(toMebibytes) }));
    const responses = await Promise.all(floods);
    expect(responses.filter((response) => response?.result === undefined)).toEqual([]);
    for (const bytes of growth) expect(bytes).toBeLessThanOrEqual(mostWaiting + mostGrowth);
  });

  it("no promise is forgotten, and everything that was acknowledged is there", async () => {
    const { failures } = await runCalls(sessions, { rate: 50, milliseconds: 2_000, random });
    expect(failures).toEqual([]);
    await closeSessions(sessions);
    const evidence = { history: log.lines, effects: await cluster.readEffects() };
    expect(describeViolations(findViolations(evidence, { slack: 1_500 }))).toBe("");
  });
});

/** Returns what a node responds to a probe. */
async function readReady(url: string): Promise<string> {
  return (await fetch(new URL("/ready", url))).text();
}

function toMebibytes(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 10) / 10;
}
