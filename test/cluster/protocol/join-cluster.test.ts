import { describe, expect, onTestFinished, test } from "vitest";
import { joinCluster } from "../../../cluster/cluster.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { NodeReceiver } from "../../../cluster/stores/node-directory.ts";
import { SetupError } from "../../../runtime/jsonrpc/errors.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { override } from "../../kit/override.ts";

const rate = { burst: 1, perSecond: 0.001 };

/** Engine that records its calls, and the state of an engine in memory. */
function recordCalls(change: (engine: Engine) => Partial<Engine> = () => ({})) {
  const memory = createMemoryCluster();
  const engine = memory.connect();
  const calls: string[] = [];
  const recorded = override(engine, {
    open: async () => (calls.push("open"), engine.open()),
    close: async () => (calls.push("close"), engine.close()),
    ...change(engine),
  });
  return { memory, engine: recorded, calls };
}

test("a cluster opens its engine, and closes it", async () => {
  const { engine, calls } = recordCalls();
  const cluster = await joinCluster(engine);
  expect([cluster.engine, calls, cluster.status()]).toEqual([engine, ["open"], engine.status()]);
  await cluster.close();
  expect(calls).toEqual(["open", "close"]);
});

test.each([Infinity, NaN, -1])("a lease of %d ms is rejected before the engine is opened", async (lease) => {
  const { engine, calls } = recordCalls();
  await expect(joinCluster(engine, { lease })).rejects.toThrow("lease");
  expect(calls).toEqual([]);
});

test("an engine whose revocations cannot be read is closed, and the error is thrown", async () => {
  const { engine, calls } = recordCalls(({ revocations }) => ({
    ...(revocations && {
      revocations: override(revocations, { list: () => Promise.reject(new EngineError("The engine is away")) }),
    }),
  }));
  await expect(joinCluster(engine, { clock: new ManualClock() })).rejects.toThrow("The engine is away");
  expect(calls).toEqual(["open", "close"]);
});

test("an engine without keys needs those of the options", async () => {
  const { engine, calls } = recordCalls();
  Object.defineProperty(engine, "deriveKeys", { value: undefined });
  await expect(joinCluster(engine)).rejects.toThrow(SetupError);
  expect(calls).toEqual([]);
  const keys = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const [first, second] = [await joinCluster(engine, { keys }), await joinCluster(engine, { keys: keys.slice(1) })];
  const derived = [first.shared, second.shared].map((shared) => shared.deriveKeys("a"));
  expect(first.shared.deriveKeys("b")[1]).not.toEqual(derived[0]?.[1]);
  expect(derived.map(({ length }) => length)).toEqual([2, 1]);
  expect(derived[0]?.[1]).toEqual(derived[1]?.[0]);
  await Promise.all([first.close(), second.close()]);
});

test.each([[[]], [[new Uint8Array(31)]], [[new Uint8Array(32), new Uint8Array(31)]]])(
  "keys that are too short or too few are rejected before the engine is opened (%#)",
  async (keys) => {
    const { engine, calls } = recordCalls();
    await expect(joinCluster(engine, { keys })).rejects.toThrow("at least one key with 32 random bytes");
    expect(calls).toEqual([]);
  },
);

test("a rate counts at all nodes, and at this node while the engine is lost", async () => {
  const memory = createMemoryCluster();
  const [first, second] = [await joinCluster(memory.connect()), await joinCluster(memory.connect())];
  expect([await first.rates.take("a", rate), Number(await second.rates.take("a", rate)) > 0]).toEqual([0, true]);
  memory.lose();
  for (const { rates } of [first, second]) {
    expect(await rates.check("a", rate)).toBe(0);
    expect(await rates.take("a", rate)).toBe(0);
    expect(await rates.take("a", rate)).toBeGreaterThan(0);
    await rates.record("b", rate);
    expect(await rates.check("b", rate)).toBeGreaterThan(0);
  }
  memory.restore();
  await first.rates.record("c", rate);
  expect(await second.rates.check("c", rate)).toBeGreaterThan(0);
  await Promise.all([first.close(), second.close()]);
});

test("another error of a rate than that of a lost engine is thrown", async () => {
  const { engine } = recordCalls(({ rates }) => ({
    ...(rates && { rates: override(rates, { take: () => Promise.reject(new TypeError("broken")) }) }),
  }));
  const cluster = await joinCluster(engine);
  await expect(async () => cluster.rates.take("a", rate)).rejects.toThrow("broken");
  await cluster.close();
});

test("the parts of a cluster have the values of its engine, if it has some", async () => {
  const { engine } = recordCalls();
  const cluster = await joinCluster(engine);
  await cluster.shared.values?.set("a", "x", 1_000);
  expect(await engine.values?.get("a")).toBe("x");
  await cluster.close();
  Object.defineProperty(engine, "values", { value: undefined });
  const without = await joinCluster(engine);
  expect("values" in without.shared).toBe(false);
  await without.close();
});

test("an engine without rates has those of each node", async () => {
  const { engine } = recordCalls();
  Object.defineProperty(engine, "rates", { value: undefined });
  const cluster = await joinCluster(engine);
  expect(await cluster.rates.take("a", rate)).toBe(0);
  expect(await cluster.rates.take("a", rate)).toBeGreaterThan(0);
  await cluster.close();
});

test("a revocation is known to each node of a cluster whose engine keeps none", async () => {
  const memory = createMemoryCluster();
  const engines = [memory.connect(), memory.connect()].map((engine) => override(engine));
  for (const engine of engines) Object.defineProperty(engine, "revocations", { value: undefined });
  const clusters = await Promise.all(engines.map((engine) => joinCluster(engine)));
  await clusters[0]?.revocations.revoke({ principal: "ada", until: Date.now() + 60_000 });
  for (const { revocations } of clusters)
    await expect.poll(() => revocations.isRevoked({ principal: "ada" })).toBe(true);
  await Promise.all(clusters.map((cluster) => cluster.close()));
});

describe("a revocation whose broadcast is lost", () => {
  const until = Date.now() + 3_600_000;

  /** Two clusters on one store. The first one revokes without a broadcast, and the reads of the second one can fail. */
  async function join() {
    const clock = new ManualClock();
    const memory = createMemoryCluster();
    const [first, second] = [memory.connect(), memory.connect()];
    const reads = { count: 0, areFailing: false };
    const revocations = second.revocations && {
      revocations: override(second.revocations, {
        async list() {
          reads.count += 1;
          if (reads.areFailing) throw new EngineError("The engine is away");
          return (await second.revocations?.list()) ?? [];
        },
      }),
    };
    let receiver: NodeReceiver | undefined;
    const nodes = override(second.nodes, {
      receive(name, given, position) {
        receiver = given;
        return second.nodes.receive(name, given, position);
      },
    });
    const errors: unknown[] = [];
    const silent = override(first, { nodes: override(first.nodes, { broadcast: () => "" }) });
    const revoking = await joinCluster(silent);
    const cluster = await joinCluster(override(second, { nodes, ...revocations }), {
      clock,
      onError: ({ error }) => errors.push(error),
    });
    onTestFinished(() => revoking.close());
    onTestFinished(() => cluster.close());
    await revoking.revocations.revoke({ principal: "ada", until });
    const isRevoked = (): boolean => cluster.revocations.isRevoked({ principal: "ada" });
    return { clock, cluster, errors, isRevoked, reads, miss: () => receiver?.missed() };
  }

  test("a revocation is read from the engine after 30 s", async () => {
    const { clock, isRevoked } = await join();
    await clock.pass(29_999);
    expect(isRevoked()).toBe(false);
    await clock.pass(1);
    expect(isRevoked()).toBe(true);
  });

  test("a revocation is read from the engine when broadcasts were missed", async () => {
    const { clock, isRevoked, miss } = await join();
    miss();
    await clock.pass(0);
    expect(isRevoked()).toBe(true);
  });

  test("a revocation is read after a failure, which is reported", async () => {
    const { clock, errors, isRevoked, reads } = await join();
    reads.areFailing = true;
    await clock.pass(30_000);
    expect([errors.map(String), isRevoked()]).toEqual([[expect.stringContaining("The engine is away")], false]);
    reads.areFailing = false;
    await clock.pass(30_000);
    expect(isRevoked()).toBe(true);
  });

  test("a cluster that is closed reads no revocations", async () => {
    const { clock, cluster, reads } = await join();
    await cluster.close();
    const { count } = reads;
    await clock.pass(90_000);
    expect(reads.count).toBe(count);
  });
});
