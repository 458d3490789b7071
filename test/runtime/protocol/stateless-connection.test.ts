import { describe, expect, test } from "vitest";
import type { RequestRow } from "../../../generated/support.ts";
import { createAcceptor, type ServeOptions } from "../../../runtime/lifecycle/acceptor.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { RpcError } from "../../../runtime/jsonrpc/errors.ts";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { connectStateless, toStatelessSettings } from "../../../runtime/protocol/peer/stateless-connection.ts";
import { createStatelessCall } from "../../../runtime/protocol/peer/stateless-request.ts";
import type { Connection } from "../../../runtime/protocol/session/connection.ts";
import { statelessRevision, row } from "../../kit/revisions.ts";
import { request } from "../../kit/messages.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { openPeer, plainSession, requestsOf } from "./open-peer.ts";

const client = { info: { name: "test", version: "1" }, capabilities: {} };
const done = { content: [{ type: "text", text: "done" }] };

interface Opened {
  readonly wire: Wire;
  readonly connection: Connection;
  readonly reports: readonly ErrorReport[];
}

/** Opens the connection of one request, whose metadata the transport has read. */
function open(callTool: (params: unknown, context: CallContext) => unknown, more: Partial<ServeOptions> = {}): Opened {
  const wire = new Wire();
  const reports: ErrorReport[] = [];
  const accept = createAcceptor({
    info: { name: "server", version: "1" },
    revisions: [statelessRevision],
    capabilities: { tools: {}, logging: {} },
    handlers: { callTool },
    onError: (report) => reports.push(report),
    ...more,
  });
  return { wire, connection: accept(wire, { revision: statelessRevision, client }, connectStateless), reports };
}

function call({ wire }: Opened, id = 1): void {
  const { method, params } = request(id, "tools/call", { name: "x" });
  wire.receiver?.classified({ kind: "request", id, method, params });
}

/** A handler that ends when it is told to. */
function controlled(): {
  readonly contexts: CallContext[];
  end(result: unknown): void;
  run: Parameters<typeof open>[0];
} {
  const contexts: CallContext[] = [];
  const ends: ((result: unknown) => void)[] = [];
  return {
    contexts,
    end: (result) => ends.forEach((end) => end(result)),
    run(_params, context) {
      contexts.push(context);
      return new Promise((resolve) => ends.push(resolve));
    },
  };
}

describe("the connection of one stateless request", () => {
  test("responds, and closes without a reason", async () => {
    const opened = open(() => done);
    call(opened);
    expect(opened.wire.sent).toMatchObject([{ id: 1, result: done }]);
    const { closed } = opened.connection;
    await opened.connection.close();
    expect([await closed, await opened.connection.closed]).toEqual([undefined, undefined]);
    expect([opened.connection.state, opened.wire.isClosed]).toEqual(["DISCONNECTED", true]);
  });

  test("rejects params that are not valid, and results of handlers that are not", async () => {
    const opened = open(() => ({ content: 1 }));
    opened.wire.receiver?.classified({ kind: "request", id: 1, method: "tools/call", params: {} });
    expect(opened.wire.sent).toMatchObject([{ id: 1, error: { code: -32602 } }]);
    const other = open(() => ({ content: 1 }));
    call(other);
    expect(other.wire.sent).toMatchObject([{ id: 1, error: { code: -32603, message: "Internal error" } }]);
    expect(other.reports).toMatchObject([{ kind: "result", method: "tools/call", id: 1 }]);
  });

  test.each([
    ["a second request", { jsonrpc: "2.0", id: 2, method: "tools/call" }],
    ["a notification", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }],
  ])("carries one request: %s is reported", async (_, second) => {
    const { run, end } = controlled();
    const opened = open(run);
    call(opened);
    opened.wire.post(second);
    expect(opened.reports).toMatchObject([{ kind: "protocol" }]);
    end(done);
    await settle();
    expect(opened.wire.sent).toMatchObject([{ id: 1, result: done }]);
  });

  test("ends a handler whose timeout expires, and sends nothing of it afterwards", async () => {
    const clock = new ManualClock();
    const { run, end, contexts } = controlled();
    const opened = open(run, { clock, timeouts: { handler: 1_000 } });
    call(opened);
    clock.advance(1_000);
    expect(opened.wire.sent).toMatchObject([{ id: 1, error: { message: "Request timed out" } }]);
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(opened.reports).toMatchObject([{ kind: "handler", method: "tools/call", id: 1 }]);
    end(done);
    await settle();
    expect(opened.wire.sent).toHaveLength(1);
  });

  test("aborts the handler when the client disconnects", async () => {
    const { run, end, contexts } = controlled();
    const opened = open(run);
    call(opened);
    const reason = new Error("gone");
    opened.wire.receiver?.disconnected(reason);
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(await opened.connection.closed).toBe(reason);
    end(done);
    await settle();
    expect(opened.wire.sent).toEqual([]);
  });

  test("waits for the handler when it closes, for as long as it may", async () => {
    const clock = new ManualClock();
    const { run, end } = controlled();
    const opened = open(run, { clock });
    call(opened);
    const closing = opened.connection.close();
    await settle();
    end(done);
    await closing;
    expect(opened.wire.sent).toMatchObject([{ id: 1, result: done }]);
    const late = controlled();
    const other = open(late.run, { clock });
    call(other);
    const closed = other.connection.close({ drain: 500 });
    await settle();
    clock.advance(500);
    await closed;
    expect([other.wire.sent, late.contexts[0]?.signal.aborted]).toEqual([[], true]);
  });

  test("a stateless connection is counted while it is open", async () => {
    const metrics = new Metrics();
    const { run, end } = controlled();
    const opened = open(run, { metrics });
    call(opened);
    expect(metrics.read()).toMatchObject({ connections: 1, running: 1, waiting: 0 });
    end(done);
    await settle();
    await opened.connection.close();
    expect(metrics.read()).toMatchObject({ connections: 0, running: 0 });
  });

  test.each<readonly [string, () => unknown, object, number]>([
    ["throws an error for the client", () => raise(new RpcError(7, "no")), { code: 7, message: "no" }, 0],
    ["throws any other error", () => raise(new Error("secret")), { code: -32603, message: "Internal error" }, 1],
    ["rejects", () => Promise.reject(new RpcError(7, "no")), { code: 7, message: "no" }, 0],
  ])("responds with an error when the handler %s", async (_, callTool, error, count) => {
    const opened = open(callTool);
    call(opened);
    await settle();
    expect(opened.wire.sent).toEqual([{ jsonrpc: "2.0", id: 1, error }]);
    expect(opened.reports).toHaveLength(count);
  });

  test("sends nothing of a handler that fails after its timeout", async () => {
    const clock = new ManualClock();
    let reject = (_error: Error): void => {};
    const opened = open(() => new Promise((_, fail) => (reject = fail)), { clock, timeouts: { handler: 1_000 } });
    call(opened);
    clock.advance(1_000);
    reject(new Error("late"));
    await settle();
    expect(opened.wire.sent).toHaveLength(1);
    expect(opened.reports).toHaveLength(1);
  });

  test("rejects a request without a handler in a message of JSON-RPC", () => {
    const opened = open(() => done);
    opened.wire.receiver?.classified({ kind: "request", id: 1, method: "any", params: {} });
    expect(opened.wire.sent).toMatchObject([{ jsonrpc: "2.0", id: 1, error: { code: -32601 } }]);
  });

  test("begins without a handshake, with the session of its request", () => {
    const { run, contexts } = controlled();
    const rate = { burst: 3, perSecond: 4 };
    const opened = open(run, { progressRate: rate });
    expect([opened.connection.state, opened.connection.session]).toEqual(["NOT_INITIALIZED", undefined]);
    opened.wire.receiver?.classified({ kind: "request", ...request(1, "tools/call", { name: "x" }) }, "the origin");
    expect(contexts[0]).toMatchObject({ revision: statelessRevision, progressRate: rate, origin: "the origin" });
  });

  test("carries a request first, and reports anything else", () => {
    const opened = open(() => done);
    opened.wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    opened.wire.receiver?.problem({ kind: "syntax", message: "It cannot be read" });
    const messages = ["A stateless connection carries one request", "It cannot be read"];
    expect(opened.reports.map(({ kind, error }) => [kind, error.message])).toEqual(
      messages.map((message) => ["protocol", message]),
    );
    call(opened);
    expect(opened.wire.sent).toHaveLength(1);
  });

  test.each([
    ["when it is closing", (opened: Opened) => void opened.connection.close()],
    ["after the client has disconnected", (opened: Opened) => opened.wire.end()],
  ])("carries nothing %s", async (_, end) => {
    const opened = open(() => done);
    end(opened);
    call(opened);
    await settle();
    expect([opened.wire.sent, opened.reports]).toEqual([[], []]);
  });

  test("closes when the client sends nothing more", async () => {
    const opened = open(() => done);
    const { closed } = opened.connection;
    let isOver = false;
    void closed.then(() => (isOver = true));
    await settle();
    expect(isOver).toBe(false);
    opened.wire.receiver?.ended();
    await settle();
    expect([isOver, opened.wire.isClosed]).toEqual([true, true]);
  });

  test("ends once: it leaves the metrics once, with the first reason", async () => {
    const left: unknown[] = [];
    const metrics = Object.assign(new Metrics(), { leave: (running: unknown) => left.push(running) });
    const opened = open(() => done, { metrics });
    const reason = new Error("gone");
    opened.wire.end(reason);
    opened.wire.end(new Error("again"));
    expect(left).toHaveLength(1);
    expect(await opened.connection.closed).toBe(reason);
  });

  test("reports a channel that cannot be closed, and why the handler was aborted", async () => {
    const clock = new ManualClock();
    const { run, contexts } = controlled();
    const opened = open(run, { clock });
    const error = new Error("stuck");
    opened.wire.close = () => Promise.reject(error);
    call(opened);
    const { signal } = contexts[0] ?? {};
    const closing = opened.connection.close({ drain: 10 });
    await settle();
    expect(signal?.aborted).toBe(false);
    clock.advance(10);
    await closing;
    expect(signal?.reason).toMatchObject({ message: "The connection was closed before the response was sent" });
    expect(opened.reports).toEqual([{ kind: "transport", error }]);
    expect(opened.connection.state).toBe("DISCONNECTED");
  });

  test("aborts a handler that never ends when it closes, and sends its result", async () => {
    const requests = requestsOf(
      {
        listen: (_, { signal }) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve({ ended: true }))),
      },
      { duration: "endless" },
    );
    const wire = new Wire();
    const session = { ...plainSession, revision: statelessRevision };
    const routes = { ...openPeer().peer.routes, requests };
    const settings = toStatelessSettings({ clock: new ManualClock() });
    const connection = connectStateless(wire, { routes, session, createCall: createStatelessCall }, settings);
    wire.post({ jsonrpc: "2.0", id: 1, method: "listen" });
    await settle();
    void connection.close();
    await settle();
    expect(wire.sent).toEqual([{ jsonrpc: "2.0", id: 1, result: { ended: true } }]);
    expect(wire.isClosed).toBe(true);
  });

  test("sends progress that was held back when it is due, and stops with the response", async () => {
    const clock = new ManualClock();
    const { run, end, contexts } = controlled();
    const opened = open(run, { clock, progressRate: { burst: 1, perSecond: 10 } });
    const { params } = request(1, "tools/call", { name: "x" }, { progressToken: "t" });
    opened.wire.receiver?.classified({ kind: "request", id: 1, method: "tools/call", params });
    const sent = (): number => opened.wire.sent.splice(0).length;
    for (const progress of [1, 2]) await contexts[0]?.progress({ progress });
    expect(sent()).toBe(1);
    await clock.pass(100);
    expect(sent()).toBe(1);
    for (const progress of [3, 4]) await contexts[0]?.progress({ progress });
    expect(sent()).toBe(0);
    await clock.pass(50);
    end(done);
    await settle();
    expect(opened.wire.sent).toMatchObject([{ params: { progress: 4 } }, { id: 1, result: done }]);
    expect(() => clock.advance(1_000_000)).not.toThrow();
    expect(opened.wire.sent).toHaveLength(2);
  });

  test("ends a handler whose timeout expires after progress was held back", async () => {
    const clock = new ManualClock();
    const { run, contexts } = controlled();
    const rate = { burst: 1, perSecond: 10 };
    const opened = open(run, { clock, progressRate: rate, timeouts: { handler: 1_000 } });
    const { params } = request(1, "tools/call", { name: "x" }, { progressToken: "t" });
    opened.wire.receiver?.classified({ kind: "request", id: 1, method: "tools/call", params });
    for (const progress of [1, 2]) await contexts[0]?.progress({ progress });
    await clock.pass(1_000);
    expect(opened.wire.sent.at(-1)).toMatchObject({ id: 1, error: { message: "Request timed out" } });
  });

  test.each([
    ["with metrics", new Metrics()],
    ["without metrics", undefined],
  ])("drops log messages for which there is no room, %s", async (_, metrics) => {
    const { run, contexts } = controlled();
    const opened = open(run, metrics ? { metrics } : {});
    call(opened);
    const log = statelessRevision.serverNotifications["notifications/message"];
    const notify = async (): Promise<void> => {
      if (log) await contexts[0]?.notify(log, { level: "info", data: "x" });
    };
    await notify();
    expect(opened.wire.sent).toMatchObject([{ jsonrpc: "2.0", method: "notifications/message" }]);
    Object.assign(opened.wire, { buffered: 64 * 1024 * 1024 });
    await notify();
    expect(opened.wire.sent).toHaveLength(1);
    if (metrics) expect(metrics.read().dropped).toEqual(new Map([["log", 1]]));
  });

  test("sends no requests: the error names the missing capability, or the way", async () => {
    const gate = { side: "client", path: ["roots"] } as const;
    const request = async (row: RequestRow): Promise<unknown> => {
      const { run, contexts } = controlled();
      call(open(run));
      return contexts[0]?.request(row, undefined).catch((error: unknown) => error);
    };
    expect(await request({ ...row("roots/list", "listRoots"), gate })).toMatchObject({
      name: "RpcError",
      data: { requiredCapabilities: { roots: {} } },
    });
    const error = {
      message: `Revision ${statelessRevision.id} does not allow ping here; send it from a tool, prompt or resource handler`,
    };
    expect(await request(row("ping", "ping"))).toMatchObject(error);
    expect(await request({ ...row("ping", "ping"), gate: { side: "server", path: ["tools"] } })).toMatchObject(error);
  });
});

function raise(error: Error): never {
  throw error;
}
