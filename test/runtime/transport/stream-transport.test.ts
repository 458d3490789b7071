import { EventEmitter } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { FramingProblem, Receiver } from "../../../runtime/jsonrpc/channel.ts";
import type { NotificationMessage } from "../../../runtime/jsonrpc/message.ts";
import { StreamTransport } from "../../../runtime/transport/stream-transport.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";

class Input extends EventEmitter {
  isPaused = false;
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
}

class Output extends EventEmitter {
  readonly writes: string[] = [];
  writableLength = 0;
  isSlow = false;
}

function open(options: { readonly pausesInput?: boolean; readonly maxBufferedBytes?: number } = {}): {
  readonly transport: StreamTransport;
  readonly input: Input;
  readonly output: Output;
  readonly events: unknown[];
} {
  const [input, output] = [new Input(), new Output()];
  const events: unknown[] = [];
  const receiver: Receiver = {
    message: (value) => void events.push(value),
    classified: (incoming) => void events.push(incoming),
    problem: ({ kind }: FramingProblem) => void events.push(kind),
    ended: () => void events.push("ended"),
    disconnected: (reason) => void events.push(reason ?? "disconnected"),
  };
  const transport = new StreamTransport({
    input,
    output,
    write(text) {
      output.writes.push(text);
      return !output.isSlow;
    },
    ...(options.maxBufferedBytes !== undefined && { limits: { maxBufferedBytes: options.maxBufferedBytes } }),
    pausesInput: options.pausesInput ?? false,
    finish: () => Promise.resolve(void events.push("finished")),
  });
  transport.start(receiver);
  return { transport, input, output, events };
}

const message = (id: number): { readonly jsonrpc: "2.0"; readonly id: number; readonly result: object } => ({
  jsonrpc: "2.0",
  id,
  result: {},
});
const line = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{}}\n`;

test("messages that are sent in one turn are written in one piece, promises included", async () => {
  const { transport, output } = open();
  void transport.send(message(1));
  void Promise.resolve().then(() => Promise.resolve().then(() => transport.send(message(2))));
  await settle();
  void transport.send(message(3));
  await settle();
  expect(output.writes).toEqual([line(1) + line(2), line(3)]);
});

describe("progress and the response to its request", () => {
  const report = (progressToken: unknown): NotificationMessage => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, progress: 1 },
  });
  const reportLine = (token: unknown): string => `${JSON.stringify(report(token))}\n`;

  test("progress and its response are written in two pieces, with later messages behind the response", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { transport, output } = open();
    void transport.send(report(1));
    void transport.send(message(1));
    void transport.send(message(2));
    await settle();
    expect(output.writes).toEqual([reportLine(1)]);
    expect(transport.buffered).toBe((line(1) + line(2)).length);
    vi.runAllTimers();
    expect(output.writes).toEqual([reportLine(1), line(1) + line(2)]);
  });

  test("progress and its response do not make a piece for each call", async () => {
    const { transport, output } = open();
    for (const id of [1, 2, 3]) {
      void transport.send(report(id));
      void transport.send(message(id));
    }
    await expect
      .poll(() => output.writes)
      .toEqual([reportLine(1) + reportLine(2) + reportLine(3), line(1) + line(2) + line(3)]);
  });

  test("progress and a response share one piece when they belong to different requests", async () => {
    const { transport, output } = open();
    void transport.send(report(1));
    void transport.send(message(2));
    await settle();
    expect(output.writes).toEqual([reportLine(1) + line(2)]);
  });

  test("progress and its response are both written when the connection is closed at once", async () => {
    const { transport, output } = open();
    void transport.send(report(1));
    void transport.send(message(1));
    await transport.close();
    expect(output.writes.join("")).toBe(reportLine(1) + line(1));
  });
});

test("a slow reader makes senders wait, and a server stops reading (R25)", async () => {
  const { transport, input, output } = open({ pausesInput: true });
  output.isSlow = true;
  expect(transport.send(message(1))).toBeUndefined();
  await settle();
  expect(input.isPaused).toBe(true);
  let isRelieved = false;
  const sent = Promise.resolve(transport.send(message(2))).then(() => (isRelieved = true));
  await settle();
  expect(isRelieved).toBe(false);
  output.emit("drain");
  await sent;
  expect([input.isPaused, output.writes]).toEqual([false, [line(1), line(2)]]);
});

test("a client with a slow reader continues reading, so that both ends do not wait for each other", async () => {
  const { transport, input, output } = open();
  output.isSlow = true;
  void transport.send(message(1));
  await settle();
  expect(input.isPaused).toBe(false);
});

test("a reader that reads nothing ends the connection when too much is buffered (R25, R66)", async () => {
  const { transport, output, events } = open({ maxBufferedBytes: 100 });
  output.isSlow = true;
  void transport.send(message(1));
  await settle();
  output.writableLength = 60;
  expect(transport.buffered).toBe(60);
  void transport.send(message(2));
  expect(transport.buffered).toBe(60 + line(2).length);
  await transport.send(message(3));
  expect(events[0]).toMatchObject({ message: "The peer does not read; more than 100 bytes are queued" });
  await settle();
  expect(events.slice(1)).toEqual(["finished"]);
});

test("closing writes buffered messages, finishes once and notifies the receiver once", async () => {
  const { transport, output, events } = open();
  void transport.send(message(1));
  await Promise.all([transport.close(), transport.close()]);
  output.emit("error", new Error("EPIPE"));
  output.emit("close");
  void transport.send(message(2));
  await settle();
  expect([output.writes, events]).toEqual([[line(1)], ["finished", "disconnected"]]);
});

test.each(["input", "output"] as const)(
  "a broken %s disconnects with the reason, and no error is thrown",
  async (side) => {
    const opened = open();
    const reason = new Error("EPIPE");
    opened[side].emit("error", reason);
    await settle();
    expect(opened.events).toEqual([reason, "finished"]);
  },
);

test("the end of the input is notified after its last line", () => {
  const { input, events } = open();
  input.emit("data", Buffer.from("1\n2"));
  input.emit("end");
  expect(events).toEqual([1, 2, "ended"]);
});

test("a slow reader is detected in the same turn in which much is sent (R25)", async () => {
  const { transport, output, events } = open({ maxBufferedBytes: 1_000_000 });
  output.isSlow = true;
  const bulk = { jsonrpc: "2.0", method: "x", params: { text: "x".repeat(100_000) } } as const;
  expect(transport.send(bulk)).toBeInstanceOf(Promise);
  expect(output.writes).toHaveLength(1);
  for (let count = 1; count < 12; count += 1) void transport.send(bulk);
  await settle();
  expect(events).toEqual([
    expect.objectContaining({ message: expect.stringContaining("more than 1000000 bytes are queued") }),
    "finished",
  ]);
});
