import { afterEach, describe, expect, test } from "vitest";
import { Metrics } from "../../../../runtime/jsonrpc/metrics.ts";
import type { Outgoing } from "../../../../runtime/jsonrpc/message.ts";
import {
  StatelessResponse,
  type StatelessResponseOptions,
} from "../../../../runtime/transport/http-server/stateless-response.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { WatchedExchange } from "./watched-exchange.ts";

const result: Outgoing = { jsonrpc: "2.0", id: 1, result: { done: true } };
const notification: Outgoing = { jsonrpc: "2.0", method: "notifications/progress", params: { n: 1 } };
const comment = ":\n\n";
const eventOf = (message: Outgoing): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

interface Options extends Partial<StatelessResponseOptions> {
  readonly method?: string;
  /** Message of the connection as soon as it receives the request. */
  readonly atOnce?: Outgoing | undefined;
}

afterEach(() => WatchedExchange.check());

/** A request of the web platform whose response is written step by step, and what its connection is told. */
function open(options: Options = {}) {
  const client = new AbortController();
  const exchange = new WatchedExchange(client.signal);
  const { method = "tools/call", atOnce, ...given } = options;
  const info = { name: "test", version: "1" };
  const post = new StatelessResponse(exchange, {
    identity: { principal: "ann" },
    parsed: {
      message: { kind: "request", id: 1, method, params: {} },
      agreement: { revision: statelessRevision, client: { info, capabilities: {} } },
    },
    style: "auto",
    maxWaiting: 100_000,
    metrics: undefined,
    ...given,
  });
  const ends: (string | undefined)[] = [];
  const received: unknown[] = [];
  post.start({
    message: () => {},
    classified(incoming, origin) {
      received.push(incoming, origin);
      if (atOnce) void post.send(atOnce);
    },
    problem: () => {},
    ended: () => {},
    disconnected: (reason) => void ends.push(reason?.message),
  });
  return { post, client, exchange, ends, received, response: exchange.response };
}

async function read(response: Promise<Response>): Promise<readonly [number, string | null, string]> {
  const { status, headers, body } = await response;
  return [status, headers.get("content-type"), await new Response(body).text()];
}

describe("the response to a stateless request", () => {
  test("a response is JSON, is sent once, and ends the connection in a later step", async () => {
    const { post, response, ends, received } = open();
    post.receive();
    expect(received).toEqual([{ kind: "request", id: 1, method: "tools/call", params: {} }, post]);
    expect(post).toMatchObject({ isDone: false, buffered: 0, maxBuffered: 100_000, identity: { principal: "ann" } });
    expect(post.network).toEqual({ transport: "tcp", protocol: "http" });
    expect(post.releaseConnection()).toBe(false);
    void post.send(result);
    expect([post.isDone, ends]).toEqual([true, []]);
    void post.send({ ...result, result: {} });
    post.keepAlive();
    post.keepAlive();
    await post.close();
    expect(ends).toEqual([undefined]);
    expect(await read(response)).toEqual([200, "application/json", JSON.stringify(result)]);
    expect((await response).headers.get("retry-after")).toBeNull();
  });

  test.each([
    ["an error that the revision defines", { code: -32_022 }, 400],
    ["an unknown method", { code: -32_601 }, 404],
    ["an invalid request", { code: -32_600 }, 400],
    ["an unavailable server", { code: 503 }, 503],
    ["invalid metadata as a whole", { code: -32_602, data: { path: "_meta" } }, 400],
    ["invalid metadata", { code: -32_602, data: { path: "_meta/a" } }, 400],
    ["a parameter whose name begins like that of metadata", { code: -32_602, data: { path: "_metadata" } }, 200],
    ["a parameter below another", { code: -32_602, data: { path: "a/_meta/b" } }, 200],
    ["a path of another type", { code: -32_602, data: { path: 5 } }, 200],
    ["data of another type", { code: -32_602, data: "_meta" }, 200],
    ["another error about metadata", { code: -32_603, data: { path: "_meta" } }, 200],
    ["an error of a handler", { code: 7 }, 200],
  ])("an error response for %s has its status", async (_what, error, status) => {
    const { post, response } = open();
    const message: Outgoing = { jsonrpc: "2.0", id: 1, error: { message: "No", ...error } };
    void post.send(message);
    expect(await read(response)).toEqual([status, "application/json", JSON.stringify(message)]);
    expect((await response).headers.get("retry-after")).toBe(status === 503 ? "1" : null);
  });

  test("a response in the style of streams is a stream of one event, unless it has the status of an error", async () => {
    const [fine, failed] = [open({ style: "sse" }), open({ style: "sse" })];
    void fine.post.send(result);
    void failed.post.send({ jsonrpc: "2.0", id: 1, error: { code: -32_601, message: "No" } });
    expect(await read(fine.response)).toEqual([200, "text/event-stream", eventOf(result)]);
    expect((await read(failed.response)).slice(0, 2)).toEqual([404, "application/json"]);
  });

  test("a notification makes the response a stream, which its response ends", async () => {
    const { post, response, ends } = open();
    expect(post.send(notification)).toBeUndefined();
    expect(post.buffered).toBe(eventOf(notification).length);
    void post.send(result);
    expect(await read(response)).toEqual([200, "text/event-stream", eventOf(notification) + eventOf(result)]);
    expect(ends).toEqual([undefined]);
  });

  test.each([
    ["tools/call", "application/json", JSON.stringify(result)],
    ["unknown/method", "application/json", JSON.stringify(result)],
    ["subscriptions/listen", "text/event-stream", eventOf(notification) + eventOf(result)],
  ])("a notification of %s in the style of JSON makes the type %s", async (method, type, text) => {
    const { post, response } = open({ style: "json", method });
    void post.send(notification);
    void post.send(result);
    expect(await read(response)).toEqual([200, type, text]);
  });

  test("a call that takes long becomes a stream in the second step of maintenance, with comments in later ones", async () => {
    const { post, response } = open();
    post.receive();
    let hasBegun = false;
    void response.then(() => (hasBegun = true));
    post.keepAlive();
    await settle();
    expect(hasBegun).toBe(false);
    post.keepAlive();
    await settle();
    expect([hasBegun, post.buffered]).toEqual([true, 0]);
    post.keepAlive();
    void post.send(result);
    expect((await read(response))[2]).toBe(comment + eventOf(result));
  });
});

describe("the end of a stateless request without a response", () => {
  test("a server that closes responds with an error, and tells the connection once", async () => {
    const { post, response, ends } = open();
    await Promise.all([post.close(), post.close()]);
    const [status, , text] = await read(response);
    expect([status, JSON.parse(text)]).toMatchObject([200, { jsonrpc: "2.0", id: 1, error: { code: -32_603 } }]);
    expect([post.isDone, ends]).toEqual([true, [undefined]]);
  });

  test.each(["close", "abandon"] as const)("%s ends a stream without another event", async (how) => {
    const { post, response, ends } = open();
    void post.send(notification);
    void post[how]();
    expect(post.isDone).toBe(true);
    void post.send(result);
    expect((await read(response))[2]).toBe(eventOf(notification));
    expect(ends).toEqual([undefined]);
  });

  test.each([
    ["before the response", undefined, [499, null, ""]],
    ["of a stream", notification, [200, "text/event-stream", eventOf(notification)]],
  ])("a client that closes the connection %s cancels the request", async (_when, atOnce, expected) => {
    const { post, client, response, ends } = open({ atOnce });
    post.receive();
    client.abort();
    await settle();
    expect([post.isDone, ends]).toEqual([true, ["The client closed the connection before the response"]]);
    void post.send(result);
    post.keepAlive();
    post.keepAlive();
    await post.close();
    expect(await read(response)).toEqual(expected);
    expect(ends).toHaveLength(1);
  });

  test("a client that closes the connection after the response has not cancelled", async () => {
    const { post, client, ends } = open();
    post.receive();
    void post.send(result);
    client.abort();
    await settle();
    expect(ends).toEqual([undefined]);
  });
});

describe("a stateless request with a slow reader", () => {
  /** A notification whose event has so many bytes. */
  const ofSize = (size: number): Outgoing => {
    const bare: Outgoing = { jsonrpc: "2.0", method: "x", params: { text: "" } };
    return { ...bare, params: { text: "x".repeat(size - eventOf(bare).length) } };
  };

  test.each([
    [64 * 1024, false],
    [64 * 1024 + 1, true],
  ])("the sender of %i bytes waits for the reader: %s", async (size, waits) => {
    const { post, response } = open();
    const sent = post.send(ofSize(size));
    expect([post.buffered, sent instanceof Promise]).toEqual([size, waits]);
    const reader = (await response).body?.getReader();
    await reader?.read();
    await sent;
    expect(post.buffered).toBe(0);
  });

  test.each([
    [100_000, 0],
    [100_001, 1],
  ])("a connection for which %i bytes wait is destroyed by a further message %i times", async (size, times) => {
    const counting = new Metrics();
    for (const metrics of [counting, undefined]) {
      const { post, response, ends } = open({ metrics });
      expect(post.send(ofSize(size))).toBeInstanceOf(Promise);
      expect(post.send(notification) instanceof Promise).toBe(times === 0);
      expect([ends.length, post.isDone]).toEqual([times, times === 1]);
      if (times === 1) await expect(read(response)).rejects.toThrow("aborted");
      else await post.close();
    }
    expect(counting.read().dropped.get("stream") ?? 0).toBe(times);
  });
});
