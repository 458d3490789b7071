import { describe, expect, test } from "vitest";
import { UnstoredEvents } from "../../../cluster/engine/unstored-events.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import type { NodeMessage } from "../../../cluster/stores/node-directory.ts";
import type { SharedEventStore } from "../../../cluster/stores/shared-event-store.ts";
import { ClusterStreams } from "../../../cluster/streams/cluster-streams.ts";
import { SharedStream } from "../../../cluster/streams/shared-stream.ts";
import { StreamWatchers } from "../../../cluster/streams/stream-watchers.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import type { SessionStream } from "../../../runtime/transport/http-server/session/event-stream.ts";
import { override } from "../../kit/override.ts";
import { createRecord, firstNode, key, secondNode } from "../contract/cluster.ts";
import { toWriter } from "../event-writer.ts";

/* Streams that a client resumes at the second node. The first one has written them. */

const stream = "first000000000";

interface Given {
  /** False for a stream that responds to a request. */
  readonly isListener?: boolean;
  /** False for a node that serves no clients. */
  readonly hasStates?: boolean;
  /** True if the first node has stopped. */
  readonly isGone?: boolean;
  /** True if the first node has a lease, but no connection any more. */
  readonly isKilled?: boolean;
  readonly change?: (events: SharedEventStore) => Partial<SharedEventStore>;
}

async function create({ isListener = true, hasStates = true, isGone = false, isKilled = false, change }: Given = {}) {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock }).connect();
  await engine.open();
  await engine.sessions.add(createRecord(key.id, key.owner));
  if (!isGone) await engine.nodes.renew(firstNode, { milliseconds: 60_000, isNew: true });
  const received: NodeMessage[] = [];
  const ignore = (): void => {};
  const message = (given: NodeMessage): void => void received.push(given);
  if (!isGone && !isKilled)
    await engine.nodes.receive(firstNode, { message, broadcastReceived: ignore, missed: ignore, changed: ignore });
  const append = { stream, owner: firstNode, fence: 0, first: 0, data: ["a", "b"] };
  await engine.events.append(key, { ...append, requests: isListener ? [] : [1] });
  const calls: unknown[] = [];
  const states = Object.create({
    hold: () => void calls.push("hold"),
    registerListener: (_key: unknown, listener: object) => void calls.push(["register", listener]),
    notifyAll: () => void calls.push("notifyAll"),
  });
  const streams = new ClusterStreams({
    engine: change ? override(engine, { events: override(engine.events, change(override(engine.events))) }) : engine,
    clock,
    name: secondNode,
    watchers: new StreamWatchers(engine.nodes),
    unstored: new UnstoredEvents(1_000_000),
    readStates: () => (hasStates ? states : undefined),
    isStable: () => true,
    send: async () => "sent",
    fail: (thrown) => void calls.push(String(thrown)),
  });
  const written: string[] = [];
  const host = {
    maxWaiting: 1_000_000,
    metrics: undefined,
    retry: 20,
    isResumable: true,
    isClosed: false,
    remember: () => undefined,
    fenced: ignore,
  };
  const adopted: SessionStream[] = [];
  const resume = (sequence: number, local?: SessionStream): Promise<boolean> => {
    const own = Object.create({ find: () => local, adopt: (one: SessionStream) => void adopted.push(one) });
    return streams.resume(key, { stream, sequence }, { host, streams: own, open: () => toWriter(written) });
  };
  return { adopted, calls, clock, engine, host, received, resume, streams, written };
}

describe("a stream that is resumed at another node", () => {
  test("a stream opened by GET is written by the other node from now on, and its former node is notified", async () => {
    const { adopted, calls, engine, received, resume, written } = await create();
    expect(await resume(0)).toBe(true);
    expect(written.map((event) => /^data: (.*)$/m.exec(event)?.[1])).toEqual(["b"]);
    expect(adopted).toMatchObject([{ key: stream, isListener: true, isConnected: true }]);
    expect(calls).toEqual(["hold", ["register", { node: secondNode, stream, fence: 1 }]]);
    expect(await engine.events.read(key, { stream, sequence: 1 })).toMatchObject({ owner: secondNode, fence: 1 });
    await adopted[0]?.send("c");
    expect(await engine.events.read(key, { stream, sequence: 1 })).toMatchObject({ events: [{ data: "c" }] });
    await settle();
    expect(received).toEqual([{ kind: "resumed", session: key, stream }]);
    expect(calls).not.toContain("notifyAll");
  });

  test("a stream of a request is followed, and written by its node", async () => {
    const { adopted, calls, engine, received, resume, written } = await create({ isListener: false });
    expect(await resume(0)).toBe(true);
    await settle();
    expect(written.map((event) => /^data: (.*)$/m.exec(event)?.[1])).toEqual(["b"]);
    expect(adopted).toMatchObject([{ key: stream, isListener: false }]);
    expect(calls).toEqual(["hold"]);
    expect(await engine.events.read(key, { stream, sequence: 1 })).toMatchObject({ owner: firstNode, fence: 0 });
    expect(received).toEqual([{ kind: "resumed", session: key, stream }]);
    adopted[0]?.release();
  });

  test("a stream opened by GET that has ended is followed, if the client has not all of its events", async () => {
    const { adopted, engine, resume, written } = await create();
    await engine.events.seal(key, { stream, fence: 0, node: firstNode, data: [] });
    expect([await resume(1), adopted]).toEqual([false, []]);
    expect(await resume(0)).toBe(true);
    await settle();
    expect(written).toHaveLength(1);
  });

  test("a stream is not resumed after an event that is not known", async () => {
    const { adopted, calls, received, resume, written } = await create();
    expect(await resume(7)).toBe(false);
    await settle();
    expect([adopted, calls, received, written]).toEqual([[], ["hold"], [], []]);
  });

  test("a stream is not resumed when other nodes take it over three times", async () => {
    let adoptions = 0;
    const { adopted, resume } = await create({ change: () => ({ adopt: () => void (adoptions += 1) }) });
    expect([await resume(0), adopted, adoptions]).toEqual([false, [], 3]);
  });

  test("a stream that another node has taken over meanwhile is adopted from that node", async () => {
    const third = "third00000000";
    let adoptions = 0;
    const { adopted, engine, resume } = await create({
      change: (events) => ({
        async adopt(session, adoption) {
          adoptions += 1;
          if (adoptions === 1) await events.adopt(session, { ...adoption, node: third });
          return events.adopt(session, adoption);
        },
      }),
    });
    expect(await resume(0)).toBe(true);
    expect([adoptions, adopted.length]).toEqual([2, 1]);
    expect(await engine.events.read(key, { stream, sequence: 1 })).toMatchObject({ owner: secondNode, fence: 2 });
  });

  test.each([
    [true, true],
    [false, false],
  ])(
    "a client may have missed changes when the former node of a stream opened by GET has stopped: %s",
    async (isListener, has) => {
      const { adopted, calls, clock, resume } = await create({ isListener, isGone: true });
      expect(await resume(0)).toBe(true);
      expect(calls).not.toContain("notifyAll");
      await clock.pass(10);
      expect(calls.includes("notifyAll")).toBe(has);
      adopted[0]?.release();
    },
  );

  test("a client may have missed changes when the former node was killed, though it has a lease", async () => {
    const { adopted, calls, clock, resume } = await create({ isKilled: true });
    expect(await resume(0)).toBe(true);
    await clock.pass(10);
    expect(calls).toContain("notifyAll");
    adopted[0]?.release();
  });

  test("a node without clients registers itself as the writer of a stream", async () => {
    const { calls, engine, resume, streams } = await create({ hasStates: false });
    expect(await resume(0)).toBe(true);
    await settle();
    const listener = { node: secondNode, stream, fence: 1 };
    expect([calls, await engine.sessions.readState(key)]).toMatchObject([[], { listener }]);
    streams.listen(key, "next");
    await settle();
    expect(await engine.sessions.readState(key)).toMatchObject({ listener: { stream: "next", fence: 0 } });
  });
});

describe("a stream of this node that its client resumes", () => {
  const createLocal = async () => {
    const created = await create({ isListener: false });
    const { streams, host } = created;
    const local = streams.createStream(key, { name: stream, host, requests: [1] });
    return { ...created, local };
  };

  test("a stream of a node is shared if its client can resume it", async () => {
    const { streams, host, local } = await createLocal();
    expect(local).toBeInstanceOf(SharedStream);
    const plain = streams.createStream(key, { name: "plain", host: { ...host, isResumable: false }, requests: [1] });
    expect(plain).not.toBeInstanceOf(SharedStream);
  });

  test.each([
    ["resumed", true, 1],
    ["unknown", false, 0],
  ] as const)("a stream of this node is %s", async (outcome, isResumed, count) => {
    const { adopted, local, received, resume } = await createLocal();
    const known = override(local, Object.create({ resume: async () => outcome }));
    expect(await resume(0, known)).toBe(isResumed);
    await settle();
    expect([adopted.length, received]).toEqual([count, []]);
  });

  test("a stream that another node writes meanwhile is released here, and followed", async () => {
    const { adopted, local, resume, written } = await createLocal();
    local.connect({ ...toWriter([]), end: () => void written.push("end") });
    expect(await resume(0, local)).toBe(true);
    await settle();
    expect([written[0], written.length, adopted[0] === local]).toEqual(["end", 2, false]);
    adopted[0]?.release();
  });
});

test.each([
  ["notifications/tools/list_changed", true],
  ["notifications/resources/updated", true],
  ["notifications/message", false],
  [undefined, false],
])("the message %s is sent by every node to its own clients: %s", async (method, isSentByEach) => {
  const { engine, streams } = await create();
  await engine.sessions.change(key, { listener: { node: firstNode, stream, fence: 0 } });
  const sent = streams.sendElsewhere(key, "text", method);
  expect(sent === undefined).toBe(isSentByEach);
  await sent;
});
