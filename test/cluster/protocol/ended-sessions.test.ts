import { expect, onTestFinished, test } from "vitest";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { joinCluster } from "../../../cluster/cluster.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { NodeMessage } from "../../../cluster/stores/node-directory.ts";
import type { ListenOptions } from "../../../runtime/transport/http-server/listen.ts";
import { createGate } from "../../kit/time.ts";
import { call } from "../../kit/http-exchange.ts";
import { log, start, type Rig, type Tool } from "../../kit/http-server.ts";
import { override } from "../../kit/override.ts";

async function startNode(
  engine: Engine,
  tools: Record<string, Tool> = {},
  options: Omit<ListenOptions, "port" | "cluster"> = {},
): Promise<Rig> {
  const cluster = await joinCluster(engine, { onError: () => {} });
  onTestFinished(() => cluster.close());
  const rig = await start(tools, { ...options, cluster });
  onTestFinished(() => rig.close());
  return rig;
}

test.each(["the same node", "another node"])(
  "an end of a session whose outcome is unknown reaches %s that runs a call, and removes its streams",
  async (where) => {
    const memory = createMemoryCluster();
    const [first, second] = [memory.connect(), memory.connect()];
    let unknown = 0;
    const sessions = override(first.sessions, {
      async end(key) {
        const nodes = await first.sessions.end(key);
        unknown += 1;
        if (unknown === 1) throw new EngineError("The store gave no reply; try again later");
        return nodes;
      },
    });
    let isAborted = false;
    const tools: Record<string, Tool> = {
      async hang(context) {
        await log(context, "running");
        await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
        isAborted = true;
      },
    };
    const firstNode = await startNode(override(first, { sessions }), tools);
    const secondNode = await startNode(second, tools);
    const session = await firstNode.open();
    const stream = await (where === "the same node" ? firstNode : secondNode).stream({
      headers: session.headers,
      body: call(1, "hang"),
    });
    await stream.message();
    const [name = "", sequence] = stream.events.at(-1)?.id?.split("-") ?? [];
    const key = { id: session.id, owner: undefined };
    expect(await second.events.read(key, { stream: name, sequence: Number(sequence) })).toBeDefined();
    expect((await session.end()).status).toBe(503);
    await expect.poll(() => isAborted).toBe(true);
    await expect.poll(() => second.events.read(key, { stream: name, sequence: -1 })).toBeUndefined();
    expect((await session.end()).status).toBe(404);
  },
);

test("a node that was cut off while its session ended leaves no streams behind", async () => {
  const memory = createMemoryCluster();
  const [first, second] = [memory.connect(), memory.connect()];
  const back = createGate();
  let isAway = true;
  let name = "";
  const cutOff = override(second, {
    events: override(second.events, {
      append(key, append) {
        if (isAway) throw new EngineError("The engine is away; try again later");
        name = append.stream;
        return second.events.append(key, append);
      },
    }),
    nodes: override(second.nodes, {
      receive(node, receiver, position) {
        const message = (received: NodeMessage): void => void back.opened.then(() => receiver.message(received));
        return second.nodes.receive(node, override(receiver, { message }), position);
      },
    }),
  });
  let isRunning = false;
  const firstNode = await startNode(first);
  const secondNode = await startNode(cutOff, {
    async hang(context: CallContext) {
      void log(context, "running");
      isRunning = true;
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    },
  });
  const session = await firstNode.open();
  const key = { id: session.id, owner: undefined };
  const read = (): unknown => second.events.read(key, { stream: name, sequence: -1 });
  const sent = secondNode.send({ headers: session.headers, body: call(1, "hang") });
  await expect.poll(() => isRunning).toBe(true);
  expect((await session.end()).status).toBeLessThan(300);
  isAway = false;
  await expect.poll(read).toBeDefined();
  back.open();
  await expect.poll(read).toBeUndefined();
  await sent;
});

test("DELETE of a session that has ended removes the streams that a killed node has left, and GET does not", async () => {
  const engine = createMemoryCluster().connect();
  const node = await startNode(engine);
  const session = await node.open();
  const key = { id: session.id, owner: undefined };
  const [killed, stream] = ["killed0000000", "killed00000001"];
  await engine.events.append(key, { stream, owner: killed, fence: 0, first: 0, data: ["{}"] });
  await engine.sessions.end(key);
  expect((await session.listen()).status).toBe(404);
  expect(await engine.events.read(key, { stream, sequence: -1 })).toBeDefined();
  expect((await session.end()).status).toBe(404);
  expect(await engine.events.read(key, { stream, sequence: -1 })).toBeUndefined();
});

test("a node that no longer uses a session does not extend its lifetime", async () => {
  const memory = createMemoryCluster();
  const [first, second] = [memory.connect(), memory.connect()];
  const accesses: string[] = [];
  const sessions = override(first.sessions, {
    access(key, access) {
      accesses.push(key.id);
      return first.sessions.access(key, access);
    },
  });
  const ttl = 200;
  const firstNode = await startNode(override(first, { sessions }), {}, { sessions: { ttl } });
  const secondNode = await startNode(second, { echo: () => "here" });
  const session = await firstNode.open();
  await secondNode.send({ headers: session.headers, body: call(1, "echo") });
  accesses.length = 0;
  await expect.poll(() => firstNode.listener.handler.sessions.size).toBe(0);
  expect(accesses).toEqual([]);
});
