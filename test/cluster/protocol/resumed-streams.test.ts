import { describe, expect, test } from "vitest";
import { UnstoredEvents } from "../../../cluster/engine/unstored-events.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import type { SharedEventStore } from "../../../cluster/stores/shared-event-store.ts";
import { FollowedStream, type FollowedStreamOptions } from "../../../cluster/streams/followed-stream.ts";
import { SharedStream, type SharedStreamOptions } from "../../../cluster/streams/shared-stream.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import type { EventWriter } from "../../../runtime/transport/http-server/exchange/exchange.ts";
import { override } from "../../kit/override.ts";
import { createGate, type Gate } from "../../kit/time.ts";
import { firstNode, key, secondNode } from "../contract/cluster.ts";
import { toWriter } from "../event-writer.ts";

/* Connections that continue a stream after an event: at the node that writes it, and at another one. */

const name = "first000000000";
const part = 256;

/** Connection that records what is written, and can be slow. */
interface Connection extends EventWriter {
  readonly written: string[];
  waiting: number;
  /** Opens when a slow reader has read everything. */
  readonly read: Gate;
  ends: number;
  leave(): void;
}

function createConnection(waiting = 0): Connection {
  const written: string[] = [];
  const read = createGate();
  const connection: Connection = {
    ...toWriter(written),
    written,
    waiting,
    read,
    ends: 0,
    drained: () => read.opened,
    end: () => void (connection.ends += 1),
    onClose: (run) => void (connection.leave = run),
    leave() {},
  };
  return connection;
}

const textsOf = ({ written }: Connection): readonly (string | undefined)[] =>
  written.map((event) => /^data: (.*)$/m.exec(event)?.[1]);

const numbers = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, index) => String(from + index));

/** Stream of the first node with numbers as its events, and a count of the reads of its events. */
async function open(count: number, options: Partial<SharedStreamOptions> = {}) {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock }).connect();
  await engine.open();
  await engine.nodes.renew(firstNode, { milliseconds: 6_000, isNew: true });
  const reads = { count: 0, failsAt: Infinity };
  const events = override(engine.events, {
    async read(session, position) {
      reads.count += 1;
      if (reads.count >= reads.failsAt) throw new EngineError("The engine is away");
      return engine.events.read(session, position);
    },
  });
  const host = {
    maxWaiting: 1_000_000,
    metrics: undefined,
    retry: 20,
    isResumable: true,
    remember: () => undefined,
    fenced: () => {},
  };
  const unstored = new UnstoredEvents(1_000_000);
  const place = { session: key, name, host, events, owner: firstNode, clock, requests: [1], unstored };
  const stream = new SharedStream({ ...place, ...options });
  await Promise.all(numbers(0, count).map((text) => stream.send(text)));
  reads.count = 0;
  return { clock, engine, events, reads, stream };
}

describe("a stream that is resumed at the node that writes it", () => {
  test("a stream is resumed after an event with those that follow, in several parts", async () => {
    const { reads, stream } = await open(part + 10);
    const connection = createConnection();
    expect(await stream.resume(1, () => connection)).toBe("resumed");
    await stream.send("last");
    await expect.poll(() => textsOf(connection)).toEqual([...numbers(2, part + 10), "last"]);
    expect([reads.count > 1, connection.ends, stream.isConnected]).toEqual([true, 0, true]);
  });

  test("a stream is not resumed after an event that is not known", async () => {
    const { stream } = await open(3);
    expect(await stream.resume(7, () => expect.unreachable("The position is not known"))).toBe("unknown");
    expect(stream.isConnected).toBe(false);
  });

  test("a slow reader of a stream gets the next part when it has read the one before", async () => {
    const { reads, stream } = await open(part + 10);
    const connection = createConnection(64 * 1024 + 1);
    expect(await stream.resume(-1, () => connection)).toBe("resumed");
    await stream.send("last");
    expect([textsOf(connection), reads.count]).toEqual([numbers(0, part), 1]);
    connection.read.open();
    await expect.poll(() => textsOf(connection)).toEqual([...numbers(0, part + 10), "last"]);
  });

  test.each(["leaves", "resumes again"])("a client that %s while it reads gets no further part", async (how) => {
    const { reads, stream } = await open(part + 10);
    const [connection, next] = [createConnection(64 * 1024 + 1), createConnection()];
    await stream.resume(-1, () => connection);
    if (how === "leaves") connection.leave();
    else await stream.resume(part + 8, () => next);
    reads.count = 0;
    connection.read.open();
    await stream.send("last");
    expect([textsOf(connection), reads.count]).toEqual([numbers(0, part), 0]);
    expect(textsOf(next)).toEqual(how === "leaves" ? [] : [String(part + 9), "last"]);
    expect(connection.ends).toBe(how === "leaves" ? 0 : 1);
  });

  test("a connection ends when the events after its first part cannot be read", async () => {
    const { reads, stream } = await open(part + 10);
    reads.failsAt = 2;
    const connection = createConnection();
    expect(await stream.resume(-1, () => connection)).toBe("resumed");
    await expect.poll(() => connection.ends).toBe(1);
    expect(textsOf(connection)).toEqual(numbers(0, part));
  });

  test("a connection ends after the last event of a stream that has ended", async () => {
    const { stream } = await open(3);
    stream.settle(1);
    stream.end();
    await stream.flushed();
    const connection = createConnection();
    expect(await stream.resume(0, () => connection)).toBe("resumed");
    await expect.poll(() => connection.ends).toBe(1);
    expect([textsOf(connection), stream.isConnected]).toEqual([["1", "2"], false]);
  });
});

describe("a request of a stream", () => {
  test("a request is settled once, and one that is not known is not", async () => {
    const { engine, stream } = await open(1, { requests: [1, 2] });
    for (const id of [3, 1, 1]) stream.settle(id);
    await stream.flushed();
    expect(await engine.events.read(key, { stream: name, sequence: 0 })).toMatchObject({ open: [2], isEnded: false });
  });
});

describe("a stream opened by GET that its client replaces", () => {
  const seal = async (count: number, adopt = false): Promise<readonly unknown[]> => {
    const seals: unknown[] = [];
    const { engine, stream } = await open(count, { requests: [] });
    Object.defineProperty(engine.events, "seal", {
      value: (_session: unknown, given: unknown) => void seals.push(given),
    });
    if (adopt) {
      await engine.events.adopt(key, { stream: name, fence: 0, node: secondNode });
      await stream.send("fenced");
    }
    await stream.endStored();
    return seals;
  };

  test("a replaced stream with events is sealed", async () => {
    expect(await seal(1)).toEqual([{ stream: name, fence: 0, node: firstNode, data: [] }]);
  });

  test.each([
    ["without events", 0, false],
    ["that another node writes", 1, true],
  ])("a replaced stream %s is not sealed", async (_which, count, adopt) => {
    expect(await seal(count, adopt)).toEqual([]);
  });
});

describe("a stream that is followed at another node", () => {
  const follow = (
    { events, engine, clock }: Awaited<ReturnType<typeof open>>,
    connection: Connection,
    options: Partial<FollowedStreamOptions> = {},
  ): { readonly stream: FollowedStream; readonly errors: unknown[]; readonly watches: string[] } => {
    const [errors, watches]: [unknown[], string[]] = [[], []];
    const watch = async () => (watches.push("watch"), () => void watches.push("unwatch"));
    const place = { session: key, name, events, nodes: engine.nodes, node: secondNode, clock, retry: 20, watch };
    const given = {
      ...place,
      canSeal: () => true,
      open: () => connection,
      fail: (thrown: unknown) => errors.push(thrown),
    };
    return { stream: new FollowedStream({ ...given, ...options }, 0), errors, watches };
  };

  test("a followed stream has the events after a position, with their ids, until it ends", async () => {
    const opened = await open(3);
    const connection = createConnection();
    const { stream, watches } = follow(opened, connection);
    await opened.clock.pass(0);
    expect([stream.isConnected, connection.ends, watches]).toEqual([true, 0, ["watch"]]);
    opened.stream.settle(1);
    await opened.clock.pass(1_000);
    await stream.finished;
    expect(connection.written).toEqual(
      ["1", "2"].map((text) => `event: message\nid: ${name}-${text}\ndata: ${text}\n\n`),
    );
    expect([stream.isConnected, watches]).toEqual([false, ["watch", "unwatch"]]);
  });

  test("a slow reader of a followed stream gets the next part when it has read the one before", async () => {
    const opened = await open(part + 10);
    const connection = createConnection(64 * 1024 + 1);
    const { stream } = follow(opened, connection);
    await opened.clock.pass(2_000);
    expect(textsOf(connection)).toEqual(numbers(1, part + 1));
    expect(stream.waiting).toBe(64 * 1024 + 1);
    connection.read.open();
    await opened.clock.pass(2_000);
    expect(textsOf(connection)).toEqual(numbers(1, part + 10));
    stream.end();
  });

  test("a followed stream has the comments of its connection while it is open", async () => {
    const connection = createConnection();
    const { stream } = follow(await open(1), connection);
    stream.touch(":\n\n");
    connection.leave();
    stream.touch("late");
    expect([connection.written, stream.isConnected]).toEqual([[":\n\n"], false]);
    await stream.finished;
  });

  test("a followed stream whose position is not known ends", async () => {
    const opened = await open(1);
    const connection = createConnection();
    const events: SharedEventStore = override(opened.events, { read: () => undefined });
    const { stream, errors } = follow({ ...opened, events }, connection);
    await stream.finished;
    expect([connection.written, connection.ends > 0, errors]).toEqual([[], true, []]);
  });

  test.each([
    [true, 1],
    [false, 0],
  ])("a followed stream whose node stops is sealed, if an expired lease proves that: %s", async (canSeal, errors) => {
    const opened = await open(1);
    const connection = createConnection();
    const { stream } = follow(opened, connection, { canSeal: () => canSeal });
    await opened.engine.nodes.leave(firstNode);
    await opened.clock.pass(3_000);
    expect(connection.written.filter((text) => text.includes('"id":1,"error"'))).toHaveLength(errors);
    expect(stream.isConnected).toBe(!canSeal);
    stream.end();
  });
});
