import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../../../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../../../runtime/client/connection-factory.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import type { AnyClientOptions } from "../../../../runtime/client/options.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import { TimeoutError } from "../../../../runtime/jsonrpc/errors.ts";
import type { RetryAdvice } from "../../../../runtime/protocol/profile.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { serve } from "../../../../runtime/server/run/acceptor.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { runTranscript } from "../../../../runtime/testing/transcript.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import type { Transport } from "../../../../runtime/transport/transport.ts";
import { newest, statelessRevision } from "../../../kit/revisions.ts";
import { createGate, type Gate } from "../../../kit/time.ts";
import { formParams, type Run } from "../../server/input/raw-client.ts";
import { openSession, type WiredSession } from "../session/session-wire.ts";

/* Calls with a temporary rejection, where a profile says when they may be sent again. */

const rejection = { code: -32000, message: "Later", data: { queue: "a" } };
const early: RetryAdvice = { delay: 1_000, isBeforeWork: true };
const late: RetryAdvice = { delay: 1_000, isBeforeWork: false };

interface Opened extends WiredSession {
  readonly clock: ManualClock;
  /** Errors as the profile received them. */
  readonly seen: unknown[];
}

async function open(advice: RetryAdvice | undefined, options: Partial<AnyClientOptions> = {}): Promise<Opened> {
  const clock = new ManualClock();
  const seen: unknown[] = [];
  const profile = { readRetry: (error: object) => (seen.push(error), advice) };
  const reconnect = { initialDelay: 10, factor: 1, attempts: 2 };
  return { ...(await openSession({ clock, profile, reconnect, ...options })), clock, seen };
}

/** Rejects the request with this id. */
async function reject({ wire }: Opened, id: number): Promise<void> {
  await runTranscript(wire, [
    ["~", { id }],
    [">", { id, error: rejection }],
  ]);
}

const callTool = (session: DefaultClientSession): Promise<unknown> => session.callTool("t");
const list = (session: DefaultClientSession): Promise<unknown> => session.listTools();
const safely = { reconnect: { initialDelay: 10, retry: "safe" } } as const;

describe("a call that the server rejects for now", () => {
  test.each<[string, (session: DefaultClientSession) => Promise<unknown>, RetryAdvice, Partial<AnyClientOptions>]>([
    ["a tool call that has not begun", callTool, early, {}],
    ["a list that has not begun", list, early, {}],
    ["a safe list that may have begun", list, late, safely],
  ])("a rejected call is sent again after the delay of the profile: %s", async (_what, call, advice, options) => {
    const opened = await open(advice, options);
    const { session, clock, wire } = opened;
    const timers = clock.active;
    const calling = call(session);
    await settle();
    await reject(opened, 2);
    expect(opened.seen).toEqual([rejection]);
    await clock.pass(1_004);
    await runTranscript(wire, []);
    await clock.pass(6);
    await runTranscript(wire, ['~ {"id": 3}', '> {"id": 3, "result": {"content": [], "tools": []}}']);
    expect(await calling).toBeDefined();
    expect(clock.active).toBe(timers);
  });

  test.each<
    [string, (session: DefaultClientSession) => Promise<unknown>, RetryAdvice | undefined, Partial<AnyClientOptions>]
  >([
    ["a tool call that may have begun", callTool, late, safely],
    ["a list that may have begun", list, late, {}],
    ["a tool call without advice", callTool, undefined, safely],
    ["a list without advice", list, undefined, safely],
    ["a list without a profile", list, early, { ...safely, profile: {} }],
  ])("a rejected call is not sent again: %s", async (_what, call, advice, options) => {
    const opened = await open(advice, options);
    const calling = call(opened.session);
    calling.catch(() => {});
    await settle();
    await reject(opened, 2);
    await expect(calling).rejects.toMatchObject(rejection);
    await opened.clock.pass(60_000);
    await runTranscript(opened.wire, []);
  });

  test("a rejected call is sent again as often as the client reconnects", async () => {
    const opened = await open(early);
    const calling = opened.session.callTool("t");
    calling.catch(() => {});
    await settle();
    for (const id of [2, 3]) {
      await reject(opened, id);
      await opened.clock.pass(1_010);
    }
    await reject(opened, 4);
    await expect(calling).rejects.toMatchObject(rejection);
  });

  test("a call that fails by another error is not sent again", async () => {
    const opened = await open(early);
    const calling = opened.session.callTool("t", {}, { timeout: 500 });
    calling.catch(() => {});
    await opened.clock.pass(500);
    await expect(calling).rejects.toBeInstanceOf(TimeoutError);
    expect(opened.seen).toEqual([]);
  });
});

describe("a call that waits until it is sent again", () => {
  async function openWaiting(options: object = {}): Promise<Opened & { readonly calling: Promise<unknown> }> {
    const opened = await open(early);
    const calling = opened.session.callTool("t", {}, options);
    calling.catch(() => {});
    await settle();
    await reject(opened, 2);
    return { ...opened, calling };
  }

  test("a waiting call rejects with the reason of its signal", async () => {
    const stop = new AbortController();
    const { calling, clock, wire } = await openWaiting({ signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(calling).rejects.toThrow("enough");
    await clock.pass(60_000);
    await runTranscript(wire, []);
  });

  test.each([{}, { signal: new AbortController().signal }])(
    "a waiting call rejects when the session is closed: %j",
    async (options) => {
      const { calling, clock, session } = await openWaiting(options);
      await session.close();
      await expect(calling).rejects.toMatchObject({ name: "ClosedError" });
      expect(clock.active).toBe(0);
    },
  );

  test("a call that was sent again has the rest of its total timeout", async () => {
    const { calling, clock } = await openWaiting({ totalTimeout: 3_000 });
    let isSettled = false;
    calling.catch(() => (isSettled = true));
    await clock.pass(2_999);
    expect(isSettled).toBe(false);
    // The rest counts in whole milliseconds.
    await clock.pass(2);
    expect(isSettled).toBe(true);
    await expect(calling).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("a call does not wait longer than its total timeout", async () => {
    const { calling } = await openWaiting({ totalTimeout: 1_000 });
    await expect(calling).rejects.toMatchObject(rejection);
  });
});

test("a call that requires input is not repeated when the server has reconnected with another revision", async () => {
  const [reconnected, called]: [Gate, string[]] = [createGate(), []];
  const revisions = [statelessRevision, newest];
  const lines: Transport[] = [];
  const open: ConnectionFactory = (options) => {
    const [near, far] = createInMemoryTransports();
    const revision = revisions[lines.length] ?? newest;
    const run: Run = async (_args, { elicit }) => {
      called.push(revision.id);
      return (await elicit(formParams("Name?"))).action;
    };
    lines.push(far);
    serve(createServer({ name: "s", version: "1", tools: [{ name: "t", execute: run }] }, [revision]), far);
    return connect(near, options);
  };
  const client = createUntypedClient({
    info: { name: "c", version: "1" },
    revisions,
    reconnect: { initialDelay: 1 },
    onEvent: ({ kind }) => kind === "reconnected" && reconnected.open(),
    elicitation: {
      async form() {
        await lines[0]?.close();
        await reconnected.opened;
        return { action: "accept", content: {} };
      },
    },
  });
  onTestFinished(() => client.close());
  const session = await client.connect(open);
  await expect(session.callTool("t")).rejects.toThrow("The server has reconnected with another revision");
  expect(called).toEqual([statelessRevision.id]);
  expect(session.revision).toBe(newest);
});
