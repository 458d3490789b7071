import { afterEach, describe, expect, test } from "vitest";
import { UnreachableError } from "../../../../runtime/jsonrpc/errors.ts";
import { EventStreamResponse } from "../../../../runtime/transport/http-server/session/event-stream.ts";
import {
  SessionResponse,
  type SessionResponseDetails,
  type SessionResponseHost,
} from "../../../../runtime/transport/http-server/session/session-response.ts";
import { WatchedExchange } from "./watched-exchange.ts";

afterEach(() => WatchedExchange.check());

type Options = Partial<SessionResponseDetails> &
  Partial<Pick<SessionResponseHost, "style" | "polls" | "isEnded">> & {
    readonly isGone?: boolean;
    readonly isResumable?: boolean;
  };

/** Stream with a list of its settled requests. */
class NotedStream extends EventStreamResponse {
  readonly settled: unknown[] = [];
  readonly responses: unknown[] = [];

  override settle(id?: unknown): void {
    this.settled.push(id);
  }

  override send(data: string, options?: unknown): void | Promise<void> {
    this.responses.push(options);
    return super.send(data);
  }
}

/** A POST of a session on the web platform, with its streams. */
function open(options: Options = {}) {
  const { style = "auto", polls = false, isEnded = false, isGone = false, isResumable = polls, ...details } = options;
  const exchange = new WatchedExchange(isGone ? AbortSignal.abort() : null);
  const streams: NotedStream[] = [];
  const opened: unknown[] = [];
  const streamHost = {
    maxWaiting: 1e6,
    metrics: undefined,
    retry: 5,
    isResumable,
    fenced: () => {},
    remember: () => undefined,
  };
  const host: SessionResponseHost = {
    style,
    polls,
    isEnded,
    openStream: (requests) => {
      const stream = new NotedStream("s", streamHost);
      opened.push(requests);
      streams.push(stream);
      return stream;
    },
    endStream: (stream) => stream.end(),
  };
  const post = new SessionResponse(exchange, host, { identity: undefined, requests: [1], isBatch: false, ...details });
  return { post, streams, opened, response: exchange.response };
}

async function read(response: Promise<Response>): Promise<readonly [number, string | null, string]> {
  const { status, headers, body } = await response;
  return [status, headers.get("content-type"), await new Response(body).text()];
}

const event = (data: string): string => `event: message\ndata: ${data}\n\n`;
const [json, sse] = ["application/json", "text/event-stream"];
const failure = { status: 429, headers: { "retry-after": "3" } };

describe("the responses to a POST of a session", () => {
  test.each<readonly [string, Options, readonly unknown[]]>([
    ["one request", {}, [200, json, "r1"]],
    ["a batch of one", { isBatch: true }, [200, json, "[r1]"]],
    ["a batch", { isBatch: true, requests: [1, 2, 3] }, [200, json, "[r1,r2,r3]"]],
    ["one request in the style of streams", { style: "sse" }, [200, sse, event("r1")]],
    [
      "a batch in the style of streams",
      { style: "sse", isBatch: true, requests: [1, 2] },
      [200, sse, event("[r1,r2]")],
    ],
  ])("the responses to %s are sent together after the last one", async (_what, options, expected) => {
    const { post, response } = open(options);
    let isSent = false;
    void response.then(() => (isSent = true));
    for (const id of options.requests ?? [1]) {
      await Promise.resolve();
      expect([isSent, post.isDone]).toEqual([false, false]);
      post.respond(`r${id}`, id);
    }
    expect(post.isDone).toBe(true);
    expect(await read(response)).toEqual(expected);
  });

  test("a rejected member of a batch counts as a response, and a request without a response does, too", async () => {
    const { post, response } = open({ isBatch: true, requests: [1, 2], rejected: 1 });
    post.respond("e", undefined);
    post.skip(1);
    expect(post.isDone).toBe(false);
    post.respond("r2", 2);
    expect(await read(response)).toEqual([200, json, "[e,r2]"]);
  });

  test.each([false, true])("a POST without any response has status 202; batch: %s", async (isBatch) => {
    const { post, response } = open({ isBatch });
    post.skip(1);
    expect(await read(response)).toEqual([202, null, ""]);
  });

  test.each([
    [false, 429, "3", "r1"],
    [true, 200, null, "[r1]"],
  ])("an error has a status of its own unless it is in a batch: %s", async (isBatch, status, retryAfter, text) => {
    const { post, response } = open({ isBatch });
    post.respond("r1", 1, failure);
    expect((await response).headers.get("retry-after")).toBe(retryAfter);
    expect(await read(response)).toEqual([status, json, text]);
  });
});

describe("a POST whose response is a stream", () => {
  test("a stream begins with the responses so far, and ends with the last one", async () => {
    const { post, streams, opened, response } = open({ isBatch: true, requests: [1, 2, 3], rejected: 1 });
    post.respond("e", undefined);
    post.respond("r1", 1);
    post.respond("r2", 2);
    void post.push("n", "notification");
    void post.push("q", "request");
    post.respond("r3", 3);
    expect(await read(response)).toEqual([200, sse, ["[e,r1,r2]", "n", "q", "r3"].map(event).join("")]);
    expect([opened, streams[0]?.settled]).toEqual([[[1, 2, 3]], [1, 2, 3]]);
    expect(streams[0]?.responses.at(-1)).toEqual({ respondsTo: 3 });
  });

  test("a notification in the style of JSON is dropped, unless a request has made the response a stream", async () => {
    const { post, response } = open({ style: "json" });
    expect(post.push("dropped", "notification")).toBeUndefined();
    void post.push("q", "request");
    void post.push("n", "notification");
    post.respond("r1", 1);
    expect(await read(response)).toEqual([200, sse, ["q", "n", "r1"].map(event).join("")]);
  });

  test("a stream of a client that does not come back begins with its first message", async () => {
    const { post, response } = open({ polls: false, isResumable: true });
    void post.push("n", "notification");
    post.skip(1);
    expect((await read(response))[2]).toBe("event: message\nid: s-0\ndata: n\n\n");
  });

  test("a call becomes a stream in the second step of maintenance, unless it is over", async () => {
    const { post, streams, response } = open();
    post.keepAlive();
    expect(streams).toHaveLength(0);
    post.keepAlive();
    post.keepAlive();
    expect(streams).toHaveLength(1);
    post.respond("r1", 1);
    post.keepAlive();
    expect(await read(response)).toEqual([200, sse, event("r1")]);
    const over = open();
    over.post.respond("r1", 1);
    over.post.keepAlive();
    over.post.keepAlive();
    expect(over.streams).toHaveLength(0);
  });

  test.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
  ])("a request of the server to a client (gone: %s, can resume: %s) is sent: %s", async (isGone, polls, isSent) => {
    const { post, streams } = open({ isGone, polls });
    const sent = post.push("q", "request");
    if (isGone && !polls)
      await expect(sent).rejects.toThrow(new UnreachableError("The client closed the stream of the request"));
    else expect(sent).toBeUndefined();
    expect(streams[0]?.isConnected).toBe(!isGone);
    expect(isSent || !isGone).toBe(true);
    expect(post.push("n", "notification")).toBeUndefined();
  });

  test.each([
    ["a client that comes back", true, [], true],
    ["another client", false, [], false],
    ["a POST that is over", true, [1], false],
  ])("the connection of %s is released: %s", async (_who, polls, over, isReleased) => {
    const { post, streams, response } = open({ polls });
    for (const id of over) post.respond("r1", id);
    expect(post.releaseConnection()).toBe(isReleased);
    expect(streams.map(({ isConnected }) => isConnected)).toEqual(isReleased ? [false] : []);
    if (isReleased) expect((await read(response))[2]).toMatch(/^id: s-0\nretry: 5\ndata: \n\n$/);
  });
});

describe("a POST whose session ends", () => {
  const shutdown = (id: number): unknown =>
    expect.objectContaining({ jsonrpc: "2.0", id, error: expect.objectContaining({}) });

  test("a session that has ended for all processes has 404 as its response", async () => {
    const { post, response } = open({ isEnded: true });
    post.end();
    post.end();
    expect(post.isDone).toBe(true);
    const [status, , text] = await read(response);
    expect([status, text]).toEqual([404, expect.stringContaining("send initialize")]);
  });

  test("a session that ends in this process has an error for each request without a response", async () => {
    const [single, batch] = [open(), open({ isBatch: true, requests: [1, 2, 3] })];
    single.post.end();
    const [status, type, text] = await read(single.response);
    expect([status, type, JSON.parse(text)]).toEqual([200, json, shutdown(1)]);
    batch.post.respond('{"id":2}', 2);
    batch.post.end();
    expect(JSON.parse((await read(batch.response))[2])).toEqual([{ id: 2 }, shutdown(1), shutdown(3)]);
  });

  test("a session that ends closes a stream, and adds nothing to a complete response", async () => {
    const [streaming, over] = [open(), open()];
    void streaming.post.push("n", "notification");
    streaming.post.end();
    expect((await read(streaming.response))[2]).toBe(event("n"));
    over.post.respond("r1", 1);
    over.post.end();
    expect((await read(over.response))[2]).toBe("r1");
  });
});
