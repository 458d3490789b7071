import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../kit/random.ts";
import { describeViolations, findViolations } from "../checker.ts";
import { startCluster, type Cluster } from "../processes/cluster.ts";
import { HistoryLog, type HistoryLine } from "../history.ts";
import { runCalls, type CallTimes } from "./calls.ts";
import { closeSessions, openSessions } from "./sessions.ts";

/*
 * Thousands of sessions with an open stream each, and calls at a steady rate: in quiet, while a node is killed, and while all nodes are ended by SIGTERM
 * and started again: `npm run test:scale -- load --engine redis --sessions 10000 --rate 300 --minutes 1`.
 */

const { SCALE_SEED = "1", SCALE_NODES = "4", SCALE_SESSIONS = "10000", SCALE_RATE = "300" } = process.env;
const size = Number(SCALE_NODES);
const count = Number(SCALE_SESSIONS);
const rate = Number(SCALE_RATE);
const milliseconds = Number(process.env["SCALE_MINUTES"] ?? 1) * 60_000;

/** Descriptors of a process allow for about this many streams through one balancer. */
const sessionsPerBalancer = 5_000;

/** Milliseconds after which the streams of a killed node are open again. */
const mostResumeTime = 5_000;

/** Memory of a node that one session with an open stream may take, in bytes. */
const mostPerSession = 25 * 1024;

/** Memory of Redis that one idle session with an open stream may take, in bytes. */
const mostPerRecord = 4 * 1024;

interface LoadReport {
  readonly quiet: CallTimes;
  readonly killed: CallTimes & { readonly resumeTime: number };
  readonly deployed: CallTimes & { readonly exitCodes: readonly (number | null)[] };
  /** Bytes of a session with an open stream: in the node that has the stream, and in Redis. */
  readonly perSession: { readonly node: number; readonly redis: number };
  readonly violations: string;
}

describe(`${count} sessions with open streams over ${size} nodes, ${rate} calls/s`, () => {
  let cluster: Cluster;
  let report: LoadReport;
  beforeAll(async () => {
    cluster = await startCluster({
      nodes: size,
      engine: "redis",
      fsync: "everysec",
      drainDelay: 1_000,
      retry: mostResumeTime / 6,
      balancers: Math.ceil(count / sessionsPerBalancer),
      maxSessions: 2 * count + 1_000,
    });
    report = await measure(cluster);
    const { violations, ...figures } = report;
    console.log(JSON.stringify({ ...figures, violations: violations.length }));
  }, 3_600_000);
  afterAll(() => cluster?.close());

  it("every call has its response, all events come once and in order", () => {
    expect(report.violations).toBe("");
  });

  it("no call fails in quiet, or while nodes are deployed", () => {
    expect(report.quiet.failures).toEqual([]);
    expect(report.deployed.failures).toEqual([]);
    expect(report.deployed.exitCodes).toEqual(Array.from({ length: size }, () => 0));
  });

  it("99 % of the calls take 60 ms or less", () => {
    expect(report.quiet.p99).toBeLessThanOrEqual(60);
  });

  it("the streams of a node that was killed are open again after 5 s", () => {
    expect(report.killed.resumeTime).toBeLessThanOrEqual(mostResumeTime);
  });

  it("a session takes a bounded part of the memory", () => {
    expect(report.perSession.node).toBeLessThanOrEqual(mostPerSession);
    expect(report.perSession.redis).toBeLessThanOrEqual(mostPerRecord);
  });
});

async function measure(cluster: Cluster): Promise<LoadReport> {
  const log = new HistoryLog();
  const random = createRandom(Number(SCALE_SEED));
  const warm = await openSessions(cluster.urls, { count: 200, log, random });
  await runCalls(warm, { rate, milliseconds: 3_000, random });
  const before = { nodes: await readMemoryOfNodes(cluster), redis: await readMemoryOfRedis(cluster) };
  const sessions = await openSessions(cluster.urls, { count, log, random });
  const after = { nodes: await readMemoryOfNodes(cluster), redis: await readMemoryOfRedis(cluster) };
  const perSession = {
    node: Math.round((after.nodes - before.nodes) / count),
    redis: Math.round((after.redis - before.redis) / count),
  };
  // The client collects what the opening has left behind.
  await sleep(3_000);
  const quiet = await runCalls(sessions, { rate, milliseconds, random });
  const [killed, resumeTime] = await Promise.all([
    runCalls(sessions, { rate: rate / 2, milliseconds: 15_000, random }),
    killNode(cluster, log),
  ]);
  const deploying = deploy(cluster);
  const deployed = await runCalls(sessions, { rate: rate / 2, until: deploying, random });
  const exitCodes = await deploying;
  await closeSessions([...warm, ...sessions]);
  const evidence = { history: log.lines, effects: await cluster.readEffects() };
  const violations = describeViolations(findViolations(evidence, { slack: 5_000 }));
  const errors = violations === "" ? "" : cluster.readErrors().slice(-2_000);
  return {
    quiet,
    killed: { ...killed, resumeTime },
    deployed: { ...deployed, exitCodes },
    perSession,
    violations: `${violations}${errors}`,
  };
}

/** Kills a node and starts it again. Returns the milliseconds until all of its streams are open elsewhere. */
async function killNode(cluster: Cluster, log: HistoryLog): Promise<number> {
  await sleep(2_000);
  const line = { op: "fault", id: "1", client: "nemesis", principal: "", node: "0", value: "kill node" } as const;
  log.add({ phase: "call", ...line });
  const killedAt = Date.now();
  await cluster.kill(0);
  await sleep(8_000);
  await cluster.restart(0);
  log.add({ phase: "return", ...line });
  const resumed = log.lines.filter((found) => found.t >= killedAt && isListenerResumed(found));
  if (resumed.length === 0) throw new Error("No stream was resumed; the node had none");
  return Math.max(...resumed.map(({ t }) => t)) - killedAt;
}

/** Streams of calls are resumed under the keys of the calls. */
function isListenerResumed({ op, phase, id, outcome }: HistoryLine): boolean {
  return op === "resume" && phase === "return" && outcome === "ok" && !id.includes("/");
}

/** Ends and starts all nodes, one after the other. Returns their exit codes. */
async function deploy(cluster: Cluster): Promise<readonly (number | null)[]> {
  const exitCodes: (number | null)[] = [];
  for (let index = 0; index < size; index += 1) {
    await sleep(1_000);
    exitCodes.push(await cluster.terminate(index));
    await cluster.restart(index);
  }
  await sleep(2_000);
  return exitCodes;
}

/** Returns the resident memory of all nodes, in bytes. */
async function readMemoryOfNodes(cluster: Cluster): Promise<number> {
  const texts = await Promise.all(
    Array.from({ length: size }, (_, index) => readFile(`/proc/${cluster.pid(index)}/status`, "utf8")),
  );
  const kilobytes = texts.map((text) => Number(/VmRSS:\s+(\d+) kB/.exec(text)?.[1]));
  return kilobytes.reduce((sum, value) => sum + value, 0) * 1024;
}

/** Returns the memory that the data of Redis takes, in bytes. */
async function readMemoryOfRedis({ engine }: Cluster): Promise<number> {
  if (engine?.kind !== "redis") throw new Error("The cluster has no Redis; start it with the engine redis");
  return Number(/used_memory:(\d+)/.exec(await engine.command("INFO", "memory"))?.[1]);
}
