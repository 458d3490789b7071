import { describe, expect, test } from "vitest";
import { SharedStream } from "../../../cluster/streams/shared-stream.ts";
import { UnstoredEvents } from "../../../cluster/engine/unstored-events.ts";
import { BacklogError, EngineError } from "../../../runtime/stores/engine-error.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { SharedEventStore, StreamAppend } from "../../../cluster/stores/shared-event-store.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import type { LostStream } from "../../../runtime/transport/http-server/session/event-stream.ts";
import { firstNode, key, secondNode } from "../contract/cluster.ts";
import { toWriter } from "../event-writer.ts";

const name = "first000000000";

test("events whose outcome was unknown are not sent again after the stream has changed hands", async () => {
  const { engine, clock, append, stream, lost } = await openStream([]);
  await stream.send("a");
  append.loseReply = true;
  void stream.send("b");
  await expect.poll(() => textsOf(engine)).toEqual(["a", "b"]);
  const last = stream.send("c");
  await engine.events.adopt(key, { stream: name, fence: 0, node: secondNode });
  await clock.pass(1_000);
  await last;
  expect(lost).toEqual([{ requests: [], unsent: ["c"] }]);
  expect(await textsOf(engine)).toEqual(["a", "b"]);
});

test("an append whose outcome is unknown is repeated with the same events", async () => {
  const { engine, clock, append, stream } = await openStream([1]);
  append.loseReply = true;
  const unknown = stream.send("a");
  await expect.poll(() => textsOf(engine)).toEqual(["a"]);
  const second = stream.send("b");
  stream.settle(1);
  await clock.pass(1_000);
  await Promise.all([unknown, second]);
  expect(append.calls.map(({ first, data, settled }) => ({ first, data, settled }))).toEqual([
    { first: 0, data: ["a"], settled: undefined },
    { first: 0, data: ["a"], settled: undefined },
    { first: 1, data: ["b"], settled: [1] },
  ]);
  expect(await engine.events.read(key, { stream: name, sequence: -1 })).toMatchObject({ next: 2, isEnded: true });
});

test("a response is stored together with the mark of its request, also with many events behind it", async () => {
  const { engine, append, stream } = await openStream([1, 2]);
  void stream.send("response 1");
  stream.settle(1);
  const rest = Array.from({ length: 400 }, (_, index) => stream.send(`progress ${index}`));
  await Promise.all(rest);
  const withResponse = append.calls.filter(({ data }) => data.includes("response 1"));
  expect(withResponse.map(({ settled }) => settled)).toEqual([[1]]);
  expect(await engine.events.read(key, { stream: name, sequence: 400 })).toMatchObject({ open: [2], isEnded: false });
});

test("a connection that is released at once has its first event id", async () => {
  const { stream } = await openStream([1]);
  const written: string[] = [];
  stream.connect(toWriter(written));
  stream.prime();
  stream.release();
  await expect.poll(() => stream.isConnected).toBe(false);
  expect(written.join("")).toContain(`id: ${name}-0`);
});

test("a connection that is released has all events so far, and the next one is not closed", async () => {
  const { append, stream } = await openStream([1]);
  const written: string[] = [];
  stream.connect(toWriter(written));
  await stream.send("a");
  let reply = (): void => {};
  append.heldReply = new Promise((resolve) => (reply = resolve));
  void stream.send("b");
  await expect.poll(() => append.calls).toHaveLength(2);
  for (const text of ["c", "d"]) void stream.send(text);
  stream.release();
  expect(stream.isConnected).toBe(true);
  append.heldReply = undefined;
  reply();
  await expect.poll(() => stream.isConnected).toBe(false);
  expect(written.map((event) => /^data: (.*)$/m.exec(event)?.[1])).toEqual(["a", "b", "c", "d"]);
  stream.connect(toWriter(written));
  await stream.send("e");
  expect([stream.isConnected, written.length]).toEqual([true, 5]);
});

test("a new connection gets each event once, though the store has an event before the node knows", async () => {
  const { engine, append, stream } = await openStream([1]);
  await stream.send("a");
  let reply = (): void => {};
  append.heldReply = new Promise((resolve) => (reply = resolve));
  const second = stream.send("b");
  await expect.poll(() => textsOf(engine)).toEqual(["a", "b"]);
  const written: string[] = [];
  await stream.resume(-1, () => toWriter(written));
  await expect.poll(() => written).toHaveLength(2);
  reply();
  await second;
  await stream.send("c");
  expect(written.map((event) => /^id: (.*)$/m.exec(event)?.[1])).toEqual([`${name}-0`, `${name}-1`, `${name}-2`]);
});

test("a stream that another node writes is not resumed, and what it has stored is not sent again", async () => {
  const { engine, append, stream, lost } = await openStream([]);
  await stream.send("a");
  let reply = (): void => {};
  append.heldReply = new Promise((resolve) => (reply = resolve));
  const second = stream.send("b");
  await expect.poll(() => textsOf(engine)).toEqual(["a", "b"]);
  await engine.events.adopt(key, { stream: name, fence: 0, node: secondNode });
  const written: string[] = [];
  const resumed = stream.resume(0, () => toWriter(written));
  reply();
  expect(await resumed).toBe("fenced");
  await second;
  expect(lost).toEqual([{ requests: [], unsent: [] }]);
  expect(written).toEqual([]);
});

test("the response of a stream that has ended is stored when the store can be reached again", async () => {
  const { engine, clock, append, stream } = await openStream([1]);
  await stream.send("a");
  append.failures = 2;
  void stream.send("response");
  stream.settle(1);
  stream.end();
  for (let attempt = 0; attempt < 3; attempt++) await clock.pass(1_000);
  expect(await textsOf(engine)).toEqual(["a", "response"]);
  expect(await engine.events.read(key, { stream: name, sequence: -1 })).toMatchObject({ isEnded: true });
});

test("a connection without an event id stays open while the store is away, as its client could not resume", async () => {
  const { clock, append, stream } = await openStream([1]);
  const written: string[] = [];
  stream.connect(toWriter(written));
  append.failures = 2;
  stream.prime();
  await clock.pass(500);
  expect([append.calls.length, stream.isConnected, written]).toEqual([2, true, []]);
  await clock.pass(500);
  await expect.poll(() => written.join("")).toContain(`id: ${name}-0`);
  append.failures = 1;
  void stream.send("a");
  await expect.poll(() => stream.isConnected).toBe(false);
});

test("a stream does not wait for the store while its node closes", async () => {
  const { clock, append, stream } = await openStream([1]);
  await stream.send("a");
  append.failures = Infinity;
  void stream.send("response");
  stream.settle(1);
  stream.end();
  const flushed = stream.flushed();
  await clock.pass(1_000);
  await flushed;
  const attempts = append.calls.length;
  await clock.pass(10_000);
  expect(append.calls).toHaveLength(attempts);
});

test("messages to a stream that another node writes are rejected without an unhandled rejection", async () => {
  const { engine, stream } = await openStream([1]);
  await stream.send("a");
  await engine.events.adopt(key, { stream: name, fence: 0, node: secondNode });
  await expect(stream.send("b")).rejects.toThrow("Another node");
  const unhandled: unknown[] = [];
  const record = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  void stream.send("c");
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off("unhandledRejection", record);
  expect(unhandled).toEqual([]);
});

test("an event that is longer than a connection may hold is delivered, and a further one destroys the connection", async () => {
  const { stream } = await openStream([1], { maxWaiting: 1_000 });
  const written: string[] = [];
  let isDestroyed = false;
  stream.connect({
    ...toWriter(written),
    get waiting() {
      return written.join("").length;
    },
    destroy: () => void (isDestroyed = true),
  });
  await stream.send("x".repeat(100_000));
  expect([isDestroyed, stream.isConnected]).toEqual([false, true]);
  await stream.send("a");
  expect([isDestroyed, stream.isConnected]).toEqual([true, false]);
});

describe("events that wait for a store that is away", () => {
  const text = "x".repeat(1_000);

  test("messages beyond the limit of the node are rejected, but not the first one of a stream", async () => {
    const unstored = new UnstoredEvents(3_000);
    const { clock, append, stream } = await openStream([1], { unstored });
    const other = await openStream([1], { unstored });
    append.failures = 1;
    other.append.failures = 1;
    const [first, second, third] = [stream.send(text), stream.send(text), stream.send(text)];
    await expect(third).rejects.toThrow(BacklogError);
    const own = other.stream.send(text);
    expect(unstored.isFull).toBe(true);
    await clock.pass(500);
    await other.clock.pass(500);
    await Promise.all([first, second, own]);
    expect(unstored.isFull).toBe(false);
    await stream.send(text);
  });

  test("a response waits when messages are rejected", async () => {
    const unstored = new UnstoredEvents(2_000);
    const { engine, clock, append, stream } = await openStream([1], { unstored });
    append.failures = 1;
    void stream.send(text);
    await expect(stream.send(text)).rejects.toThrow("wait for each one");
    void stream.send("response", { respondsTo: 1 });
    stream.settle(1);
    stream.end();
    await clock.pass(500);
    expect(await textsOf(engine)).toEqual([text, "response"]);
  });

  test("a response without room is replaced by an error", async () => {
    const { engine, clock, append, stream } = await openStream([1], { unstored: new UnstoredEvents(2_000) });
    append.failures = 1;
    void stream.send(text);
    void stream.send("y".repeat(4_000), { respondsTo: 1 });
    stream.settle(1);
    stream.end();
    await clock.pass(500);
    const error = { code: -32_603, message: expect.stringContaining("could not be stored") };
    expect((await textsOf(engine))?.slice(1).map((event): unknown => JSON.parse(event))).toMatchObject([
      { id: 1, error },
    ]);
  });

  test("a stream with more messages than fit into it ends with its response", async () => {
    const { engine, clock, append, stream, lost } = await openStream([1], { maxWaiting: 2_500 });
    append.failures = 1;
    const sent = [stream.send(text), stream.send(text), stream.send(text)];
    void stream.send("response", { respondsTo: 1 });
    stream.settle(1);
    stream.end();
    await clock.pass(500);
    expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
    expect(await textsOf(engine)).toEqual([text, text, "response"]);
    expect(lost).toEqual([]);
    expect(await engine.events.read(key, { stream: name, sequence: -1 })).toMatchObject({ isEnded: true });
  });

  test("the events of a stream that changes hands no longer count", async () => {
    const unstored = new UnstoredEvents(2_000);
    const { engine, clock, append, stream } = await openStream([1], { unstored });
    await stream.send("a");
    append.failures = 1;
    void stream.send(text);
    expect(unstored.isFull).toBe(true);
    await engine.events.adopt(key, { stream: name, fence: 0, node: secondNode });
    await clock.pass(500);
    await expect.poll(() => unstored.isFull).toBe(false);
  });
});

test("a stream that is discarded stores nothing more, and its messages are rejected", async () => {
  const { engine, clock, append, stream, lost } = await openStream([1]);
  append.failures = 1;
  const sent = stream.send("a");
  await expect.poll(() => append.calls).toHaveLength(1);
  stream.discard();
  await expect(sent).rejects.toThrow("session has ended");
  stream.end();
  await clock.pass(1_000);
  await stream.flushed();
  expect(await textsOf(engine)).toBeUndefined();
  expect(lost).toEqual([]);
});

test("a stream that is discarded cancels no requests when its last events are found to belong to another node", async () => {
  const { engine, append, stream, lost } = await openStream([1]);
  await stream.send("a");
  await engine.events.adopt(key, { stream: name, fence: 0, node: secondNode });
  let reply = (): void => {};
  append.heldReply = new Promise((resolve) => (reply = resolve));
  const sent = stream.send("b");
  await expect.poll(() => append.calls).toHaveLength(2);
  stream.discard();
  reply();
  await expect(sent).rejects.toThrow("session has ended");
  await stream.flushed();
  expect(lost).toEqual([]);
});

test("a stream that another node writes may be discarded once more", async () => {
  const { engine, stream, lost } = await openStream([1]);
  await stream.send("a");
  await engine.events.adopt(key, { stream: name, fence: 0, node: secondNode });
  await expect(stream.send("b")).rejects.toThrow("Another node");
  stream.discard();
  expect([lost, stream.isResumable]).toEqual([[{ requests: [1], unsent: ["b"] }], false]);
});

describe("a stream for which the session has no room in the store", () => {
  test("the connection gets all events without ids, and stays open until the response", async () => {
    const { engine, stream, lost } = await openFullStream([1]);
    const written: string[] = [];
    stream.connect(toWriter(written));
    stream.prime();
    await stream.send("a");
    stream.release();
    expect([stream.isConnected, stream.isResumable]).toEqual([true, false]);
    void stream.send("response", { respondsTo: 1 });
    stream.settle(1);
    stream.end();
    await expect.poll(() => stream.isConnected).toBe(false);
    expect(written.join("")).toBe("event: message\ndata: a\n\nevent: message\ndata: response\n\n");
    expect(lost).toEqual([]);
    expect(await textsOf(engine)).toBeUndefined();
  });

  test("an open request gets an error when the stream ends", async () => {
    const { stream } = await openFullStream([1]);
    const written: string[] = [];
    stream.connect(toWriter(written));
    await stream.send("a");
    stream.end();
    expect(written.at(-1)).toContain('"id":1,"error"');
  });

  test("a stream opened by GET stays open with its connection until it is released", async () => {
    const { stream } = await openFullStream([]);
    const written: string[] = [];
    stream.connect(toWriter(written));
    for (const text of ["a", "b"]) await stream.send(text);
    expect([stream.isConnected, written.join("")]).toEqual([
      true,
      "event: message\ndata: a\n\nevent: message\ndata: b\n\n",
    ]);
    stream.release();
    expect(stream.isConnected).toBe(false);
  });

  test("a stream opened by GET that is released before its first event is stored closes its connection", async () => {
    const { stream } = await openFullStream([]);
    stream.connect(toWriter([]));
    stream.prime();
    stream.release();
    await expect.poll(() => stream.isConnected).toBe(false);
  });
});

test("a stream opened by GET that its client has replaced takes no room in the store", async () => {
  const { engine, stream, lost } = await openStream([]);
  void stream.send("a");
  await stream.endStored();
  expect(await engine.events.read(key, { stream: name, sequence: -1 })).toMatchObject({ next: 1, isEnded: true });
  expect(lost).toEqual([]);
});

/** Creates a stream in a session that has as many in the store as it may. */
async function openFullStream(requests: readonly number[]): Promise<OpenStream> {
  const opened = await openStream(requests, { maxOpenStreams: 1 });
  const other = { stream: "other", owner: firstNode, fence: 0, first: 0, data: ["x"] };
  await opened.engine.events.append(key, other);
  return opened;
}

interface OpenStream {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly append: AppendRecorder;
  readonly stream: SharedStream;
  readonly lost: LostStream[];
}

/** Limits of a stream and its node. */
interface StreamLimits {
  readonly unstored?: UnstoredEvents;
  readonly maxWaiting?: number;
  readonly maxOpenStreams?: number;
}

/** Creates a stream of the first node whose appends are recorded. */
async function openStream(
  requests: readonly number[],
  { unstored = new UnstoredEvents(1_000_000), maxWaiting = 1_000_000, maxOpenStreams = 10 }: StreamLimits = {},
): Promise<OpenStream> {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock, maxOpenStreams }).connect();
  await engine.open();
  const append = new AppendRecorder(engine.events);
  const lost: LostStream[] = [];
  const host = {
    maxWaiting,
    metrics: undefined,
    retry: 0,
    isResumable: false,
    remember: () => undefined,
    fenced: (_stream: unknown, part: LostStream) => void lost.push(part),
  };
  const stream = new SharedStream({
    session: key,
    name,
    host,
    events: append.store,
    owner: firstNode,
    clock,
    requests,
    unstored,
  });
  return { engine, clock, append, stream, lost };
}

/** Event store that records the appends, and can lose the reply to the next one. */
class AppendRecorder {
  readonly calls: StreamAppend[] = [];
  readonly store: SharedEventStore;
  loseReply = false;
  /** Number of appends that fail, and are not performed. */
  failures = 0;
  /** Holds the reply to appends back, which the store has performed. */
  heldReply: Promise<void> | undefined;

  constructor(events: SharedEventStore) {
    this.store = {
      append: async (session, append) => {
        this.calls.push(append);
        this.failures -= 1;
        if (this.failures >= 0) throw new EngineError("The store cannot be reached; try again later");
        const outcome = await events.append(session, append);
        await this.heldReply;
        if (!this.loseReply) return outcome;
        this.loseReply = false;
        throw new EngineError("The store gave no reply; try again later");
      },
      read: (session, position) => events.read(session, position),
      seal: (session, seal) => events.seal(session, seal),
      adopt: (session, adoption) => events.adopt(session, adoption),
      remove: (session) => events.remove(session),
    };
  }
}

async function textsOf({ events }: Engine): Promise<readonly string[] | undefined> {
  const part = await events.read(key, { stream: name, sequence: -1 });
  return part?.events.map(({ data }) => data);
}
