import { expect, test } from "vitest";
import { RelayedStatelessResponse } from "../../../cluster/relay/stateless-response.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { EventStreamResponse, type StreamHost } from "../../../runtime/transport/http-server/session/event-stream.ts";

const message = { kind: "request", id: 7, method: "tools/call", params: {} } as const;
const progress = { jsonrpc: "2.0", method: "notifications/progress", params: {} } as const;

/** A response to a request that another node has received, and what happens to its stream and its connection. */
function create() {
  const seen: unknown[] = [];
  const hosts: StreamHost[] = [];
  class Noted extends EventStreamResponse {
    override get waiting(): number {
      return 5;
    }
    override prime(): void {
      seen.push("prime");
    }
    override send(data: string, options?: unknown): void {
      seen.push(["send", data, options]);
    }
    override settle(id?: unknown): void {
      seen.push(["settle", id]);
    }
    override end(): void {
      seen.push("end");
    }
  }
  const response = new RelayedStatelessResponse({
    identity: { principal: "ada" },
    message,
    settings: { maxStreamBytes: 9, metrics: undefined, retry: 3 },
    createStream(host) {
      hosts.push(host);
      return new Noted("stream", host);
    },
  });
  response.start({
    message: () => expect.unreachable(),
    classified: (incoming, origin) => seen.push([incoming, origin === response]),
    problem: () => expect.unreachable(),
    ended: () => expect.unreachable(),
    disconnected: (reason) => seen.push(["disconnected", reason?.message]),
  });
  return { hosts, response, seen };
}

test("a relayed request is delivered after the stream of its response has begun", () => {
  const { hosts, response, seen } = create();
  response.receive();
  expect(seen).toEqual(["prime", [message, true]]);
  expect([response.identity, response.buffered, response.maxBuffered]).toEqual([{ principal: "ada" }, 5, 9]);
  expect(response.releaseConnection()).toBe(false);
  expect(hosts).toMatchObject([{ maxWaiting: 9, metrics: undefined, retry: 3, isResumable: false }]);
  expect(hosts[0]?.remember({ stream: "stream", sequence: 0, data: "" })).toBeUndefined();
});

test("a relayed response ends its stream and its connection, and nothing follows it", async () => {
  const { response, seen } = create();
  void response.send(progress);
  expect(response.isDone).toBe(false);
  void response.send({ jsonrpc: "2.0", id: 7, result: {} });
  void response.send(progress);
  response.abandon();
  response.leave();
  await response.close();
  await settle();
  expect([response.isDone, seen]).toEqual([
    true,
    [
      ["send", JSON.stringify(progress), undefined],
      ["send", '{"jsonrpc":"2.0","id":7,"result":{}}', { respondsTo: 7 }],
      ["settle", 7],
      "end",
      ["disconnected", undefined],
    ],
  ]);
});

test.each(["abandon", "close"] as const)("a relayed request without a response ends by %s", async (how) => {
  const { response, seen } = create();
  void response[how]();
  expect([response.isDone, seen]).toEqual([true, [["settle", 7], "end"]]);
  await settle();
  expect(seen.at(-1)).toEqual(["disconnected", undefined]);
});

test("a relayed request is cancelled once when its client has left, or another node has taken over its stream", () => {
  const { hosts, response, seen } = create();
  hosts[0]?.fenced(new EventStreamResponse("stream", hosts[0]), { requests: [7], unsent: [] });
  response.leave();
  const reason = "The client closed the connection before the response";
  expect([response.isDone, seen]).toEqual([true, ["end", ["disconnected", reason]]]);
});
