import { afterEach, describe, expect, test } from "vitest";
import { Counters, type Figures } from "../../../runtime/rpc/counters.ts";
import { newest } from "../fixture-revision.ts";
import { call, initialize as hello, start, until, type Rig } from "../transport/http-rig.ts";
import { serveWire, settle } from "./wire.ts";

let rig: Rig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

/** As plain objects. */
function plain({ refused, turnedAway, reports, ...gauges }: Figures): object {
  const [codes, statuses, kinds] = [refused, turnedAway, reports].map((counts) => Object.fromEntries(counts));
  return { ...gauges, refused: codes, turnedAway: statuses, reports: kinds };
}

const nothing = { connections: 0, running: 0, waiting: 0, refused: {}, turnedAway: {}, reports: {} };

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
});
