import { describe, expect, test } from "vitest";
import { UnreachableError } from "../../../../runtime/jsonrpc/errors.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { EventStreamResponse } from "../../../../runtime/transport/http-server/session/event-stream.ts";
import type { ResponseSink } from "../../../../runtime/transport/http-server/session/session-response.ts";
import type {
  StoreChange,
  StreamDirectory,
} from "../../../../runtime/transport/http-server/session/session-streams.ts";
import { HttpSession } from "../../../../runtime/transport/http-server/session/session.ts";
import { statelessRevision, revisionOf } from "../../../kit/revisions.ts";
import { createGate } from "../../../kit/time.ts";
import { createSessionSettings } from "../../../kit/http-server.ts";
import { WatchedExchange } from "./watched-exchange.ts";

interface Given {
  readonly sendElsewhere?: StreamDirectory["sendElsewhere"];
  readonly requests?: boolean;
  readonly prepareChange?: (request: { readonly method: string }) => StoreChange | undefined;
}

/** A session, and what it has done. */
function open({ sendElsewhere, requests = false, prepareChange = () => undefined }: Given = {}) {
  const calls: unknown[] = [];
  const key = { id: "s", owner: undefined };
  const session = new HttpSession(
    key,
    createSessionSettings((thrown) => void calls.push(["fail", thrown])),
    {
      streams: {
        isResumable: true,
        nameStream: (count, kind) => `${kind}${count}`,
        createStream: (_key, { name, host }) => new EventStreamResponse(name, host),
        resume: () => Promise.resolve(false),
        ...(sendElsewhere && { sendElsewhere }),
      },
      ...(requests && {
        requests: {
          idPrefix: "n-",
          prepareChange: (_key, request) => prepareChange(request),
          ended: (...given: unknown[]) => void calls.push(["ended", ...given]),
        },
      }),
    },
  );
  session.start({
    message: (value) => calls.push(["message", value]),
    classified: (incoming) => calls.push(["classified", incoming]),
    problem: (problem) => calls.push(["problem", problem]),
    ended: () => calls.push(["ended"]),
    disconnected: () => calls.push(["disconnected"]),
  });
  return { calls, key, session };
}

const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" } as const;
const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;
const unreachable = new UnreachableError("The client has no open stream for server requests");

/** Opens a stream as a GET of the client. */
function listen(session: HttpSession): { readonly exchange: WatchedExchange; readonly text: () => Promise<string> } {
  const exchange = new WatchedExchange(null);
  session.listen(exchange);
  return { exchange, text: async () => (await exchange.response).text() };
}

describe("the streams of a session that the client has opened by GET", () => {
  test("a session has streams from the first GET until they end", async () => {
    const { session } = open();
    expect([session.hasListeners, session.isListening("listener1"), session.sendToListener("{}")]).toEqual([
      false,
      false,
      false,
    ]);
    session.releaseStream("listener1");
    const { text } = listen(session);
    expect([session.hasListeners, session.isListening("listener1"), session.isListening("listener2")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(session.sendToListener("{}")).toBe(true);
    session.releaseStream("listener1");
    expect([session.hasListeners, session.isListening("listener1")]).toEqual([true, false]);
    expect(await text()).toContain("data: {}\n");
    await session.close();
    expect([session.hasListeners, session.isListening("listener1"), session.sendToListener("{}")]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("a message of the session is sent on its stream here", async () => {
    const { session } = open({ sendElsewhere: () => expect.unreachable() });
    const { text } = listen(session);
    await session.send(changed);
    await session.send(ping);
    await session.close();
    expect((await text()).match(/"method":"[^"]+"/g)).toEqual([
      '"method":"notifications/tools/list_changed"',
      '"method":"ping"',
    ]);
  });

  test("a message of the session is sent by another process that has its stream", async () => {
    const sent: unknown[] = [];
    const { key, session } = open({ sendElsewhere: async (...given) => void sent.push(given) });
    await session.send(changed);
    await session.send(ping);
    expect(sent).toEqual([
      [key, JSON.stringify(changed), changed.method],
      [key, JSON.stringify(ping), ping.method],
    ]);
  });

  test("a message of the session has the problem of the other process", async () => {
    const { session } = open({ sendElsewhere: () => Promise.reject(unreachable) });
    await expect(session.send(changed)).rejects.toBe(unreachable);
  });

  test.each([
    ["no other process has a stream", undefined],
    ["each process sends it by itself", () => undefined],
  ])("a message of the session gets lost when %s; a request fails", async (_why, sendElsewhere) => {
    const { session } = open(sendElsewhere && { sendElsewhere });
    expect(session.send(changed)).toBeUndefined();
    await expect(session.send(ping)).rejects.toEqual(unreachable);
  });

  test("a batch and an error without an id are sent only by this process", () => {
    const { session } = open({ sendElsewhere: () => expect.unreachable() });
    expect(session.send([changed])).toBeUndefined();
    expect(session.send({ jsonrpc: "2.0", error: { code: -32700, message: "no" } })).toBeUndefined();
  });

  test("a stream that another process has taken over leaves its messages to that process, and cancels its requests", async () => {
    const sent: unknown[] = [];
    const lost = new Error("lost");
    const { calls, key, session } = open({
      sendElsewhere: (...given) => {
        sent.push(given);
        return Promise.reject(lost);
      },
    });
    const listener = Object.assign(session.openListener(), { isListener: true });
    session.fenced(listener, { requests: [7], unsent: ["", "{}"] });
    session.fenced(session.openStream([8]), { requests: [8], unsent: ["{}"] });
    await settle();
    expect([session.hasListeners, sent]).toEqual([false, [[key, "{}"]]]);
    const cancelled = (requestId: number): unknown => [
      "classified",
      { kind: "notification", method: "notifications/cancelled", params: { requestId } },
    ];
    expect(calls).toEqual([cancelled(7), cancelled(8), ["fail", lost]]);
  });
});

describe("the requests of a session", () => {
  const createSink = (): ResponseSink & { readonly seen: unknown[] } => {
    const seen: unknown[] = [];
    return {
      seen,
      respond: (...given) => seen.push(["respond", ...given]),
      skip: (id) => seen.push(["skip", id]),
      push: (...given) => void seen.push(["push", ...given]),
      keepAlive: () => seen.push(["keepAlive"]),
      end: () => seen.push(["end"]),
    };
  };

  test("a request runs until its response, and its id is known to other processes until then", async () => {
    const { calls, key, session } = open({ requests: true });
    await session.whenIdle();
    let idle = 0;
    const sink = createSink();
    session.expect(7, sink);
    session.expect(8, sink);
    const waiting = [1, 2].map(() => session.whenIdle().then(() => (idle += 1)));
    expect([session.isRunning(7), session.isBusy, session.requestIdPrefix]).toEqual([true, true, "n-"]);
    void session.send(changed, 7);
    void session.send({ jsonrpc: "2.0", id: 1, method: "ping" }, 7);
    void session.send({ jsonrpc: "2.0", id: 7, result: {} });
    await settle();
    expect([session.isRunning(7), session.isBusy, idle]).toEqual([false, true, 0]);
    session.abandon(8);
    await Promise.all(waiting);
    expect([session.isBusy, idle]).toEqual([false, 2]);
    session.abandon(9);
    void session.send({ jsonrpc: "2.0", id: 9, result: {} });
    expect(sink.seen).toEqual([
      ["push", JSON.stringify(changed), "notification"],
      ["push", JSON.stringify(ping), "request"],
      ["respond", '{"jsonrpc":"2.0","id":7,"result":{}}', 7, undefined],
      ["skip", 8],
    ]);
    expect(calls).toEqual([7, 8].map((id) => ["ended", key, id]));
  });

  test("a message for a request that has ended is dropped, and a request for it fails", async () => {
    const { session } = open({ sendElsewhere: () => expect.unreachable() });
    expect(session.send(changed, 7)).toBeUndefined();
    await expect(session.send(ping, 7)).rejects.toEqual(new UnreachableError("The related request has already ended"));
  });

  test("a session that closes ends each response and stream once", async () => {
    const { calls, session } = open();
    session.agree(revisionOf("2025-11-25"));
    const sink = createSink();
    session.expect(7, sink);
    session.expect(8, sink);
    session.keepAlive();
    const { text } = listen(session);
    session.keepAlive();
    expect(session.buffered).toBeGreaterThan(0);
    await session.close();
    await session.close();
    expect([session.isClosed, session.isBusy, session.buffered, calls]).toEqual([true, false, 0, [["disconnected"]]]);
    expect(sink.seen).toEqual([["keepAlive"], ["keepAlive"], ["end"]]);
    expect(await text()).toBe("id: listener1-0\nretry: 5\ndata: \n\n:\n\n");
  });

  test("a session has event ids, and clients that reconnect, as its revision permits", () => {
    const { session } = open();
    expect([session.isResumable, session.polls, session.requestIdPrefix]).toEqual([false, false, undefined]);
    session.agree(revisionOf("2024-11-05"));
    expect([session.isResumable, session.polls]).toEqual([false, false]);
    session.agree(revisionOf("2025-06-18"));
    expect([session.isResumable, session.polls]).toEqual([true, false]);
    session.agree(revisionOf("2025-11-25"));
    expect([session.isResumable, session.polls]).toEqual([true, true]);
    session.agree(statelessRevision);
    expect([session.isResumable, session.polls]).toEqual([false, false]);
  });

  test("a request that changes its session has its response when the change is stored, or an error instead", async () => {
    const { opened, open: store } = createGate();
    const failure = { code: -32603, message: "The store is away" };
    const stored: unknown[] = [];
    const changes: Record<string, StoreChange> = {
      "resources/subscribe": () => opened.then(() => void stored.push("subscribe")),
      "resources/unsubscribe": async () => (stored.push("unsubscribe"), failure),
      "logging/setLevel": async () => void stored.push("level"),
    };
    const { session } = open({ requests: true, prepareChange: ({ method }) => changes[method] });
    const sink = createSink();
    const methods = ["resources/subscribe", "resources/unsubscribe", "logging/setLevel", "logging/setLevel", "ping"];
    for (const [id, method] of methods.entries()) {
      session.expect(id, sink);
      session.receive({ kind: "request", id, method, params: {} }, undefined);
    }
    expect(stored).toEqual([]);
    for (const id of [0, 1, 4]) void session.send({ jsonrpc: "2.0", id, result: {} });
    void session.send({ jsonrpc: "2.0", id: 2, error: failure });
    session.abandon(3);
    await settle();
    store();
    await settle();
    expect(stored).toEqual(["unsubscribe", "subscribe"]);
    const responses = sink.seen
      .map((seen) => (Array.isArray(seen) ? seen : []))
      .map(([kind, text, id]) => [kind, id ?? text]);
    expect(responses).toEqual([
      ["respond", 4],
      ["respond", 2],
      ["skip", 3],
      ["respond", 1],
      ["respond", 0],
    ]);
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, error: failure });
    expect(sink.seen.at(-2)).toEqual(expect.arrayContaining([text]));
  });

  test("a session is not connected before it is served", () => {
    const { session } = open();
    expect(() => session.connection).toThrow("The session is not connected yet");
  });
});
