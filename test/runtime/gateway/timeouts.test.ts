import { createServer, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { ClientConnection } from "../../../runtime/client/connect.ts";
import { fetchWithLongTimeout } from "../../../runtime/gateway/upstream/long-timeout-fetch.ts";
import { createGate } from "../../kit/time.ts";
import { createGateway, type GatewayOptions } from "../../../runtime/gateway/gateway.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { inputRequired } from "../../../runtime/server/input/input-required.ts";
import { createServer as createMcpServer } from "../../../runtime/server/create-server.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { joinGateway, openGateway } from "./connect-client.ts";

/* How long a gateway waits for its server. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const byId = [newest, statelessRevision].map((revision) => [revision.id, revision] as const);
const call = { name: "work", arguments: {} };

interface Slow {
  /** The server works on a call. */
  readonly begun: Promise<void>;
  /** Number of calls that it received. */
  calls(): number;
  /** Lets the server report progress. */
  progress(): void;
  /** Lets the server respond. */
  finish(): void;
  /** Resolves when the server has received a cancellation. */
  readonly cancelled: Promise<void>;
  join(revision: (typeof revisions)[number]): Promise<ClientConnection>;
}

/** An official server that reports progress and responds when a test lets it. */
async function open(options: Partial<GatewayOptions> = {}): Promise<Slow> {
  const [begun, finished, cancelled] = [createGate(), createGate(), createGate()];
  let calls = 0;
  let report = (): void => {};
  const create = (): Server => {
    const server = new Server({ name: "slow", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: "work", inputSchema: { type: "object" } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
      calls += 1;
      let progress = 0;
      const progressToken = params._meta?.progressToken ?? "none";
      report = () =>
        void sendNotification({ method: "notifications/progress", params: { progressToken, progress: ++progress } });
      signal.addEventListener("abort", () => cancelled.open());
      begun.open();
      await Promise.race([finished.opened, cancelled.opened]);
      return { content: [{ type: "text", text: "done" }] };
    });
    return server;
  };
  const gateway = await openGateway(create, { ...options, ends });
  return {
    begun: begun.opened,
    calls: () => calls,
    progress: () => report(),
    finish: () => finished.open(),
    cancelled: cancelled.opened,
    join: (revision) => joinGateway(gateway, revision),
  };
}

describe.each(byId)("at %s", (_id, revision) => {
  test("a call without messages for hours does not time out", async () => {
    const slow = await open();
    const client = await slow.join(revision);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const working = client.request("tools/call", call, { timeout: Infinity, totalTimeout: Infinity });
    await slow.begun;
    await vi.advanceTimersByTimeAsync(5 * 60 * 60 * 1_000);
    slow.finish();
    expect(await working).toMatchObject({ content: [{ text: "done" }] });
  });

  test("a silent server beyond the time-out fails the call, and gets a cancellation", async () => {
    const reported: string[] = [];
    const slow = await open({ idleTimeout: 200, onError: ({ error }) => void reported.push(error.message) });
    const client = await slow.join(revision);
    const message = "Request timed out; the server sent nothing for 200 ms";
    await expect(client.request("tools/call", call)).rejects.toMatchObject({ code: -32603, message });
    await slow.cancelled;
    expect(reported).toEqual([message]);
  });

  test("progress restarts the time-out", async () => {
    const slow = await open({ idleTimeout: 2_000 });
    const client = await slow.join(revision);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const seen: number[] = [];
    const working = client.request("tools/call", call, { onProgress: ({ progress }) => seen.push(progress) });
    await slow.begun;
    for (let count = 1; count <= 4; count += 1) {
      await vi.advanceTimersByTimeAsync(1_500);
      slow.progress();
      await expect.poll(() => seen).toHaveLength(count);
    }
    slow.finish();
    expect(await working).toMatchObject({ content: [{ text: "done" }] });
  });

  test("a client that cancels ends the call at the server too", async () => {
    const slow = await open();
    const client = await slow.join(revision);
    const stop = new AbortController();
    const working = client.request("tools/call", call, { signal: stop.signal });
    await slow.begun;
    stop.abort(new Error("enough"));
    await expect(working).rejects.toThrow("enough");
    await slow.cancelled;
  });

  test("a client that cancels while a connection is being opened for it sends nothing to the server", async () => {
    const slow = await open();
    const client = await slow.join(revision);
    const stop = new AbortController();
    const working = client.request("tools/call", call, { signal: stop.signal });
    await sleep(0);
    stop.abort(new Error("enough"));
    await expect(working).rejects.toThrow("enough");
    await sleep(300);
    expect(slow.calls()).toBe(0);
  });
});

test("a server that requires a retry without input is retried after a delay (C-055)", async () => {
  const called: number[] = [];
  const run = (): unknown => {
    called.push(performance.now());
    return called.length === 3 ? "done" : inputRequired({ requestState: "not yet" });
  };
  const tools = [{ name: "work", execute: run }];
  const upstream = await serveHttp(createMcpServer({ name: "ours", version: "1", tools }, [statelessRevision]), {
    port: 0,
  });
  ends.push(() => upstream.close());
  const gateway = await createGateway({ kind: "url", url: upstream.url }, { revisions });
  ends.push(() => gateway.close());
  const client = await joinGateway(gateway, newest);
  expect(await client.request("tools/call", call)).toMatchObject({ content: [{ text: "done" }] });
  const [first = 0, second = 0, third = 0] = called;
  expect(Math.min(second - first, third - second)).toBeGreaterThan(200);
});

describe("calls without a session", () => {
  test("calls wait when the maximum is at the server", async () => {
    const slow = await open({ maxConnections: 2 });
    const client = await slow.join(statelessRevision);
    const working = [1, 2, 3].map(() => client.request("tools/call", call));
    await expect.poll(() => slow.calls()).toBe(2);
    await sleep(100);
    expect(slow.calls()).toBe(2);
    slow.finish();
    expect(await Promise.all(working)).toHaveLength(3);
    expect(slow.calls()).toBe(3);
  });

  test("calls that are cancelled while they wait never reach the server, and delay no other", async () => {
    const slow = await open({ maxConnections: 2 });
    const client = await slow.join(statelessRevision);
    const working = [1, 2].map(() => client.request("tools/call", call));
    await expect.poll(() => slow.calls()).toBe(2);
    const stop = new AbortController();
    const impatient = client.request("tools/call", call, { signal: stop.signal });
    const patient = client.request("tools/call", call);
    await sleep(50);
    stop.abort(new Error("enough"));
    await expect(impatient).rejects.toThrow("enough");
    // The gateway learns that in a moment.
    await settle();
    slow.finish();
    await Promise.all([...working, patient]);
    expect(slow.calls()).toBe(3);
  });

  test("calls do not lose their places to connections that cannot be opened", async () => {
    const upstream = await serveHttp(
      createMcpServer({ name: "ours", version: "1", tools: [{ name: "work", execute: () => "done" }] }, [newest]),
      {
        port: 0,
        sessions: { maxSessions: 1 },
      },
    );
    ends.push(() => upstream.close());
    const gateway = await createGateway({ kind: "url", url: upstream.url }, { revisions, maxConnections: 2 });
    ends.push(() => gateway.close());
    const client = await joinGateway(gateway, statelessRevision);
    for (const _ of [1, 2, 3, 4]) await expect(client.request("tools/call", call)).rejects.toThrow();
  });

  test("calls wait for input of their clients in half of the places: the one with the longest wait is cancelled", async () => {
    const create = (): Server => {
      const server = new Server({ name: "asks", version: "1" }, { capabilities: { tools: {} } });
      server.setRequestHandler(ListToolsRequestSchema, () => ({
        tools: [{ name: "work", inputSchema: { type: "object" } }],
      }));
      server.setRequestHandler(CallToolRequestSchema, async () => {
        const { content } = await server.createMessage({ messages: [], maxTokens: 1 });
        return { content: [content].flat() };
      });
      return server;
    };
    const gateway = await openGateway(create, { ends, maxConnections: 2 });
    const client = await joinGateway(gateway, statelessRevision, { sampling: {} });
    const first = toResponse(await client.request("tools/call", call));
    const second = toResponse(await client.request("tools/call", call));
    await expect(client.request("tools/call", first)).rejects.toMatchObject({ code: -32602 });
    expect(await client.request("tools/call", second)).toMatchObject({ content: [{ text: "42" }] });
  });

  test("calls need two places, of which one may wait", async () => {
    await expect(open({ maxConnections: 1 })).rejects.toThrow("maxConnections is 1; use 2 or more");
  });

  /** The call again, with input responses. */
  function toResponse(result: unknown): object {
    const { inputRequests, requestState } = Object(result);
    const received = { role: "assistant", content: { type: "text", text: "42" }, model: "m" };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, received]));
    return { ...call, requestState, inputResponses };
  }
});

describe("the requests of a gateway", () => {
  async function serve(respond: (response: ServerResponse) => unknown): Promise<URL> {
    const server = createServer((_request, response) => respond(response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    return new URL(`http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/`);
  }

  test("requests of a gateway do not use the platform's fetch, which times out after five minutes without a byte", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new Error("not by this way")));
    onTestFinished(() => void vi.unstubAllGlobals());
    const slow = await open();
    slow.finish();
    expect(await (await slow.join(newest)).request("tools/call", call)).toMatchObject({ content: [{ text: "done" }] });
  });

  test("requests of a gateway have every header and the whole body", async () => {
    const url = await serve((response) => {
      response.writeHead(200, { "content-type": "text/plain", "x-a": ["1", "2"] });
      response.write("one ");
      setTimeout(() => response.end("two"), 50);
    });
    const response = await fetchWithLongTimeout(url, { method: "POST", body: "x" });
    expect(response.headers.get("x-a")).toBe("1, 2");
    expect(await response.text()).toBe("one two");
  });

  test("requests of a gateway end with their signal, in the head and in the body", async () => {
    const url = await serve((response) => response.writeHead(200).write("one"));
    const silent = await serve(() => {});
    const stop = new AbortController();
    const started = await fetchWithLongTimeout(url, stop);
    const failed = expect(fetchWithLongTimeout(silent, stop)).rejects.toThrow("enough");
    stop.abort(new Error("enough"));
    await expect(started.text()).rejects.toThrow("enough");
    await failed;
    await expect(fetchWithLongTimeout(url, stop)).rejects.toThrow("enough");
  });

  test("requests of a gateway probe their connections, since the wait for a server that has disappeared has no other end", async () => {
    const setKeepAlive = vi.spyOn(Socket.prototype, "setKeepAlive");
    onTestFinished(() => void setKeepAlive.mockRestore());
    const response = await fetchWithLongTimeout(await serve((response) => response.end("body")), {});
    await response.text();
    expect(setKeepAlive).toHaveBeenCalledWith(true, 30_000);
  });

  test.each([204, 205, 304])("requests of a gateway accept the status %i, which has no body", async (status) => {
    const url = await serve((response) => response.writeHead(status).end());
    const response = await fetchWithLongTimeout(url, {});
    expect([response.status, response.body]).toEqual([status, null]);
  });

  test.each([200, 599])("requests of a gateway accept the status %i, with its body", async (status) => {
    const url = await serve((response) => response.writeHead(status).end("body"));
    const response = await fetchWithLongTimeout(url, {});
    expect([response.status, await response.text()]).toEqual([status, "body"]);
  });

  test.each([600, 999])("requests of a gateway fail by the status %i, which no response can have", async (status) => {
    const url = await serve((response) => response.writeHead(status).end("odd"));
    await expect(fetchWithLongTimeout(url, {})).rejects.toThrow(`status ${status}`);
  });
});
