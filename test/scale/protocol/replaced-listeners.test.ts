import { expect, onTestFinished, test } from "vitest";
import { joinCluster } from "../../../runtime/scale/cluster.ts";
import { createMemoryCluster } from "../../../runtime/scale/memory-engine.ts";
import {
  askRoots,
  call,
  log,
  start,
  textOf,
  type Rig,
  type Tool,
} from "../../runtime/transport/http-server/http-rig.ts";

/** Starts a node whose sessions have room for a few streams in the store. */
async function startNode(tools: Record<string, Tool>, maxOpenStreams: number): Promise<Rig> {
  const cluster = await joinCluster(createMemoryCluster({ maxOpenStreams }).connect());
  onTestFinished(() => cluster.close());
  const rig = await start(tools, { cluster });
  onTestFinished(() => rig.close());
  return rig;
}

const tools: Record<string, Tool> = {
  async talk(context) {
    await log(context, "one");
    return "done";
  },
  roots: async (context) => JSON.stringify(await askRoots(context)),
};

test("a client may open streams by GET as often as it likes, one after the other", async () => {
  const rig = await startNode(tools, 4);
  const session = await rig.open();
  for (let time = 0; time < 12; time += 1) {
    const stream = await session.listen();
    expect((await stream.next()).id).toBeDefined();
    stream.cut();
    await stream.end();
  }
  const stream = await session.postStream(call(1, "talk"));
  await stream.end();
  expect(stream.events.at(-1)?.id).toBeDefined();
  expect(textOf(stream.messages.at(-1))).toBe("done");
});

test("a client that resumes a stream which it has replaced gets status 400, so that it opens another", async () => {
  const rig = await startNode(tools, 4);
  const session = await rig.open();
  const replaced = await session.listen();
  const { id = "" } = await replaced.next();
  for (let time = 0; time < 2; time += 1) await (await session.listen()).next();
  await replaced.end();
  await expect.poll(async () => (await session.listen(id)).status).toBe(400);
});

test("a call gets its messages and its response, though its session has as many streams as the store keeps", async () => {
  const rig = await startNode(tools, 1);
  const session = await rig.open();
  const listener = await session.listen();
  await listener.next();
  const stream = await session.postStream(call(1, "roots"));
  const { id, method } = await stream.message();
  expect(method).toBe("roots/list");
  expect((await session.post({ jsonrpc: "2.0", id, result: { roots: [] } })).status).toBe(202);
  await stream.end();
  expect(textOf(stream.messages.at(-1))).toBe('{"roots":[]}');
  expect(stream.text).not.toMatch(/^id:/m);
  const second = await session.listen();
  await session.post(call(2, "talk"));
  expect([second.status, second.isEnded]).toEqual([200, false]);
});
