import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createNatsEngine } from "../../../cluster/nats/index.ts";
import { createRedisEngine } from "../../../cluster/redis/index.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { StreamAppend } from "../../../cluster/stores/shared-event-store.ts";
import { startNatsCluster } from "../processes/nats-cluster.ts";
import { startSentinels } from "../processes/redis-group.ts";
import { startSentinel, type SentinelProcess } from "../processes/sentinel-process.ts";
import { createRecord, firstNode, key } from "./cluster.ts";

/** Servers of which others replace one that has failed. */
interface ReplacedServers {
  readonly engine: Engine;
  /** Faults, each before the event with this sequence. */
  readonly faults: Readonly<Record<number, () => Promise<void>>>;
}

const keys = [new Uint8Array(32).fill(7)];

const starts: Readonly<Record<string, () => Promise<ReplacedServers>>> = {
  async sentinel() {
    const { url, fail, close } = await startSentinels();
    onTestFinished(close);
    return { engine: createRedisEngine({ url, keys, prefix: "failover" }), faults: { 150: async () => fail?.() } };
  },
  async "nats-cluster"() {
    const servers = await startNatsCluster();
    onTestFinished(servers.close);
    const events = "failover-v1-events";
    return {
      engine: createNatsEngine({ servers: servers.url, replicas: 3, strict: true, keys, prefix: "failover" }),
      faults: {
        75: servers.stepDown,
        150: () => servers.killLeader(events),
        200: servers.restart,
        225: () => servers.killLeader(events),
      },
    };
  },
};

const isSentinel = process.env["SCALE_ENGINE"] === "sentinel";

const start = starts[process.env["SCALE_ENGINE"] ?? "memory"];

test.runIf(start)(
  "events that were stored before a failover are there after it, each once (E1, E2)",
  async () => {
    const { engine, faults } = (await start?.()) ?? expect.unreachable();
    onTestFinished(() => engine.close());
    await engine.open();
    const store = async (sequence: number): Promise<void> => {
      const append: StreamAppend = {
        stream: "first",
        owner: firstNode,
        fence: 0,
        first: sequence,
        data: [`${sequence}`],
      };
      const outcome = await Promise.resolve(engine.events.append(key, append)).catch(() => "unknown");
      if (outcome === "stored") return;
      expect(outcome).toBe("unknown");
      await sleep(100);
      return store(sequence);
    };
    for (let sequence = 0; sequence < 300; sequence += 1) {
      await faults[sequence]?.();
      await store(sequence);
    }
    const found: string[] = [];
    for (let after = -1; after < 299;) {
      const part = await engine.events.read(key, { stream: "first", sequence: after });
      found.push(...(part?.events.map(({ data }) => data) ?? []));
      after = part?.events.at(-1)?.sequence ?? Infinity;
    }
    expect(found).toEqual(Array.from({ length: 300 }, (_, index) => `${index}`));
    expect(engine.status().state).not.toBe("lost");
  },
  120_000,
);

const event = (sequence: number): StreamAppend => ({
  stream: "first",
  owner: firstNode,
  fence: 0,
  first: sequence,
  data: [`${sequence}`],
});

/** Starts servers and an engine with a session, whose stream has one event that a replica has confirmed. */
async function startReplicated(): Promise<{ readonly servers: SentinelProcess; readonly engine: Engine }> {
  const servers = await startSentinel({ settings: { appendonly: "yes" }, downAfter: 10_000 });
  onTestFinished(() => servers.close());
  const engine = createRedisEngine({ url: servers.url, keys: [new Uint8Array(32).fill(7)], prefix: "failover" });
  await engine.open();
  onTestFinished(() => engine.close());
  await engine.sessions.add(createRecord(key.id));
  await engine.events.append(key, event(0));
  return { servers, engine };
}

test.runIf(isSentinel)(
  "a primary whose replicas do not reply returns nothing that would be lost with it, and no negative reply",
  async () => {
    const { servers, engine } = await startReplicated();
    const replicas = await servers.findReplicas();
    const lease = { milliseconds: 60_000, isNew: true };
    await engine.nodes.renew(firstNode, lease);
    await Promise.all(replicas.map((replica) => replica.suspend()));
    const attempts: Readonly<Record<string, () => unknown>> = {
      append: () => engine.events.append(key, event(1)),
      "event that no replica has": () => engine.events.read(key, { stream: "first", sequence: 0 }),
      "unknown stream": () => engine.events.read(key, { stream: "second", sequence: -1 }),
      "unknown session": () => engine.sessions.access({ ...key, id: "another" }, { node: firstNode }),
      "unknown request": () => engine.sessions.findNode(key, 7),
      "unknown task": () => engine.tasks.find({ id: "task", owner: "ada" }),
      lease: () => engine.nodes.renew(firstNode, { ...lease, isNew: false }),
      broadcast: () => engine.nodes.broadcast({ kind: "updated", uris: ["test://a"] }),
    };
    const outcomes = await Promise.all(
      Object.entries(attempts).map(async ([name, attempt]) => [
        name,
        await Promise.resolve().then(attempt).catch(toName),
      ]),
    );
    expect(outcomes).toEqual(Object.keys(attempts).map((name) => [name, EngineError.name]));
    for (const replica of replicas) replica.resume();
    await expect.poll(() => readTexts(engine)).toEqual(["0", "1"]);
  },
  60_000,
);

function toName(error: unknown): string {
  return error instanceof Error ? error.name : "unknown";
}

async function readTexts({ events }: Engine): Promise<readonly string[] | undefined> {
  const part = await Promise.resolve(events.read(key, { stream: "first", sequence: -1 })).catch(() => undefined);
  return part?.events.map(({ data }) => data);
}
