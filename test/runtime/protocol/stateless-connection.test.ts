import { describe, expect, test } from "vitest";
import { createAcceptor, type ServeOptions } from "../../../runtime/lifecycle/acceptor.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { connectStateless } from "../../../runtime/protocol/peer/stateless-connection.ts";
import type { Connection } from "../../../runtime/protocol/session/connection.ts";
import { alone, request } from "../lifecycle/stateless.ts";
import { ManualClock } from "../manual-clock.ts";
import { Wire, settle } from "../wire.ts";

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
    revisions: [alone],
    capabilities: { tools: {}, logging: {} },
    handlers: { callTool },
    onError: (report) => reports.push(report),
    ...more,
  });
  return { wire, connection: accept(wire, { revision: alone, client }, connectStateless), reports };
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
});
