import { describe, expect, test } from "vitest";
import type { Progress } from "../../../generated/support.ts";
import { revisions } from "../../../generated/revisions.ts";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { Throttle, toProgressToken } from "../../../runtime/protocol/peer/progress.ts";
import type { Rate } from "../../../runtime/jsonrpc/token-bucket.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import type { AnyTool } from "../../../runtime/server/any-definition.ts";
import { newest } from "../../kit/revisions.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { initialize, initialized } from "../../kit/messages.ts";
import { serveWire } from "../../kit/wire.ts";

/** Two at once, then one in 100 ms. */
const slow: Rate = { burst: 2, perSecond: 10 };

interface Call {
  readonly clock: ManualClock;
  readonly wire: Wire;
  /** Reports these one after the other. */
  report(...values: readonly number[]): Promise<void>;
  respond(): void;
  /** Returns the messages since the last call: values of progress, and responses as text. */
  got(): readonly unknown[];
}

/** A call that reports progress when it is told to, in a session whose time passes when it is told to. */
async function startCall(progressRate: Rate | "default" = slow, id: number = 1): Promise<Call> {
  const contexts: CallContext[] = [];
  const responders: ((result: unknown) => void)[] = [];
  const callTool = (_: unknown, context: CallContext): Promise<unknown> => {
    contexts.push(context);
    return new Promise((resolve) => responders.push(resolve));
  };
  const clock = new ManualClock();
  const rate = progressRate === "default" ? {} : { progressRate };
  const { wire } = await serveWire({ handlers: { callTool }, capabilities: { tools: {} }, clock, ...rate }, newest.id);
  wire.post(toCall(id));
  await settle();
  return {
    clock,
    wire,
    async report(...values) {
      for (const progress of values) await contexts[0]?.progress({ progress });
    },
    respond: () => responders[0]?.({ content: [] }),
    got: () => take(wire),
  };
}

function toCall(id: number): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name: "t", _meta: { progressToken: id } } };
}

function take(wire: Wire): readonly unknown[] {
  return wire.sent.splice(0).map((message) => {
    const params: unknown = Reflect.get(Object(message), "params");
    return params === undefined ? "answer" : Reflect.get(Object(params), "progress");
  });
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

describe("progress of one call (S-071, G-05)", () => {
  test("progress is sent at once up to the rate, and then the newest when the rate allows it", async () => {
    const call = await startCall();
    await call.report(1, 2, 3, 4, 5);
    expect(call.got()).toEqual([1, 2]);
    await call.clock.pass(99);
    expect(call.got()).toEqual([]);
    await call.clock.pass(1);
    expect(call.got()).toEqual([5]);
    await call.report(6);
    await call.clock.pass(50);
    await call.report(7);
    expect(call.got()).toEqual([]);
    await call.clock.pass(50);
    expect(call.got()).toEqual([7]);
    await call.clock.pass(10_000);
    expect(call.got()).toEqual([]);
  });

  test("progress is sent at once again after a pause", async () => {
    const call = await startCall();
    await call.report(...upTo(10));
    await call.clock.pass(1_000);
    call.got();
    await call.report(11, 12, 13);
    expect(call.got()).toEqual([11, 12]);
  });

  test("progress ends with the last notification, before the response", async () => {
    const call = await startCall();
    await call.report(...upTo(1_000));
    call.respond();
    await settle();
    expect(call.got()).toEqual([1, 2, 1_000, "answer"]);
    await call.report(1_001);
    await call.clock.pass(10_000);
    expect(call.got()).toEqual([]);
  });

  test("progress never decreases, whatever is held back", async () => {
    const call = await startCall();
    await call.report(1, 2, 9, 3, 9, 8);
    await call.clock.pass(100);
    await call.report(9, 4);
    call.respond();
    await settle();
    expect(call.got()).toEqual([1, 2, 9, "answer"]);
  });

  test("progress is limited for each call by itself", async () => {
    const call = await startCall();
    await call.report(...upTo(9));
    const other = await startCall(slow, 2);
    await other.report(1, 2, 3);
    expect([call.got(), other.got()]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  test("progress needs no timer unless a notification is held back, and none of its own then", async () => {
    const call = await startCall();
    const { started } = call.clock;
    await call.report(1, 2);
    expect(call.clock.started).toBe(started);
    await call.report(...upTo(1_000).slice(2));
    expect(call.clock.started).toBe(started + 1);
  });

  test("progress ends with a cancellation: a notification that is held back is dropped", async () => {
    const call = await startCall();
    await call.report(1, 2, 3);
    call.wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await settle();
    await call.clock.pass(10_000);
    expect(call.got()).toEqual([1, 2]);
  });

  test("progress is limited by default: a short burst unchanged, and 20 a second after it", async () => {
    const call = await startCall("default");
    await call.report(...upTo(150));
    expect(call.got()).toEqual(upTo(100));
    for (const value of upTo(100)) {
      await call.report(150 + value);
      await call.clock.pass(10);
    }
    expect(call.got()).toHaveLength(20);
  });
});

describe("a server", () => {
  const report: AnyTool["execute"] = async (_args, { progress }) => {
    for (const value of [1, 2, 3]) await progress(value);
    return "done";
  };
  const post = async (id: string, meta: object): Promise<readonly unknown[]> => {
    const server = createServer(
      {
        name: "test",
        version: "1",
        progressRate: { burst: 1, perSecond: 0.001 },
        tools: [{ name: "t", execute: report }],
      },
      revisions,
    );
    const wire = new Wire();
    const connection = serve(server, wire);
    if (id === newest.id) wire.post(initialize(id), initialized);
    await settle();
    wire.sent.length = 0;
    const params = { name: "t", _meta: { progressToken: 1, ...meta } };
    wire.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    await settle();
    const got = take(wire);
    wire.end();
    await connection.closed;
    return got;
  };
  const metadata = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };

  test.each<readonly [string, object]>([
    [newest.id, {}],
    ["2026-07-28", metadata],
  ])("a server has the rate of its definition at %s (S-071, G-05)", async (id, meta) => {
    expect(await post(id, meta)).toEqual([1, 3, "answer"]);
  });

  test.each<Rate>([
    { burst: 0, perSecond: 1 },
    { burst: 1, perSecond: 0 },
  ])("a server rejects the rate %j", (progressRate) => {
    expect(() => createServer({ name: "test", version: "1", progressRate }, revisions)).toThrow(
      /^progressRate has burst/,
    );
  });
});

test.each([
  ["", ""],
  [2 ** 53 - 1, 2 ** 53 - 1],
  [1 - 2 ** 53, 1 - 2 ** 53],
  [2 ** 53, undefined],
  [true, undefined],
  [null, undefined],
  [[5], undefined],
])("the progress token of %j is %j", (given, token) => {
  expect(toProgressToken(given)).toBe(token);
});

test("a progress notification that cannot be sent at the end of a call is dropped without an error", async () => {
  const sent: Progress[] = [];
  const clock = new ManualClock();
  const wheel = { now: () => clock.now(), deadlineAfter: (wait: number) => clock.now() + wait };
  const pacer = new Throttle(wheel, { burst: 1, perSecond: 1 }, async (report) => {
    sent.push(report);
    if (report.progress > 1) throw new Error("The connection is closed");
  });
  await pacer.report({ progress: 1 });
  await pacer.report({ progress: 2 });
  await expect(pacer.flush()).resolves.toBeUndefined();
  expect(sent).toHaveLength(2);
  await pacer.flush();
  expect(sent).toHaveLength(2);
});
