import { describe, expect, test, vi } from "vitest";
import type { Progress } from "../../../generated/support.ts";
import { isPeerError, isRpcError } from "../../../runtime/jsonrpc/errors.ts";
import { connectWire } from "../client/raw-server.ts";
import { batching } from "../../kit/revisions.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { runTranscript } from "../../../runtime/testing/transcript.ts";
import type { Line } from "../../kit/wire.ts";

const tool = { name: "x" };
const empty = { content: [] };
const request = (id: number): Line => [
  "<",
  { id, method: "tools/call", params: { name: "x", _meta: { progressToken: id } } },
];
const cancelled = (requestId: number, reason?: string): Line => [
  "<",
  { method: "notifications/cancelled", params: reason === undefined ? { requestId } : { requestId, reason } },
];
const progress = (progressToken: unknown, value: number, rest: object = {}): object => ({
  method: "notifications/progress",
  params: { progressToken, progress: value, ...rest },
});

test("ids are never used again, whatever the outcome of the calls (J-05, C-001)", async () => {
  const { wire, client } = await connectWire();
  const ids: unknown[] = [];
  for (const response of [{ result: {} }, { error: { code: 1, message: "no" } }, { result: {} }]) {
    const call = client.request("ping").catch(() => {});
    const [message] = wire.sent.splice(0);
    const id = typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
    ids.push(id);
    wire.post({ jsonrpc: "2.0", id, ...response });
    await call;
  }
  expect(ids).toEqual([2, 3, 4]);
});

test("responses find their calls in any order", async () => {
  const { wire, client } = await connectWire();
  const calls = [1, 2, 3].map(() => client.request("tools/call", tool));
  wire.sent.length = 0;
  for (const id of [4, 2, 3]) wire.post({ jsonrpc: "2.0", id, result: { content: [], _meta: { id } } });
  expect(await Promise.all(calls)).toEqual([2, 3, 4].map((id) => ({ content: [], _meta: { id } })));
});

test("an id of another type is another id (trap 9)", async () => {
  const { wire, client, reports } = await connectWire();
  const call = client.request("ping");
  wire.post({ jsonrpc: "2.0", id: "2", result: { wrong: true } });
  wire.post({ jsonrpc: "2.0", id: 2, result: {} });
  expect(await call).toEqual({});
  expect(reports.map(({ kind, id }) => [kind, id])).toEqual([["protocol", "2"]]);
});

test.each([{}, { params: {} }, { jsonrpc: "1.0", result: {} }, { result: null }, { result: {}, error: null }])(
  "an invalid response fails its call at once: %j",
  async (response) => {
    const { wire, client, reports } = await connectWire();
    const call = client.request("ping");
    wire.sent.length = 0;
    wire.post({ jsonrpc: "2.0", id: 2, ...response });
    await expect(call).rejects.toThrow(/requires|must be|must not have both/);
    await runTranscript(wire, []);
    expect(reports).toHaveLength(1);
  },
);

test("a message without a method whose id belongs to no pending call is rejected, and so is a request without a name", async () => {
  const { wire, client } = await connectWire();
  const call = client.request("ping");
  wire.sent.length = 0;
  await runTranscript(wire, [
    '> {"id": 3}',
    '~ {"id": 3, "error": {"code": -32600}}',
    '> {"id": 2, "method": 7}',
    '~ {"id": 2, "error": {"code": -32600}}',
    '> {"id": 2, "result": {}}',
  ]);
  expect(await call).toEqual({});
});

test("calls whose responses are in a batch that is too long fail at once", async () => {
  const { wire, client } = await connectWire({ limits: { maxBatch: 2 } }, { revision: batching.id });
  const calls = [2, 3].map(() => client.request("ping"));
  const responses = [2, 3, 4].map((id) => ({ jsonrpc: "2.0", id, result: {} }));
  wire.post(responses);
  for (const call of calls) await expect(call).rejects.toThrow("must not have more than 2 messages");
});

test("only the first response counts, and a second is no error", async () => {
  const { wire, client, reports } = await connectWire();
  const call = client.request("ping");
  wire.post({ jsonrpc: "2.0", id: 2, result: {} }, { jsonrpc: "2.0", id: 2, error: { code: 1, message: "no" } });
  expect(await call).toEqual({});
  expect(reports).toEqual([]);
});

describe("invalid responses", () => {
  test.each([
    [
      "an error of the peer",
      { error: { code: -32602, message: "Unknown tool", data: [1] } },
      { name: "PeerError", code: -32602, data: [1] },
    ],
    [
      "a result that does not fit the revision",
      { result: { content: 5 } },
      { name: "InvalidMessageError", part: "result", issue: { path: "content" } },
    ],
    ["a result that is no object (J-12)", { result: "ok" }, { message: "The result must be an object" }],
    [
      "result and error at once (J-07)",
      { result: empty, error: { code: 1, message: "" } },
      { message: "A response must not have both a result and an error" },
    ],
    [
      "an error without code (J-08)",
      { error: { message: "no" } },
      { message: "An error requires an integer code and a message" },
    ],
  ])("an invalid response fails its call: %s", async (_, result, expected) => {
    const { wire, client } = await connectWire();
    const call = client.request("tools/call", tool);
    wire.post({ jsonrpc: "2.0", id: 2, ...result });
    await expect(call).rejects.toMatchObject(expected);
  });

  test("a response that is nested too deeply fails its call (R50)", async () => {
    const { wire, client } = await connectWire({ limits: { maxDepth: 5 } });
    const call = client.request("tools/call", tool);
    wire.post({ jsonrpc: "2.0", id: 2, result: { content: [], _meta: { a: { b: { c: {} } } } } });
    await expect(call).rejects.toMatchObject({ message: "The message is nested deeper than 5 levels" });
  });
});

test("errors of the peer are distinct from our own", async () => {
  const { wire, client } = await connectWire();
  const call = client.request("ping").catch((error: unknown) => error);
  wire.post({ jsonrpc: "2.0", id: 2, error: { code: -32001, message: "Request timed out" } });
  const error = await call;
  expect([isPeerError(error), isRpcError(error)]).toEqual([true, true]);
});

test("a client does not respond to stray data of a server", async () => {
  const { wire, reports } = await connectWire();
  await runTranscript(wire, [
    [">", "Server listening..."],
    [">", "[1,2]"],
    [">", "{}"],
    [">", '"hello"'],
  ]);
  expect(reports).toHaveLength(4);
});

test("a client rejects invalid requests and unknown methods of a server", async () => {
  const { wire } = await connectWire();
  await runTranscript(wire, [
    [">", '{"id":5,"method":"ping"}'],
    ["<", { id: 5, error: { code: -32600, message: 'The member jsonrpc must be "2.0"' } }],
    [">", { id: 6, method: "tools/list" }],
    ["<", { id: 6, error: { code: -32601, message: "Method not found", data: { method: "tools/list" } } }],
    [">", { id: 7, method: "roots/list" }],
    ["<", { id: 7, error: { code: -32601, message: "Method not found", data: { method: "roots/list" } } }],
    [">", { id: 8, method: "ping" }],
    ["<", { id: 8, result: {} }],
  ]);
});

test("a client accepts batches where the revision has them (J-13)", async () => {
  const { wire, client } = await connectWire({}, { revision: batching.id });
  const calls = [client.request("ping"), client.request("ping")];
  wire.sent.length = 0;
  await runTranscript(wire, [
    [
      ">",
      [
        { id: 3, result: {} },
        { id: "s", method: "ping" },
        { id: 2, result: {} },
      ],
    ],
    ["<", [{ id: "s", result: {} }]],
  ]);
  expect(await Promise.all(calls)).toEqual([{}, {}]);
});

describe("time-outs", () => {
  test("time-outs end the call and notify the peer (L-19); a late response is ignored (C-04)", async () => {
    const clock = new ManualClock();
    const { wire, client, reports } = await connectWire({ clock });
    const call = client.request("tools/call", tool, { timeout: 100 }).catch((error: unknown) => error);
    await runTranscript(wire, [request(2)]);
    clock.advance(99);
    await runTranscript(wire, []);
    clock.advance(1);
    expect(await call).toMatchObject({ name: "TimeoutError", method: "tools/call", milliseconds: 100 });
    await runTranscript(wire, [cancelled(2, "Request timed out"), [">", { id: 2, result: empty }]]);
    expect(reports).toEqual([]);
  });

  test("time-outs restart with progress, with or without a callback (trap 10), up to a total", async () => {
    const clock = new ManualClock();
    const { wire, client } = await connectWire({ clock });
    const call = client
      .request("tools/call", tool, { timeout: 100, totalTimeout: 250 })
      .catch((error: unknown) => error);
    await runTranscript(wire, [request(2)]);
    for (const value of [1, 2]) {
      clock.advance(90);
      await runTranscript(wire, [[">", progress(2, value)]]);
    }
    clock.advance(69);
    await runTranscript(wire, []);
    clock.advance(1);
    expect(await call).toMatchObject({ name: "TimeoutError", milliseconds: 250 });
  });

  test.each([
    ["tools/list", undefined, 5_000],
    ["tools/call", tool, 60_000],
  ])("the time-out of %s has the default of Appendix E", async (method, params, milliseconds) => {
    const clock = new ManualClock();
    const { client } = await connectWire({ clock });
    const call = client.request(method, params).catch((error: unknown) => error);
    clock.advance(milliseconds - 1);
    clock.advance(1);
    expect(await call).toMatchObject({ milliseconds });
  });

  test("time-outs need one timer for many calls, and none for none", async () => {
    const clock = new ManualClock();
    const { wire, client } = await connectWire({ clock });
    const before = clock.started;
    const calls = Array.from({ length: 500 }, () => client.request("ping"));
    expect(clock.started - before).toBeLessThanOrEqual(1);
    for (let id = 2; id < 502; id += 1) wire.post({ jsonrpc: "2.0", id, result: {} });
    await Promise.all(calls);
    clock.advance(60_000);
    expect(clock.active).toBe(0);
  });

  test("time-outs may be infinite", async () => {
    const clock = new ManualClock();
    const { wire, client } = await connectWire({ clock });
    clock.advance(60_000);
    const call = client.request("ping", undefined, { timeout: Infinity, totalTimeout: Infinity });
    expect(clock.active).toBe(0);
    wire.post({ jsonrpc: "2.0", id: 2, result: {} });
    expect(await call).toEqual({});
  });
});

describe("cancellation by a signal", () => {
  test("cancellation by a signal ends the call with the signal's reason and notifies the peer (C-01); a late response is ignored (C-04, C-022, C-024)", async () => {
    const { wire, client, reports } = await connectWire();
    const controller = new AbortController();
    const call = client.request("tools/call", tool, { signal: controller.signal });
    await runTranscript(wire, [request(2)]);
    const reason = new Error("not needed");
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await runTranscript(wire, [cancelled(2, "not needed"), [">", { id: 2, result: empty }]]);
    expect(reports).toEqual([]);
  });

  test("cancellation by a signal before the call sends nothing", async () => {
    const { wire, client } = await connectWire();
    await expect(client.request("ping", undefined, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: "AbortError",
    });
    await runTranscript(wire, []);
  });

  test("cancellation by a signal after the response has no effect (C-05, C-022)", async () => {
    const { wire, client } = await connectWire();
    const controller = new AbortController();
    const call = client.request("tools/call", tool, { signal: controller.signal });
    await runTranscript(wire, [request(2)]);
    wire.post({ jsonrpc: "2.0", id: 2, result: empty });
    controller.abort();
    expect(await call).toEqual(empty);
    await runTranscript(wire, []);
  });
});

describe("progress", () => {
  test("progress arrives in the order of the wire and before the result, also all in one chunk", async () => {
    const { wire, client } = await connectWire();
    const seen: unknown[] = [];
    const call = client
      .request("tools/call", tool, { onProgress: (report) => seen.push(report) })
      .then(() => seen.push("result"));
    await runTranscript(wire, [request(2)]);
    wire.post(
      { jsonrpc: "2.0", ...progress(2, 1, { total: 2 }) },
      { jsonrpc: "2.0", ...progress(2, 2, { total: 2, message: "done" }) },
      { jsonrpc: "2.0", id: 2, result: empty },
      { jsonrpc: "2.0", ...progress(2, 3) },
    );
    await call;
    expect(seen).toEqual([{ progress: 1, total: 2 }, { progress: 2, total: 2, message: "done" }, "result"] satisfies (
      Progress | string
    )[]);
  });

  test("progress keeps the caller's own metadata, and the caller's object", async () => {
    const { wire, client } = await connectWire();
    const params = { name: "x", _meta: { "example.com/trace": 1 } };
    const call = client.request("tools/call", params, { onProgress() {} });
    await runTranscript(wire, [
      [
        "<",
        { id: 2, method: "tools/call", params: { name: "x", _meta: { "example.com/trace": 1, progressToken: 2 } } },
      ],
    ]);
    expect(params).toEqual({ name: "x", _meta: { "example.com/trace": 1 } });
    wire.post({ jsonrpc: "2.0", id: 2, result: empty });
    await call;
  });

  test("progress after the result is no error (trap 12); for an unknown token it is (C-031)", async () => {
    const { wire, client, reports } = await connectWire();
    const call = client.request("ping");
    wire.post({ jsonrpc: "2.0", id: 2, result: {} });
    await call;
    wire.sent.length = 0;
    await runTranscript(wire, [[">", progress(2, 1)]]);
    expect(reports).toEqual([]);
    await runTranscript(wire, [[">", progress(77, 1)]]);
    expect(reports).toHaveLength(1);
  });

  test("a progress callback that throws does not fail the call", async () => {
    const { wire, client, reports } = await connectWire();
    const onProgress = (): never => {
      throw new Error("callback");
    };
    const call = client.request("tools/call", tool, { onProgress });
    wire.post({ jsonrpc: "2.0", ...progress(2, 1) }, { jsonrpc: "2.0", id: 2, result: empty });
    expect(await call).toEqual(empty);
    expect(reports.map(({ kind }) => kind)).toEqual(["callback"]);
  });
});

test("a missing capability fails locally, with nothing on the wire (L-16, L-17)", async () => {
  const { wire, client } = await connectWire();
  await expect(client.request("prompts/list")).rejects.toMatchObject({
    name: "CapabilityError",
    gate: { path: ["prompts"] },
  });
  await expect(client.notify("notifications/roots/list_changed")).rejects.toMatchObject({ name: "CapabilityError" });
  await runTranscript(wire, []);
});

test("params that do not fit the revision are not sent", async () => {
  const { wire, client } = await connectWire();
  await expect(client.request("tools/call", { name: 5 })).rejects.toMatchObject({
    name: "InvalidMessageError",
    part: "params",
  });
  await runTranscript(wire, []);
});

test("closing fails every pending call, and later ones at once (R29)", async () => {
  const { client } = await connectWire();
  const call = client.request("ping");
  const closing = client.close();
  await expect(call).rejects.toMatchObject({ name: "ClosedError" });
  await closing;
  await expect(client.request("ping")).rejects.toMatchObject({ name: "ClosedError" });
  expect(await client.closed).toBeUndefined();
  await client.close();
});

test("a message that the transport loses fails its own call only", async () => {
  const { wire, client } = await connectWire();
  const send = wire.send.bind(wire);
  wire.send = () => Promise.reject(new Error("HTTP 500"));
  const lost = client.request("ping");
  wire.send = send;
  const other = client.request("ping");
  await expect(lost).rejects.toThrow("HTTP 500");
  wire.post({ jsonrpc: "2.0", id: 3, result: {} });
  expect(await other).toEqual({});
  await settle();
});

describe("a call whose transport responds, or is aborted, while it sends", () => {
  test("a call that has its response when it is sent leaves no listener on its signal", async () => {
    const { wire, client } = await connectWire();
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const send = wire.send.bind(wire);
    wire.send = (...sent) => {
      send(...sent);
      const { id } = Object(wire.sent.at(-1));
      wire.post({ jsonrpc: "2.0", id, result: {} });
    };
    for (let count = 0; count < 50; count += 1) expect(await client.request("ping", undefined, { signal })).toEqual({});
    expect(added).not.toHaveBeenCalled();
  });

  test("a call whose signal is aborted while it is sent is cancelled", async () => {
    const { wire, client } = await connectWire();
    const controller = new AbortController();
    const send = wire.send.bind(wire);
    wire.send = (...sent) => {
      send(...sent);
      controller.abort(new Error("no more"));
    };
    await expect(client.request("tools/call", tool, { signal: controller.signal })).rejects.toThrow("no more");
    await settle();
    expect(wire.sent).toMatchObject([{ method: "tools/call" }, { method: "notifications/cancelled" }]);
  });
});

describe("a result that arrives after its call has failed", () => {
  const respond = (id: number): object => ({ jsonrpc: "2.0", id, result: { content: [], _meta: { id } } });

  test.each(["cancelled", "timed out"])(
    "a result of a call that was %s is passed on once, if the call has a listener for it",
    async (outcome) => {
      const clock = new ManualClock();
      const { wire, client, reports } = await connectWire({ clock });
      const onLateResult = vi.fn();
      const stop = new AbortController();
      const calls = [{ onLateResult }, {}].map((options) =>
        client.request("tools/call", tool, { signal: stop.signal, timeout: 1_000, ...options }).catch(() => "failed"),
      );
      if (outcome === "cancelled") stop.abort(new Error("enough"));
      else await clock.pass(1_000);
      expect(await Promise.all(calls)).toEqual(["failed", "failed"]);
      wire.post(respond(2), respond(3), respond(2));
      await settle();
      expect(onLateResult.mock.calls).toEqual([[{ content: [], _meta: { id: 2 } }]]);
      expect(reports).toEqual([]);
    },
  );

  test("results of the newest 100 calls are passed on, and none after an error or the end", async () => {
    const { wire, client } = await connectWire();
    const onLateResult = vi.fn();
    const stop = new AbortController();
    const options = { signal: stop.signal, onLateResult };
    const calls = Array.from({ length: 102 }, () => client.request("tools/call", tool, options).catch(() => {}));
    stop.abort(new Error("enough"));
    await Promise.all(calls);
    wire.post({ jsonrpc: "2.0", id: 102, error: { code: 1, message: "no" } });
    wire.post(...Array.from({ length: 101 }, (_, index) => respond(index + 2)));
    await settle();
    const [first, ...others] = onLateResult.mock.calls.map(([result]: readonly unknown[]) => result);
    expect([first, others.length]).toEqual([{ content: [], _meta: { id: 4 } }, 98]);
    wire.end();
    wire.post(respond(103));
    await settle();
    expect(onLateResult).toHaveBeenCalledTimes(99);
  });
});
