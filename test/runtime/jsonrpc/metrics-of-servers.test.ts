import { afterEach, describe, expect, test } from "vitest";
import { Metrics, type MetricsSnapshot } from "../../../runtime/jsonrpc/metrics.ts";
import { watchLoopDelay } from "../../../runtime/transport/loop-delay.ts";
import { block, until } from "../../kit/time.ts";
import { newest } from "../../kit/revisions.ts";
import { call, initialize as hello } from "../../kit/http-exchange.ts";
import { start, type Rig } from "../../kit/http-server.ts";
import { serveWire } from "../../kit/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";

let rig: Rig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

/** As plain objects. */
function plain({ errorResponses: refused, rejected, reports, dropped, ...gauges }: MetricsSnapshot): object {
  const [codes, statuses, kinds, losses] = [refused, rejected, reports, dropped].map((counts) =>
    Object.fromEntries(counts),
  );
  return { ...gauges, refused: codes, rejected: statuses, reports: kinds, dropped: losses };
}

const gauges = { connections: 0, running: 0, waiting: 0, buffered: 0 };
const nothing = { ...gauges, refused: {}, rejected: {}, reports: {}, dropped: {} };

describe("metrics of a server (R66, R5)", () => {
  test("metrics count all connections that share them, and only while they are open", async () => {
    const metrics = new Metrics();
    expect(plain(metrics.read())).toEqual(nothing);
    let finish = (): void => {};
    const callTool = (): Promise<object> =>
      new Promise((resolve) => (finish = () => resolve({ content: [{ type: "text", text: "done" }] })));
    const options = { metrics, capabilities: { tools: {} }, handlers: { callTool } };
    const { wire, connection } = await serveWire({ ...options, clientCapabilities: { roots: {} } }, newest.id);
    const { wire: other } = await serveWire({ ...options, limits: { maxCalls: 1 } }, newest.id);
    wire.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a" } });
    const row = newest.serverRequests["roots/list"];
    if (!row) throw new Error("no roots");
    const pending = connection.request(row, undefined).catch(() => {});
    await settle();
    expect(plain(metrics.read())).toEqual({ ...nothing, connections: 2, running: 1, waiting: 1 });
    finish();
    other.post({ jsonrpc: "2.0", id: 1, method: "nothing" }, { jsonrpc: "2.0", id: 2, method: "nothing" });
    other.post(...[3, 4].map((id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "a" } })));
    other.post({ jsonrpc: "2.0", id: 99, result: {} });
    other.write("{\n");
    await settle();
    finish();
    await settle();
    expect(plain(metrics.read())).toEqual({
      ...nothing,
      connections: 2,
      waiting: 1,
      refused: { "-32601": 2, "-32700": 1, 429: 1 },
      reports: { protocol: 2 },
    });
    wire.end();
    other.end();
    await pending;
    expect(metrics.read()).toMatchObject({ connections: 0, running: 0, waiting: 0 });
  });

  test("metrics count rejections over HTTP, by status", async () => {
    const metrics = new Metrics();
    let finish = (_text: string): void => {};
    const tools = { wait: () => new Promise<string>((resolve) => (finish = resolve)) };
    rig = await start(tools, { metrics }, { metrics });
    await rig.send({ headers: { origin: "https://evil.example" }, body: hello(newest.id) });
    await rig.send({ headers: { "mcp-session-id": "none" }, body: call(1, "wait") });
    await rig.send({ headers: { "mcp-session-id": "none" }, body: call(1, "wait") });
    const session = await rig.open();
    const waiting = session.post(call(1, "wait"));
    await until(() => metrics.read().running === 1, "the call");
    expect(plain(metrics.read())).toEqual({
      ...nothing,
      connections: 1,
      running: 1,
      rejected: { 403: 1, 404: 2 },
    });
    finish("done");
    await waiting;
    await session.end();
    await until(() => metrics.read().connections === 0, "its end");
    expect(metrics.read().running).toBe(0);
  });

  test("metrics count bytes that wait for slow readers, where transports report them", () => {
    const metrics = new Metrics();
    const channels = [{ buffered: 5 }, {}, { buffered: 7 }];
    const tables = channels.map(() => ({ size: 0 }));
    for (const [index, channel] of channels.entries())
      metrics.enter(tables[index] ?? { size: 0 }, { size: 0 }, channel);
    expect(metrics.read()).toMatchObject({ connections: 3, buffered: 12 });
    for (const table of tables.slice(1)) metrics.leave(table);
    expect(metrics.read()).toMatchObject({ connections: 1, buffered: 5 });
  });

  test("metrics contain the delay of the event loop, while it is measured", async () => {
    const metrics = new Metrics();
    expect(metrics.read().loopDelay).toBeUndefined();
    const watch = await watchLoopDelay(metrics, { resolution: 5 });
    expect(metrics.read().loopDelay).toMatchObject({ mean: expect.any(Number), p99: expect.any(Number) });
    const max = (): number => metrics.read().loopDelay?.max ?? NaN;
    // What comes before the first look at the event loop is not measured.
    await until(() => (block(100), max() > 50), "the delay");
    watch.reset();
    expect(metrics.read().loopDelay).toEqual({ mean: 0, p99: 0, max: 0 });
    watch.stop();
    expect(metrics.read().loopDelay).toBeUndefined();
  });
});
