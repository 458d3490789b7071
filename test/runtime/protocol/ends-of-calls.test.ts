import { describe, expect, test } from "vitest";
import { createAcceptor } from "../../../runtime/lifecycle/acceptor.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import type { CallContext } from "../../../runtime/protocol/session/call-context.ts";
import { connectStateless } from "../../../runtime/protocol/peer/stateless-connection.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { request } from "../../kit/messages.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { noticesOf, openPeer, requestsOf } from "./open-peer.ts";

/* Every end of a call, followed by every other one, on both kinds of connections: the first end counts, and the later ones change nothing. */

interface Opened {
  readonly wire: Wire;
  readonly clock: ManualClock;
  readonly reports: readonly ErrorReport[];
  /** What happened, in order: `aborted`, and `result` or the message of the error for each response. */
  readonly log: string[];
  readonly context: CallContext;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

type Handle = (params: unknown, context: CallContext) => Promise<unknown>;
type Start = (wire: Wire, clock: ManualClock, handle: Handle, reports: ErrorReport[]) => void;

const timeout = 1_000;
const late = { content: [{ type: "text", text: "done" }] };

const connections: Readonly<Record<string, Start>> = {
  "a session"(wire, clock, work, reports) {
    openPeer({
      wire,
      routes: { requests: requestsOf({ work }), notifications: noticesOf({ "notifications/cancelled": () => {} }) },
      settings: { clock, timeouts: { handler: timeout }, onError: (report) => reports.push(report) },
    });
    wire.post({ jsonrpc: "2.0", id: 1, method: "work" });
  },
  "a stateless request"(wire, clock, callTool, reports) {
    const accept = createAcceptor({
      info: { name: "server", version: "1" },
      revisions: [statelessRevision],
      capabilities: { tools: {} },
      handlers: { callTool },
      clock,
      timeouts: { handler: timeout },
      onError: (report) => reports.push(report),
    });
    accept(
      wire,
      { revision: statelessRevision, client: { info: { name: "test", version: "1" }, capabilities: {} } },
      connectStateless,
    );
    wire.receiver?.classified({ kind: "request", ...request(1, "tools/call", { name: "x" }) });
  },
};

const ends: Readonly<Record<string, { readonly run: (opened: Opened) => unknown; readonly log: readonly string[] }>> = {
  "its handler returns": { run: ({ resolve }) => resolve(late), log: ["result"] },
  "its handler fails": { run: ({ reject }) => reject(new Error("secret")), log: ["Internal error"] },
  // The handler's requests to others are cancelled while their way, the response, is still open.
  "its timeout expires": { run: ({ clock }) => clock.pass(timeout), log: ["aborted", "Request timed out"] },
  "the peer disconnects": { run: ({ wire }) => wire.receiver?.disconnected(new Error("gone")), log: ["aborted"] },
};

function open(start: Start): Opened {
  const wire = new Wire();
  const clock = new ManualClock();
  const reports: ErrorReport[] = [];
  const log: string[] = [];
  const started: Pick<Opened, "context" | "resolve" | "reject">[] = [];
  start(
    wire,
    clock,
    (_params, context) => new Promise((resolve, reject) => void started.push({ context, resolve, reject })),
    reports,
  );
  const send = wire.send.bind(wire);
  wire.send = (message, related) => {
    log.push("error" in message && message.error ? String(Reflect.get(Object(message.error), "message")) : "result");
    return send(message, related);
  };
  const [running] = started;
  if (!running) throw new Error("The handler has not begun");
  running.context.onAbort?.(() => log.push("aborted"));
  return { wire, clock, reports, log, ...running };
}

const cases = Object.entries(connections).flatMap(([kind, start]) =>
  Object.entries(ends).flatMap(([first, { run, log }]) =>
    Object.entries(ends).map(
      ([second, { run: runAgain }]) => [kind, first, second, { start, run, log, runAgain }] as const,
    ),
  ),
);

describe("a call ends once", () => {
  test.each(cases)("on %s: %s, then %s", async (_kind, _first, _second, { start, run, log, runAgain }) => {
    const opened = open(start);
    await run(opened);
    await settle();
    const reported = opened.reports.length;
    await runAgain(opened);
    await opened.clock.pass(timeout);
    expect(opened.log).toEqual(log);
    expect(opened.reports).toHaveLength(reported);
    expect(opened.context.signal.aborted).toBe(log.includes("aborted"));
    expect(opened.clock.active).toBe(0);
  });
});

test("each listener of a call runs once, also when its connection closes before it disconnects", async () => {
  const { context, wire, log } = open(connections["a session"] ?? (() => {}));
  context.onAbort?.(() => log.push("second"));
  wire.receiver?.disconnected(new Error("gone"));
  wire.receiver?.disconnected(new Error("again"));
  await settle();
  expect(log).toEqual(["aborted", "second"]);
});
