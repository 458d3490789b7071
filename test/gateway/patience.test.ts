import { createServer, type ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { revisions } from "../../generated/revisions.ts";
import type { ClientConnection } from "../../runtime/client/client.ts";
import type { GatewayOptions } from "../../runtime/gateway/gateway.ts";
import { fetchPatiently } from "../../runtime/gateway/patient-fetch.ts";
import { createGate } from "../runtime/tasks/task-wire.ts";
import { newest } from "../runtime/fixture-revision.ts";
import { alone } from "../runtime/lifecycle/alone.ts";
import { joinGateway, openGateway } from "./join.ts";

/* How long a gateway waits for its server. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const byId = [newest, alone].map((revision) => [revision.id, revision] as const);
const call = { name: "work", arguments: {} };

interface Slow {
  /** The server works on a call. */
  readonly begun: Promise<void>;
  /** Lets the server answer. */
  finish(): void;
  /** Why the server has been told to stop. */
  readonly cancelled: Promise<void>;
  join(revision: (typeof revisions)[number]): Promise<ClientConnection>;
}

/** An official server that answers when it is told to, and meanwhile reports progress every so many milliseconds. */
async function open(options: Partial<GatewayOptions> = {}, pace?: number): Promise<Slow> {
  const [begun, finished, cancelled] = [createGate(), createGate(), createGate()];
  const create = (): Server => {
    const server = new Server({ name: "slow", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: "work", inputSchema: { type: "object" } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
      let progress = 0;
      const progressToken = params._meta?.progressToken ?? "none";
      const report = (): void =>
        void sendNotification({ method: "notifications/progress", params: { progressToken, progress: ++progress } });
      const timer = pace === undefined ? undefined : setInterval(report, pace);
      signal.addEventListener("abort", () => cancelled.open());
      begun.open();
      await Promise.race([finished.opened, cancelled.opened]);
      clearInterval(timer);
      return { content: [{ type: "text", text: "done" }] };
    });
    return server;
  };
  const gateway = await openGateway(create, { ...options, ends });
  return {
    begun: begun.opened,
    finish: () => finished.open(),
    cancelled: cancelled.opened,
    join: (revision) => joinGateway(gateway, revision),
  };
}

describe.each(byId)("at %s", (_id, revision) => {
  test("a call that takes hours without a word is waited for", async () => {
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

  test("a server that falls silent for longer than is allowed fails the call, and is told to stop", async () => {
    const reported: string[] = [];
    const slow = await open({ silence: 200, onError: ({ error }) => void reported.push(error.message) });
    const client = await slow.join(revision);
    const message = "The server has said nothing for 200 ms";
    await expect(client.request("tools/call", call)).rejects.toMatchObject({ code: -32603, message });
    await slow.cancelled;
    expect(reported).toEqual([message]);
  });

  test("progress is a word", async () => {
    const slow = await open({ silence: 2_000 }, 100);
    const client = await slow.join(revision);
    const seen: number[] = [];
    const working = client.request("tools/call", call, { onProgress: ({ progress }) => seen.push(progress) });
    setTimeout(() => slow.finish(), 3_000);
    expect(await working).toMatchObject({ content: [{ text: "done" }] });
    expect(seen.length).toBeGreaterThan(3);
  });

  test("a client that gives up ends the call at the server too", async () => {
    const slow = await open();
    const client = await slow.join(revision);
    const stop = new AbortController();
    const working = client.request("tools/call", call, { signal: stop.signal });
    await slow.begun;
    stop.abort(new Error("enough"));
    await expect(working).rejects.toThrow("enough");
    await slow.cancelled;
  });
});

describe("the requests of a gateway", () => {
  async function serve(answer: (response: ServerResponse) => unknown): Promise<URL> {
    const server = createServer((_request, response) => answer(response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    return new URL(`http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/`);
  }

  test("do not go through the platform's fetch, which gives up after five minutes without a byte", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new Error("not by this way")));
    onTestFinished(() => void vi.unstubAllGlobals());
    const slow = await open();
    slow.finish();
    expect(await (await slow.join(newest)).request("tools/call", call)).toMatchObject({ content: [{ text: "done" }] });
  });

  test("bring every header and the whole body", async () => {
    const url = await serve((response) => {
      response.writeHead(200, { "content-type": "text/plain", "x-a": ["1", "2"] });
      response.write("one ");
      setTimeout(() => response.end("two"), 50);
    });
    const response = await fetchPatiently(url, { method: "POST", body: "x" });
    expect(response.headers.get("x-a")).toBe("1, 2");
    expect(await response.text()).toBe("one two");
  });

  test("end with their signal, in the head and in the body", async () => {
    const url = await serve((response) => response.writeHead(200).write("one"));
    const silent = await serve(() => {});
    const stop = new AbortController();
    const started = await fetchPatiently(url, stop);
    const failed = expect(fetchPatiently(silent, stop)).rejects.toThrow("enough");
    stop.abort(new Error("enough"));
    await expect(started.text()).rejects.toThrow("enough");
    await failed;
    await expect(fetchPatiently(url, stop)).rejects.toThrow("enough");
  });

  test("may be answered without a body", async () => {
    const url = await serve((response) => response.writeHead(204).end());
    expect((await fetchPatiently(url, {})).status).toBe(204);
  });
});
