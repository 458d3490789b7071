import { afterEach, describe, expect, test } from "vitest";
import { Counters, type Figures } from "../../../runtime/jsonrpc/metrics.ts";
import { watchLoopDelay } from "../../../runtime/transport/loop-delay.ts";
import { newest } from "../fixture-revision.ts";
import { call, initialize as hello, start, until, type Rig } from "../transport/http-rig.ts";
import { serveWire, settle } from "../wire.ts";

let rig: Rig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

/** As plain objects. */
function plain({ refused, turnedAway, reports, dropped, ...gauges }: Figures): object {
  const [codes, statuses, kinds, losses] = [refused, turnedAway, reports, dropped].map((counts) =>
    Object.fromEntries(counts),
  );
  return { ...gauges, refused: codes, turnedAway: statuses, reports: kinds, dropped: losses };
}

const gauges = { connections: 0, running: 0, waiting: 0, buffered: 0 };
const nothing = { ...gauges, refused: {}, turnedAway: {}, reports: {}, dropped: {} };

describe("what goes on is counted (R66, R5)", () => {
  test("over all connections that share the counters, and only while they are open", async () => {
    const counters = new Counters();
    expect(plain(counters.read())).toEqual(nothing);
    let finish = (): void => {};
    const callTool = (): Promise<object> =>
      new Promise((resolve) => (finish = () => resolve({ content: [{ type: "text", text: "done" }] })));
    const options = { counters, capabilities: { tools: {} }, handlers: { callTool } };
    const { wire, connection } = await serveWire({ ...options, clientCapabilities: { roots: {} } }, newest.id);
    const { wire: other } = await serveWire({ ...options, limits: { maxCalls: 1 } }, newest.id);
    wire.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a" } });
    const row = newest.serverRequests["roots/list"];
    if (!row) throw new Error("no roots");
    const asking = connection.request(row, undefined).catch(() => {});
    await settle();
    expect(plain(counters.read())).toEqual({ ...nothing, connections: 2, running: 1, waiting: 1 });
    finish();
    other.post({ jsonrpc: "2.0", id: 1, method: "nothing" }, { jsonrpc: "2.0", id: 2, method: "nothing" });
    other.post(...[3, 4].map((id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "a" } })));
    other.post({ jsonrpc: "2.0", id: 99, result: {} });
    other.write("{\n");
    await settle();
    finish();
    await settle();
    expect(plain(counters.read())).toEqual({
      ...nothing,
      connections: 2,
      waiting: 1,
      refused: { "-32601": 2, "-32700": 1, 429: 1 },
      reports: { protocol: 2 },
    });
    wire.end();
    other.end();
    await asking;
    expect(counters.read()).toMatchObject({ connections: 0, running: 0, waiting: 0 });
  });

  test("and over HTTP what is turned away, by status", async () => {
    const counters = new Counters();
    let finish = (_text: string): void => {};
    const tools = { wait: () => new Promise<string>((resolve) => (finish = resolve)) };
    rig = await start(tools, { counters }, { counters });
    await rig.send({ headers: { origin: "https://evil.example" }, body: hello(newest.id) });
    await rig.send({ headers: { "mcp-session-id": "none" }, body: call(1, "wait") });
    await rig.send({ headers: { "mcp-session-id": "none" }, body: call(1, "wait") });
    const session = await rig.open();
    const waiting = session.post(call(1, "wait"));
    await until(() => counters.read().running === 1, "the call");
    expect(plain(counters.read())).toEqual({
      ...nothing,
      connections: 1,
      running: 1,
      turnedAway: { 403: 1, 404: 2 },
    });
    finish("done");
    await waiting;
    await session.end();
    await until(() => counters.read().connections === 0, "its end");
    expect(counters.read().running).toBe(0);
  });

  test("and what waits for slow readers, as far as transports can tell", () => {
    const counters = new Counters();
    const channels = [{ buffered: 5 }, {}, { buffered: 7 }];
    const tables = channels.map(() => ({ size: 0 }));
    for (const [index, channel] of channels.entries())
      counters.enter(tables[index] ?? { size: 0 }, { size: 0 }, channel);
    expect(counters.read()).toMatchObject({ connections: 3, buffered: 12 });
    for (const table of tables.slice(1)) counters.leave(table);
    expect(counters.read()).toMatchObject({ connections: 1, buffered: 5 });
  });

  test("and how late the event loop is, while it is watched", async () => {
    const counters = new Counters();
    expect(counters.read().loopDelay).toBeUndefined();
    const watch = await watchLoopDelay(counters, { resolution: 5 });
    expect(counters.read().loopDelay).toMatchObject({ mean: expect.any(Number), p99: expect.any(Number) });
    const max = (): number => counters.read().loopDelay?.max ?? NaN;
    // What comes before the first look at the event loop is not measured.
    await until(() => (block(100), max() > 50), "the delay");
    watch.reset();
    expect(counters.read().loopDelay).toEqual({ mean: 0, p99: 0, max: 0 });
    watch.stop();
    expect(counters.read().loopDelay).toBeUndefined();
  });
});

/** Keeps the event loop from everything else. */
function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}
