import { describe, expect, test } from "vitest";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { isClosedError } from "../../../runtime/jsonrpc/errors.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { initialize, initialized, text } from "../../kit/messages.ts";
import { runTranscript } from "../../../runtime/testing/transcript.ts";
import { serveWire, type Line } from "../../kit/wire.ts";

const call = (id: unknown, meta?: object): object => ({
  id,
  method: "tools/call",
  params: meta === undefined ? { name: "x" } : { name: "x", _meta: meta },
});
const cancel = (requestId: unknown, reason?: string): object => ({
  method: "notifications/cancelled",
  params: reason === undefined ? { requestId } : { requestId, reason },
});
const tools = { tools: {}, logging: {} };

/** A tool whose calls end when a test ends them. */
function controlled(): {
  readonly handlers: object;
  readonly contexts: CallContext[];
  readonly responders: ((result: unknown) => void)[];
} {
  const contexts: CallContext[] = [];
  const responders: ((result: unknown) => void)[] = [];
  const callTool = (_: unknown, context: CallContext): Promise<unknown> => {
    contexts.push(context);
    return new Promise((resolve) => responders.push(resolve));
  };
  return { handlers: { callTool }, contexts, responders };
}

describe("cancellation by the peer", () => {
  test("cancellation fires the signal with the reason, and no response is sent, not even a late one (C-02)", async () => {
    const { handlers, contexts, responders } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
    await runTranscript(wire, [[">", call(1)]]);
    const signal = contexts[0]?.signal;
    await runTranscript(wire, [[">", cancel(1, "changed my mind")]]);
    expect([signal?.aborted, signal?.reason.message, signal?.reason.name]).toEqual([
      true,
      "changed my mind",
      "AbortError",
    ]);
    responders[0]?.(text("too late"));
    await runTranscript(wire, []);
    expect(wire.abandoned).toEqual([1]);
  });

  test.each(handshakeRevisions.map(({ id }) => id))(
    "cancellation is accepted under the name cancelled only where SDKs of the first revision sent it: %s",
    async (revision) => {
      const { handlers, contexts } = controlled();
      const { wire } = await serveWire({ handlers, capabilities: tools }, revision);
      const params = { requestId: 1, reason: "changed my mind" };
      await runTranscript(wire, [
        [">", call(1)],
        [">", { method: "cancelled", params }],
      ]);
      expect(contexts[0]?.signal.aborted).toBe(revision === "2024-11-05");
    },
  );

  test("a signal that is first read after the cancellation is aborted already", async () => {
    const { handlers, contexts } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
    await runTranscript(wire, [
      [">", call(1)],
      [">", cancel(1)],
    ]);
    expect(contexts[0]?.signal.aborted).toBe(true);
  });

  test("a call and its cancellation in one chunk leave no trace (C-05)", async () => {
    const { handlers } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
    wire.post({ jsonrpc: "2.0", ...call(1) }, { jsonrpc: "2.0", ...cancel(1) });
    await runTranscript(wire, [
      [">", { id: 2, method: "ping" }],
      ["<", { id: 2, result: {} }],
    ]);
  });

  test.each([
    ["unknown", cancel(99)],
    ["of another type", cancel("1")],
    ["missing", { method: "notifications/cancelled", params: {} }],
    ["malformed", { method: "notifications/cancelled", params: { requestId: {} } }],
  ])("cancellation of an id that is %s is ignored (C-03)", async (_, notification) => {
    const { handlers, responders } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
    await runTranscript(wire, [
      [">", call(1)],
      [">", notification],
    ]);
    responders[0]?.(text("fine"));
    await settle();
    await runTranscript(wire, [["<", { id: 1, result: text("fine") }]]);
  });

  test("a finished request cannot be cancelled any more (C-03), and its id is free again (R13)", async () => {
    const { handlers, responders } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
    await runTranscript(wire, [[">", call(1)]]);
    responders[0]?.(text("first"));
    await settle();
    await runTranscript(wire, [
      ["<", { id: 1, result: text("first") }],
      [">", cancel(1)],
      [">", call(1)],
    ]);
    responders[1]?.(text("second"));
    await settle();
    await runTranscript(wire, [["<", { id: 1, result: text("second") }]]);
  });
});

test("an id that is still running is rejected, and the first call continues (R13)", async () => {
  const { handlers, responders } = controlled();
  const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
  const rejection = { id: 1, error: { code: -32600, message: "The id is already used by a running request" } };
  await runTranscript(wire, [
    [">", call(1)],
    [">", { id: 1, method: "ping" }],
    ["<", rejection],
    [">", { id: "1", method: "ping" }],
    ["<", { id: "1", result: {} }],
  ]);
  responders[0]?.(text("ok"));
  await settle();
  await runTranscript(wire, [["<", { id: 1, result: text("ok") }]]);
});

test("requests above the limit are rejected, and ping gets a response", async () => {
  const { handlers, responders } = controlled();
  const { wire } = await serveWire({ handlers, capabilities: tools, limits: { maxCalls: 2 } }, newest.id);
  const message = "Too many concurrent requests; the limit is 2, retry after a response";
  await runTranscript(wire, [
    [">", call(1)],
    [">", call(2)],
    [">", call(3)],
    ["<", { id: 3, error: { code: 429, message, data: { limit: 2 } } }],
    [">", { id: 4, method: "ping" }],
    ["<", { id: 4, result: {} }],
  ]);
  responders[0]?.(text("ok"));
  await settle();
  await runTranscript(wire, [
    ["<", { id: 1, result: text("ok") }],
    [">", call(3)],
  ]);
  responders[2]?.(text("now"));
  await settle();
  await runTranscript(wire, [["<", { id: 3, result: text("now") }]]);
});

describe("a cancelled call and the limit", () => {
  test("a cancelled call counts until its handler has ended", async () => {
    const { handlers, responders } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools, limits: { maxCalls: 2 } }, newest.id);
    const message = "Too many concurrent requests; the limit is 2, retry after a response";
    await runTranscript(wire, [
      [">", call(1)],
      [">", cancel(1)],
      [">", call(2)],
      [">", cancel(2)],
      [">", call(3)],
      ["<", { id: 3, error: { code: 429, message, data: { limit: 2 } } }],
    ]);
    expect(responders).toHaveLength(2);
    responders[0]?.(text("nobody wants it"));
    await settle();
    await runTranscript(wire, [[">", call(4)]]);
    responders[2]?.(text("ok"));
    await settle();
    await runTranscript(wire, [["<", { id: 4, result: text("ok") }]]);
  });

  test("a cancelled call counts until its time-out", async () => {
    const clock = new ManualClock();
    const { handlers, responders } = controlled();
    const options = { handlers, capabilities: tools, clock, timeouts: { handler: 1_000 }, limits: { maxCalls: 1 } };
    const { wire } = await serveWire(options, newest.id);
    await runTranscript(wire, [
      [">", call(1)],
      [">", cancel(1)],
    ]);
    clock.advance(1_000);
    await runTranscript(wire, [[">", call(2)]]);
    responders[1]?.(text("ok"));
    await settle();
    await runTranscript(wire, [["<", { id: 2, result: text("ok") }]]);
  });
});

test("a ping gets a response while calls run (P-01, R16)", async () => {
  const { handlers } = controlled();
  const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
  await runTranscript(wire, [
    [">", call(1)],
    [">", { id: 2, method: "ping" }],
    ["<", { id: 2, result: {} }],
  ]);
});

test("a handler that runs too long times out with an error, and its signal fires (R15)", async () => {
  const clock = new ManualClock();
  const { handlers, contexts, responders } = controlled();
  const { wire, reports } = await serveWire(
    { handlers, capabilities: tools, clock, timeouts: { handler: 1_000 } },
    newest.id,
  );
  await runTranscript(wire, [[">", call(1)]]);
  clock.advance(999);
  await runTranscript(wire, []);
  clock.advance(1);
  await runTranscript(wire, [["<", { id: 1, error: { code: -32603, message: "Request timed out" } }]]);
  expect(contexts[0]?.signal.aborted).toBe(true);
  expect(reports.map(({ kind }) => kind)).toEqual(["handler"]);
  responders[0]?.(text("late"));
  await runTranscript(wire, []);
});

describe("progress", () => {
  const progress = (progressToken: unknown, value: number): Line => [
    "<",
    { method: "notifications/progress", params: { progressToken, progress: value } },
  ];

  test.each([
    ["a string", "abc"],
    ["zero", 0],
    ["empty", ""],
  ])("progress is sent with the peer's own token, here %s (G-01)", async (_, token) => {
    const { handlers, contexts } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
    await runTranscript(wire, [[">", call(1, { progressToken: token })]]);
    await contexts[0]?.progress({ progress: 1 });
    await runTranscript(wire, [progress(token, 1)]);
    expect(wire.related.at(-1)).toBe(1);
  });

  test("progress is not sent without a token", async () => {
    const { handlers, contexts } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
    await runTranscript(wire, [[">", call(1)]]);
    await contexts[0]?.progress({ progress: 1 });
    await runTranscript(wire, []);
  });

  test("progress is not sent with a token that JSON has changed, which may be that of another request", async () => {
    const { handlers, contexts } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
    await runTranscript(wire, [[">", call(1, { progressToken: JSON.parse("9007199254740993") })]]);
    await contexts[0]?.progress({ progress: 1 });
    await runTranscript(wire, []);
  });

  test("progress only grows (G-03), and stops with the response (G-04)", async () => {
    const { handlers, contexts, responders } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
    await runTranscript(wire, [[">", call(1, { progressToken: 5 })]]);
    for (const value of [0.5, 0.5, 0.25, Number.NaN, Infinity, 2]) await contexts[0]?.progress({ progress: value });
    await runTranscript(wire, [progress(5, 0.5), progress(5, 2)]);
    responders[0]?.(text("done"));
    await settle();
    await contexts[0]?.progress({ progress: 3 });
    await runTranscript(wire, [["<", { id: 1, result: text("done") }]]);
  });

  test("progress stops with a cancellation (G-04)", async () => {
    const { handlers, contexts } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
    await runTranscript(wire, [
      [">", call(1, { progressToken: 5 })],
      [">", cancel(1)],
    ]);
    await contexts[0]?.progress({ progress: 1 });
    await runTranscript(wire, []);
  });
});

describe("the context", () => {
  test("the context has the session and the request", async () => {
    const { handlers, contexts } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools, clientCapabilities: { roots: {} } }, newest.id);
    await runTranscript(wire, [[">", call("a", { key: 1 })]]);
    const [context] = contexts;
    expect(context?.requestId).toBe("a");
    expect(context?.meta).toEqual({ key: 1 });
    expect(context?.revision.id).toBe(newest.id);
    expect(context?.session.peer).toEqual({ info: { name: "test", version: "1" }, capabilities: { roots: {} } });
  });

  test("the context sends requests to the client within the request", async () => {
    const { handlers, contexts } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools, clientCapabilities: { roots: {} } }, newest.id);
    await runTranscript(wire, [[">", call("a")]]);
    const row = newest.serverRequests["roots/list"];
    const roots = row && contexts[0]?.request(row, undefined);
    await settle();
    await runTranscript(wire, [
      ["<", { id: 1, method: "roots/list" }],
      [">", { id: 1, result: { roots: [] } }],
    ]);
    expect(wire.related.at(-1)).toBe("a");
    expect(await roots).toEqual({ roots: [] });
  });

  test("the context rejects locally, with nothing on the wire, when the client does not have the capability (L-17)", async () => {
    const { handlers, contexts } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: { tools: {} } }, newest.id);
    await runTranscript(wire, [[">", call(1)]]);
    const roots = newest.serverRequests["roots/list"];
    const log = newest.serverNotifications["notifications/message"];
    await expect(roots && contexts[0]?.request(roots, undefined)).rejects.toMatchObject({
      name: "CapabilityError",
      method: "roots/list",
      gate: { side: "client", path: ["roots"] },
    });
    await expect(log && contexts[0]?.notify(log, { level: "info", data: 1 })).rejects.toMatchObject({
      name: "CapabilityError",
    });
    await runTranscript(wire, []);
  });

  test("the context reports a failing notification without an unhandled rejection (R14)", async () => {
    const { handlers, contexts } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: { tools: {} } }, newest.id);
    await runTranscript(wire, [[">", call(1)]]);
    const log = newest.serverNotifications["notifications/message"];
    if (log) void contexts[0]?.notify(log, { level: "info", data: 1 });
    await settle();
  });

  test("the context does not send a message that does not fit the revision", async () => {
    const { handlers, contexts } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools }, newest.id);
    await runTranscript(wire, [[">", call(1)]]);
    const log = newest.serverNotifications["notifications/message"];
    await expect(log && contexts[0]?.notify(log, { level: "loud", data: 1 })).rejects.toMatchObject({
      name: "InvalidMessageError",
      part: "params",
      issue: { path: "level" },
    });
    await runTranscript(wire, []);
  });
});

describe("requests before the initialized notification (L-06)", () => {
  test("requests to the client are sent after its initialized notification", async () => {
    const { handlers, contexts } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools });
    wire.post(initialize(newest.id, { roots: {} }), { jsonrpc: "2.0", ...call(1) });
    await settle();
    wire.sent.length = 0;
    const row = newest.serverRequests["roots/list"];
    const roots = row && contexts[0]?.request(row, undefined);
    await settle();
    await runTranscript(wire, [
      [">", initialized],
      ["<", { id: 1, method: "roots/list" }],
      [">", { id: 1, result: { roots: [] } }],
    ]);
    expect(await roots).toEqual({ roots: [] });
  });

  test("notifications without a request are sent after the initialized notification, but for log messages (L-06)", async () => {
    const { wire, connection } = await serveWire({ capabilities: { tools: { listChanged: true }, logging: {} } });
    wire.post(initialize(newest.id));
    await settle();
    wire.sent.length = 0;
    const changed = newest.serverNotifications["notifications/tools/list_changed"];
    const log = newest.serverNotifications["notifications/message"];
    if (changed) void connection.notify(changed, undefined);
    if (log) void connection.notify(log, { level: "info", data: 1 });
    await settle();
    await runTranscript(wire, [
      ["<", { method: "notifications/message", params: { level: "info", data: 1 } }],
      [">", initialized],
      ["<", { method: "notifications/tools/list_changed" }],
    ]);
  });

  test("requests to the client are sent after a time-out without the initialized notification", async () => {
    const clock = new ManualClock();
    const { handlers, contexts } = controlled();
    const { wire } = await serveWire({ handlers, capabilities: tools, clock });
    wire.post(initialize(newest.id, { roots: {} }), { jsonrpc: "2.0", ...call(1) });
    await settle();
    wire.sent.length = 0;
    const row = newest.serverRequests["roots/list"];
    void (row && contexts[0]?.request(row, undefined).catch(() => {}));
    clock.advance(5_000);
    await settle();
    await runTranscript(wire, [["<", { id: 1, method: "roots/list" }]]);
  });
});

describe("closing", () => {
  test("closing lets running handlers respond first, and accepts no new requests", async () => {
    const { handlers, responders } = controlled();
    const { wire, connection } = await serveWire({ handlers, capabilities: tools }, newest.id);
    await runTranscript(wire, [[">", call(1)]]);
    const closed = connection.close();
    const rejected = "The connection is closing; repeat the request on another one";
    await runTranscript(wire, [
      [">", { id: 2, method: "ping" }],
      ["<", { id: 2, error: { code: -32603, message: rejected } }],
    ]);
    expect(wire.isClosed).toBe(false);
    responders[0]?.(text("in time"));
    await closed;
    await runTranscript(wire, [["<", { id: 1, result: text("in time") }]]);
    expect([wire.isClosed, connection.state, await connection.closed]).toEqual([true, "DISCONNECTED", undefined]);
  });

  test("closing aborts handlers that take longer than the drain time", async () => {
    const clock = new ManualClock();
    const { handlers, contexts, responders } = controlled();
    const { wire, connection } = await serveWire({ handlers, capabilities: tools, clock }, newest.id);
    await runTranscript(wire, [[">", call(1)]]);
    const closed = connection.close();
    await settle();
    clock.advance(1_000);
    await closed;
    expect(isClosedError(contexts[0]?.signal.reason)).toBe(true);
    responders[0]?.(text("late"));
    await runTranscript(wire, []);
    expect(clock.active).toBe(0);
  });

  test("closing follows the end of the peer (T-08)", async () => {
    const { handlers, responders } = controlled();
    const { wire, connection } = await serveWire({ handlers, capabilities: tools }, newest.id);
    await runTranscript(wire, [[">", call(1)]]);
    wire.receiver?.ended();
    responders[0]?.(text("for the pipe"));
    await connection.closed;
    await runTranscript(wire, [["<", { id: 1, result: text("for the pipe") }]]);
  });

  test("a broken connection aborts and fails everything at once (R29)", async () => {
    const { handlers, contexts } = controlled();
    const { wire, connection } = await serveWire(
      { handlers, capabilities: tools, clientCapabilities: { roots: {} } },
      newest.id,
    );
    await runTranscript(wire, [[">", call(1)]]);
    const row = newest.serverRequests["roots/list"];
    const roots = row && contexts[0]?.request(row, undefined);
    await settle();
    const reason = new Error("EPIPE");
    wire.receiver?.disconnected(reason);
    await expect(roots).rejects.toMatchObject({ name: "ClosedError", cause: reason });
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(await connection.closed).toBe(reason);
    await expect(row && contexts[0]?.request(row, undefined)).rejects.toMatchObject({ name: "ClosedError" });
    await connection.close();
  });
});

test("notifications reach their handlers, and a failing handler has no further effect", async () => {
  const seen: unknown[] = [];
  const handlers = {
    initialized: () => void seen.push("initialized"),
    rootsListChanged(): Promise<never> {
      seen.push("roots");
      return Promise.reject(new Error("no"));
    },
  };
  const { wire, reports } = await serveWire(
    { handlers, clientCapabilities: { roots: { listChanged: true } } },
    newest.id,
  );
  await runTranscript(wire, [[">", { method: "notifications/roots/list_changed" }]]);
  expect(seen).toEqual(["initialized", "roots"]);
  expect(reports.map(({ kind, method }) => [kind, method])).toEqual([["handler", "notifications/roots/list_changed"]]);
});

test("a notification whose capability was not declared is ignored (1.5)", async () => {
  const seen: unknown[] = [];
  const { wire, reports } = await serveWire({ handlers: { rootsListChanged: () => seen.push(1) } }, newest.id);
  await runTranscript(wire, [[">", { method: "notifications/roots/list_changed" }]]);
  expect([seen.length, reports[0]?.kind]).toEqual([0, "ignored"]);
});
