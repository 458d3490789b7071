import { describe, expect, test } from "vitest";
import { Metrics } from "../../../../runtime/jsonrpc/metrics.ts";
import type { StoredEvent } from "../../../../runtime/stores/event-store.ts";
import type { EventWriter } from "../../../../runtime/transport/http-server/exchange/exchange.ts";
import {
  EventStreamResponse,
  findListener,
  isListenerKey,
  keptListeners,
  type StreamHost,
} from "../../../../runtime/transport/http-server/session/event-stream.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { createGate, type Gate } from "../../../kit/time.ts";

/** Connection whose reader reads nothing until the test says so. */
class HeldWriter implements EventWriter {
  readonly written: string[] = [];
  readonly ends: string[] = [];
  readonly read: Gate = createGate();
  waiting = 0;
  #closed = (): void => {};

  write(text: string): void {
    this.written.push(text);
    this.waiting += text.length;
  }

  drained(): Promise<void> {
    return this.read.opened;
  }

  end(): void {
    this.ends.push("end");
    this.#closed();
  }

  destroy(): void {
    this.ends.push("destroy");
    this.#closed();
  }

  onClose(run: () => void): void {
    this.#closed = run;
  }
}

interface Options extends Partial<Pick<StreamHost, "isResumable" | "maxWaiting">> {
  readonly remember?: (event: StoredEvent) => Promise<void> | undefined;
}

function open({ isResumable = true, maxWaiting = 100_000, remember = () => undefined }: Options = {}) {
  const metrics = new Metrics();
  const host: StreamHost = { maxWaiting, metrics, retry: 7, isResumable, fenced: () => {}, remember };
  const stream = new EventStreamResponse("s", host);
  const writer = new HeldWriter();
  stream.connect(writer);
  return { stream, writer, dropped: () => metrics.read().dropped.get("stream") ?? 0 };
}

const event = (sequence: number, data: string): string => `event: message\nid: s-${sequence}\ndata: ${data}\n\n`;
const frame = event(0, "").length;
const stored = (...texts: readonly string[]): readonly StoredEvent[] =>
  texts.map((data, sequence) => ({ stream: "s", sequence, data }));

describe("an event stream with a slow reader", () => {
  test.each([
    [64 * 1024, false],
    [64 * 1024 + 1, true],
  ])("the sender of an event of %i bytes waits for the reader: %s", async (size, waits) => {
    const { stream, writer } = open();
    const sent = stream.send("x".repeat(size - frame));
    expect([stream.waiting, sent instanceof Promise]).toEqual([size, waits]);
    writer.read.open();
    await sent;
  });

  test.each([
    [100_000, []],
    [100_001, ["destroy"]],
  ])("a connection for which %i bytes wait when an event is sent ends so: %j", (size, ends) => {
    const { stream, writer, dropped } = open();
    expect(stream.send("x".repeat(size - frame))).toBeInstanceOf(Promise);
    expect(stream.send("more") instanceof Promise).toBe(ends.length === 0);
    expect([writer.ends, dropped(), stream.isConnected]).toEqual([ends, ends.length, ends.length === 0]);
  });
});

describe("the connection of an event stream", () => {
  test("an event stream replaces its connection by a later one, and does not lose that when the earlier one closes", () => {
    const { stream, writer } = open();
    const later = new HeldWriter();
    stream.connect(later);
    expect([writer.ends, stream.isConnected]).toEqual([["end"], true]);
    void stream.send("a");
    stream.touch(":\n\n");
    expect([writer.written, later.written]).toEqual([[], [event(0, "a"), ":\n\n"]]);
    stream.release();
    expect([later.ends, stream.isConnected, stream.isEnded, stream.waiting]).toEqual([["end"], false, false, 0]);
    expect(stream.send("b")).toBeUndefined();
    stream.end();
    expect(stream.isEnded).toBe(true);
  });

  test.each([
    [true, ["id: s-0\nretry: 7\ndata: \n\n", event(1, "a")]],
    [false, ["event: message\ndata: a\n\n"]],
  ])(
    "an event stream that can be resumed (%s) begins with an id, and can be resumed after it",
    (isResumable, texts) => {
      const { stream, writer } = open({ isResumable });
      expect(stream.isResumable).toBe(false);
      stream.prime();
      expect(stream.isResumable).toBe(isResumable);
      void stream.send("a");
      expect([writer.written, stream.isResumable]).toEqual([texts, isResumable]);
    },
  );
});

describe("the events of a stream in a store that takes time", () => {
  test("an event stream is being stored until the last event is, in any order", async () => {
    const gates = [createGate(), createGate()];
    const kept: StoredEvent[] = [];
    const remember = (of: StoredEvent): Promise<void> | undefined => {
      kept.push(of);
      return gates[of.sequence]?.opened;
    };
    const { stream } = open({ remember });
    expect(stream.storing).toBeUndefined();
    for (const text of ["a", "b"]) void stream.send(text);
    gates[1]?.open();
    await settle();
    expect(stream.storing).toBeInstanceOf(Promise);
    gates[0]?.open();
    await settle();
    expect([stream.storing, kept]).toEqual([undefined, stored("a", "b")]);
  });

  test("a stream that cannot be resumed stores nothing", () => {
    const kept: unknown[] = [];
    const { stream } = open({ isResumable: false, remember: (of) => void kept.push(of) });
    void stream.send("a");
    stream.prime();
    expect(kept).toEqual([]);
  });

  test("a resumption reads after the events before it are stored, and sends those of the meantime once", async () => {
    const gates = [createGate()];
    const { stream, writer } = open({ remember: ({ sequence }) => gates[sequence]?.opened });
    void stream.send("a");
    const reads: unknown[] = [];
    const resumed = new HeldWriter();
    const isResumed = stream.resume(
      () => resumed,
      { stream: "s", sequence: -1 },
      () => (reads.push("read"), stored("a", "b")),
    );
    void stream.send("b");
    void stream.send("c");
    stream.end();
    await settle();
    expect([reads, writer.ends, resumed.ends]).toEqual([[], [], []]);
    gates[0]?.open();
    expect(await isResumed).toBe(true);
    expect(resumed.written).toEqual([event(0, "a"), event(1, "b"), event(2, "c")]);
    expect([writer.written, writer.ends, resumed.ends]).toEqual([[event(0, "a")], ["end"], ["end"]]);
  });

  test.each([
    [1, true, []],
    [0, false, ["c"]],
    [5, false, ["c"]],
  ])("a resumption after %i whose events are forgotten succeeds if it has all: %s", async (sequence, isKnown, rest) => {
    const { stream, writer } = open();
    for (const text of ["a", "b"]) void stream.send(text);
    const resumed = new HeldWriter();
    expect(
      await stream.resume(
        () => resumed,
        { stream: "s", sequence },
        () => undefined,
      ),
    ).toBe(isKnown);
    void stream.send("c");
    expect(writer.written.slice(2)).toEqual(rest.map((text) => event(2, text)));
    expect(resumed.written).toEqual(isKnown ? [event(2, "c")] : []);
  });

  test("the later of two resumptions counts, and a failure leaves the connection as it was", async () => {
    const { stream, writer } = open();
    void stream.send("a");
    const [first, second] = [new HeldWriter(), new HeldWriter()];
    const reading = createGate();
    const from = { stream: "s", sequence: -1 };
    const early = stream.resume(
      () => first,
      from,
      () => reading.opened.then(() => stored("a")),
    );
    const late = stream.resume(
      () => second,
      from,
      () => stored("a"),
    );
    expect(await late).toBe(true);
    reading.open();
    expect([await early, first.written, second.written]).toEqual([false, [], [event(0, "a")]]);
    const down = stream.resume(
      () => first,
      from,
      () => Promise.reject(new Error("down")),
    );
    void stream.send("b");
    await expect(down).rejects.toThrow("down");
    expect([writer.ends, second.written.at(-1), first.written]).toEqual([["end"], event(1, "b"), []]);
  });

  test("a stream of another process continues with the number after its last event", async () => {
    const { stream } = open();
    const resumed = new HeldWriter();
    await stream.resume(
      () => resumed,
      { stream: "s", sequence: -1 },
      () => stored("a", "b"),
    );
    void stream.send("c");
    expect(resumed.written.at(-1)).toBe(event(2, "c"));
  });
});

describe("the streams that a client opens by GET", () => {
  const connected = open().stream;
  const another = open().stream;
  const released = open().stream;
  released.prime();
  released.release();
  const lost = open({ isResumable: false }).stream;
  lost.release();

  test.each([
    ["the latest connected one", [connected, another, released], another],
    ["one that can be resumed, without a connected one", [released, lost], released],
    ["none that is lost", [lost], undefined],
  ])("a message is sent on %s", (_which, streams, expected) => {
    expect(findListener(streams)).toBe(expected);
  });

  test("a new stream ends those without a connection, and all but the latest connected one", () => {
    expect(keptListeners([connected, another, released])).toEqual([another]);
    expect(keptListeners([])).toEqual([]);
  });

  test("the key of a stream tells whether it was opened by GET", () => {
    expect([isListenerKey("g12"), isListenerKey("1g2"), isListenerKey("")]).toEqual([true, false, false]);
  });
});
