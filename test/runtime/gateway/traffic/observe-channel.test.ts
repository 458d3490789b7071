import { expect, test, vi } from "vitest";
import { observeChannel } from "../../../../runtime/gateway/traffic/observe-channel.ts";
import type { Channel, FramingProblem, Receiver } from "../../../../runtime/jsonrpc/channel.ts";
import { StaticResult, type Incoming } from "../../../../runtime/jsonrpc/message.ts";

/* A channel with an observer: it works as before, and the observer receives what is on the wire. */

function observe(more: Partial<Channel> = {}) {
  const observed: unknown[] = [];
  let receiver: Receiver | undefined;
  const send = vi.fn<Channel["send"]>();
  const inner: Channel = { start: (given) => void (receiver = given), send, close: async () => {}, ...more };
  const channel = observeChannel(inner, {
    sent: (message) => void observed.push(["sent", message]),
    received: (value) => void observed.push(["received", value]),
    unreadable: (problem) => void observed.push(["unreadable", problem]),
  });
  const start = (given: Receiver): Receiver => {
    channel.start(given);
    return receiver ?? expect.unreachable("the channel is started");
  };
  return { channel, observed, send, start };
}

function createReceiver(): Receiver {
  return { message: vi.fn(), classified: vi.fn(), problem: vi.fn(), ended: vi.fn(), disconnected: vi.fn() };
}

const base = { jsonrpc: "2.0" } as const;

test.each<readonly [Incoming, object]>([
  [
    { kind: "request", id: 1, method: "a", params: {} },
    { ...base, id: 1, method: "a", params: {} },
  ],
  [
    { kind: "request", id: 1, method: "a", params: undefined },
    { ...base, id: 1, method: "a" },
  ],
  [
    { kind: "notification", method: "a", params: undefined },
    { ...base, method: "a" },
  ],
  [
    { kind: "result", id: 1, result: {} },
    { ...base, id: 1, result: {} },
  ],
  [
    { kind: "error", id: undefined, error: { code: 1, message: "no" } },
    { ...base, error: { code: 1, message: "no" } },
  ],
  [{ kind: "invalid", id: 1, reason: "odd" }, { id: 1 }],
  [{ kind: "unusable", id: undefined, reason: "odd" }, {}],
])("a message that the transport has classified as %j is observed as it was", (incoming, message) => {
  const { observed, start } = observe();
  const receiver = createReceiver();
  start(receiver).classified(incoming, "origin");
  expect(observed).toStrictEqual([["received", message]]);
  expect(receiver.classified).toHaveBeenCalledExactlyOnceWith(incoming, "origin");
});

test("values that arrive are observed one by one, and received as they are", () => {
  const { observed, start } = observe();
  const receiver = createReceiver();
  const inner = start(receiver);
  const batch = [{ ...base, method: "a" }, 5];
  inner.message(batch, "origin");
  inner.message("text");
  const problem: FramingProblem = { kind: "syntax", message: "odd" };
  inner.problem(problem);
  inner.ended();
  inner.disconnected(new Error("gone"));
  expect(observed).toEqual([
    ["received", batch[0]],
    ["received", 5],
    ["received", "text"],
    ["unreadable", problem],
  ]);
  expect(vi.mocked(receiver.message).mock.calls).toEqual([
    [batch, "origin"],
    ["text", undefined],
  ]);
  expect(receiver.problem).toHaveBeenCalledExactlyOnceWith(problem);
  expect(receiver.ended).toHaveBeenCalledOnce();
  expect(receiver.disconnected).toHaveBeenCalledExactlyOnceWith(new Error("gone"));
});

test("a receiver that can pause a timeout still can, and another one cannot", () => {
  const resume = vi.fn();
  const hold = vi.fn(() => resume);
  expect(
    observe()
      .start({ ...createReceiver(), hold })
      .hold?.(1),
  ).toBe(resume);
  expect(hold).toHaveBeenCalledExactlyOnceWith(1);
  expect("hold" in observe().start(createReceiver())).toBe(false);
});

test("messages that are sent are observed with their values, unless they cannot be encoded", () => {
  const { channel, observed, send } = observe({ carriesOneByOne: true });
  const waiting = Promise.resolve();
  send.mockReturnValueOnce(waiting);
  const [notification, result] = [
    { ...base, method: "a" },
    { ...base, id: 1, result: new StaticResult({ a: 1 }) },
  ];
  expect(channel.send([notification, result], 7)).toBe(waiting);
  expect(send).toHaveBeenCalledExactlyOnceWith([notification, result], 7);
  void channel.send(notification);
  send.mockImplementationOnce(() => {
    throw new Error("not encodable");
  });
  expect(() => void channel.send(result)).toThrow("not encodable");
  expect(observed).toEqual([
    ["sent", notification],
    ["sent", { ...base, id: 1, result: { a: 1 } }],
    ["sent", notification],
  ]);
  expect([channel.carriesOneByOne, "abandon" in channel]).toEqual([true, false]);
});
