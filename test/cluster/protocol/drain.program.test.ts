import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { joinCluster } from "../../../cluster/cluster.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { createGate, until } from "../../kit/time.ts";
import { requestRoots, log, start, type Rig, type Tool } from "../../kit/http-server.ts";
import { call, textOf } from "../../kit/http-exchange.ts";
import { override } from "../../kit/override.ts";
import { startNodes, type Nodes } from "./nodes.ts";

let nodes: Nodes | undefined;
const gates = new Map<string, (value: string) => void>();

/** Tools that log, so that their response is a stream, and then wait. */
const tools: Record<string, Tool> = {
  ask: async (context) => JSON.stringify(await requestRoots(context)),
  wait: async (context, { key }) => {
    await log(context, "begun");
    return new Promise((resolve) => gates.set(String(key), resolve));
  },
};

async function begin(closeTimeout: number): Promise<Nodes> {
  nodes = await startNodes(2, () => tools, { closeTimeout });
  return nodes;
}

afterEach(async () => {
  for (const open of gates.values()) open("over");
  gates.clear();
  await nodes?.close();
  nodes = undefined;
});

it("a call that waits for its user when its node closes gets the response from the other node, and ends there", async () => {
  const { open, post, postStream, listen, rigs } = await begin(10_000);
  const session = await open();
  const stream = await postStream(0, session, call(1, "ask"));
  const request = await stream.message();
  const closed = rigs[0]?.listener.close();
  await stream.end();
  const resumed = await listen(1, session, stream.events.at(-1)?.id);
  const response = { jsonrpc: "2.0", id: request.id, result: { roots: [{ uri: "file:///here" }] } };
  expect((await post(1, session, response)).status).toBe(202);
  await closed;
  await resumed.end();
  expect(resumed.messages.map(textOf)).toEqual([expect.stringContaining("file:///here")]);
});

it("the streams of a node that closes end at once, and continue at the other while its calls run", async () => {
  const { open, postStream, listen, rigs } = await begin(10_000);
  const session = await open();
  const listening = await listen(0, session);
  const { id } = await listening.next();
  const stream = await postStream(0, session, call(1, "wait", { key: "drain" }));
  await stream.message();
  const closed = rigs[0]?.listener.close();
  await Promise.all([listening.end(), stream.end()]);
  const [again, resumed] = [await listen(1, session, id), await listen(1, session, stream.events.at(-1)?.id)];
  expect([again.status, resumed.status]).toEqual([200, 200]);
  gates.get("drain")?.("done");
  await closed;
  await resumed.end();
  expect(resumed.messages.map(textOf)).toEqual(["done"]);
});

it("a call that does not end in time gets an error, also at the other node", async () => {
  const { open, postStream, listen, rigs } = await begin(200);
  const session = await open();
  const stream = await postStream(0, session, call(1, "wait", { key: "long" }));
  await stream.message();
  const closed = rigs[0]?.listener.close();
  await stream.end();
  const resumed = await listen(1, session, stream.events.at(-1)?.id);
  await closed;
  await resumed.end();
  expect(resumed.messages).toMatchObject([{ id: 1, error: { code: -32603 } }]);
});

it("streams of revisions whose clients do not reconnect stay open while their calls run", async () => {
  const { open, postStream, rigs } = await begin(10_000);
  const session = await open("2025-06-18");
  const stream = await postStream(0, session, call(1, "wait", { key: "older" }));
  await stream.message();
  const closed = rigs[0]?.listener.close();
  await delay(100);
  gates.get("older")?.("done");
  await closed;
  await until(() => stream.messages.length === 2, "the response");
  expect(stream.messages.slice(1).map(textOf)).toEqual(["done"]);
});

it.each(["2025-06-18", "2025-03-26"])(
  "streams opened by GET end at %s when the node closes, and continue at the other",
  async (revision) => {
    const { open, listen, rigs } = await begin(200);
    const session = await open(revision);
    const listening = await listen(0, session);
    const closed = rigs[0]?.listener.close();
    await listening.end();
    await closed;
    expect((await listen(1, session)).status).toBe(200);
  },
);

it("the times to reconnect of streams opened by GET differ", async () => {
  const { open, listen } = await begin(50);
  const session = await open();
  const streams = [];
  for (let index = 0; index < 20; index += 1) streams.push(await listen(index % 2, session));
  const retries = await Promise.all(streams.map(async (stream) => Number((await stream.next()).retry)));
  expect(Math.min(...retries)).toBeGreaterThanOrEqual(20);
  expect(Math.max(...retries)).toBeLessThanOrEqual(100);
  expect(new Set(retries).size).toBeGreaterThan(3);
});

it("a request that a closing node has reserved, but rejects, runs at another node with the same id", async () => {
  const memory = createMemoryCluster();
  const [reserved, replied] = [createGate(), createGate()];
  const startNode = async (engine: Engine): Promise<Rig> => {
    const cluster = await joinCluster(engine);
    onTestFinished(() => cluster.close());
    const rig = await start({ echo: (_context, { text }) => text }, { cluster });
    onTestFinished(() => rig.close());
    return rig;
  };
  const engine = memory.connect();
  const sessions = override(engine.sessions, {
    async access(key, access) {
      const found = await engine.sessions.access(key, access);
      if (access.reserve?.length !== 1) return found;
      reserved.open();
      await replied.opened;
      return found;
    },
  });
  const first = await startNode(override(engine, { sessions }));
  const second = await startNode(memory.connect());
  const { headers } = await first.open();
  const message = { headers, body: call(1, "echo", { text: "hi" }) };
  const rejected = first.send(message);
  await reserved.opened;
  const closed = first.listener.close();
  replied.open();
  expect((await rejected).status).toBe(503);
  await closed;
  expect(textOf((await second.send(message)).json)).toBe("hi");
});
