import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Declarations } from "../../generated/2026-07-28/index.ts";
import { revisions } from "../../generated/revisions.ts";
import type { Awaitable } from "../../generated/support.ts";
import type { Clock } from "../../runtime/internal/timers.ts";
import type { ErrorReport } from "../../runtime/jsonrpc/error-report.ts";
import type { Server } from "../../runtime/server/create-server.ts";
import { forRevisions } from "../../runtime/server/for-revisions.ts";
import { CountedClock, openHttp, openNodes, type Client, type HttpRoute } from "./connections.ts";
import { delay, passTurns } from "./delays.ts";
import { interruptEachStep, waitFor } from "./each-step.ts";

/* What happens while a broken stream is resumed: at each of its steps. */

const { defineServer, defineTool } = forRevisions<Declarations>(revisions);

const form = { message: "Go on?", requestedSchema: { type: "object", properties: {} } } as const;

const notes = ["note://1", "note://2"] as const;

/** A client with a session, and what it has received. */
interface Rig {
  readonly route: HttpRoute;
  readonly client: Client;
  readonly clock: CountedClock;
  /** Messages of the call. */
  readonly received: unknown[];
  /** Messages of the server outside of calls. */
  readonly others: unknown[];
}

const reports: ErrorReport[] = [];

/** Creates a server with a tool that sends a message of each kind, and notifies of changes between them. */
function createServer(): Server {
  const created = defineServer({
    name: "server",
    version: "1",
    onError: (report) => reports.push(report),
    listChanged: ["tools", "resources"],
    subscribe: true,
    resources: [
      { uri: notes[0], name: "first", read: () => "" },
      { uri: notes[1], name: "second", read: () => "" },
    ],
    tools: [
      defineTool({
        name: "speaks",
        async execute(_args, { log, progress, elicit }) {
          await progress(1, 3);
          created.resources.notifyUpdated(notes[0]);
          await log("info", "before");
          created.tools.notifyListChanged();
          await delay();
          const { action } = await elicit(form);
          await log("info", action);
          created.resources.notifyUpdated(notes[1]);
          await delay();
          await progress(2, 3);
          await delay();
          created.resources.notifyListChanged();
          await log("info", "after");
          return "done";
        },
      }),
    ],
  });
  return created;
}

const ways: Readonly<Record<string, (clock: Clock) => Awaitable<HttpRoute>>> = {
  "in one process": (clock) => openHttp(createServer(), clock, "handshake"),
  "at another node": (clock) => openNodes(createServer, clock),
};

const expected = [1, "before", "elicitation", "accept", 2, "after"];

const expectedOthers = [notes[0], "tools", notes[1], "resources"];

beforeEach(() => {
  reports.length = 0;
  const { setTimeout: original } = globalThis;
  // The short delays before a stream is resumed, or a change is broadcast, take one turn of the event loop.
  vi.stubGlobal("setTimeout", (run: () => void, milliseconds = 0) =>
    milliseconds <= 10 ? setImmediate(run) : original(run, milliseconds),
  );
});

afterEach(() => void vi.unstubAllGlobals());

async function open(way: (typeof ways)[string], onReceived = (_rig: Rig): void => {}): Promise<Rig> {
  const clock = new CountedClock();
  const route = await way(clock);
  const received: unknown[] = [];
  const others: unknown[] = [];
  const client = await route
    .createClient({
      logLevel: "info",
      onLog({ data }) {
        received.push(data);
        onReceived(rig);
      },
      onListChanged: (list) => others.push(list),
      onResourceUpdated: (uri) => others.push(uri),
      elicitation: {
        async form() {
          received.push("elicitation");
          await passTurns(2);
          return { action: "accept", content: {} };
        },
      },
    })
    .connect();
  const rig: Rig = { route, client, clock, received, others };
  for (const uri of notes) await client.subscribe(uri, () => {});
  await passTurns(60);
  return rig;
}

async function run({ client, received }: Rig): Promise<unknown> {
  const { content } = await client.callTool("speaks", {}, { onProgress: ({ progress }) => received.push(progress) });
  return content;
}

/** Ends a run. Nothing is left of it, except for stored sessions without a way to their client. */
async function checkEnd({ route, client, clock }: Rig): Promise<void> {
  await client.close();
  await passTurns(50);
  await route.close();
  // Between two nodes, messages may be left without a receiver.
  const failures = (): object => reports.filter(({ error }) => error.name !== "UnreachableError");
  const left = (): object => ({ timers: clock.active, sessions: route.sessions.live, failures: failures() });
  await waitFor(left, { timers: 0, sessions: 0, failures: [] });
}

const done = { status: "fulfilled", value: [{ type: "text", text: "done" }] };

describe.each(Object.keys(ways))("a stream that is resumed %s", (name) => {
  const way = ways[name] ?? expect.unreachable();
  const opened = (): Promise<Rig> => open(way, cutOnce(true));
  // In a cluster, a change arrives at least once.
  const check = name === "in one process" ? checkOnce : checkAtLeastOnce;

  test.each([true, false])(
    "a stream that is cut at any step has each message once (noticed: %s)",
    async (isNoticed) => {
      const steps = await interruptEachStep({
        open: () => open(way),
        run,
        interrupt: ({ route }) => route.cut(isNoticed),
        check,
      });
      expect(steps).toBeGreaterThan(10);
    },
  );

  test.each([true, false])(
    "a stream that is cut again at any step has each message once (noticed: %s)",
    async (isNoticed) => {
      const steps = await interruptEachStep({
        open: () => open(way, cutOnce(isNoticed)),
        run,
        interrupt: ({ route }) => route.cut(isNoticed),
        check,
      });
      expect(steps).toBeGreaterThan(20);
    },
  );

  test("a stream whose client closes at any step of the resumption ends, and leaves nothing", async () => {
    await interruptEachStep({
      open: opened,
      run,
      interrupt: ({ client }) => client.close(),
      async check(rig, outcome) {
        if (outcome.status === "fulfilled") expect(outcome).toEqual(done);
        else expect(outcome.reason).toMatchObject({ name: "ClosedError" });
        await checkEnd(rig);
      },
    });
  });

  test("a stream whose session ends at any step of the resumption fails, and the next call has another session", async () => {
    await interruptEachStep({
      open: opened,
      run,
      interrupt: ({ route }) => route.endSessions(),
      async check(rig, outcome) {
        if (outcome.status === "fulfilled") expect(outcome).toEqual(done);
        else expect(outcome.reason).toMatchObject({ name: "SessionExpiredError" });
        rig.received.length = 0;
        expect(await run(rig)).toEqual(done.value);
        expect(rig.received).toEqual(expected);
        await checkEnd(rig);
      },
    });
  });
});

describe("a stream of one process", () => {
  test("a stream whose server closes at any step of the resumption fails, and leaves nothing", async () => {
    await interruptEachStep({
      open: () => open(ways["in one process"] ?? expect.unreachable(), cutOnce(true)),
      run,
      interrupt: ({ route }) => route.close(),
      async check(rig, outcome) {
        if (outcome.status === "fulfilled") expect(outcome).toEqual(done);
        else expect(outcome.reason).toBeInstanceOf(Error);
        await checkEnd(rig);
      },
    });
  });
});

/** Checks what a client has received whose call has its result. */
async function checkOnce(rig: Rig, outcome: PromiseSettledResult<unknown>): Promise<void> {
  expect(outcome).toEqual(done);
  expect(rig.received).toEqual(expected);
  await waitFor(() => rig.others, expectedOthers);
  await rig.client.close();
  await waitFor(() => rig.route.sessions, { live: 0, stored: 0 });
  await checkEnd(rig);
}

async function checkAtLeastOnce(rig: Rig, outcome: PromiseSettledResult<unknown>): Promise<void> {
  expect(outcome).toEqual(done);
  expect(rig.received).toEqual(expected);
  await waitFor(() => new Set(rig.others), new Set(expectedOthers));
  await checkEnd(rig);
}

/** Returns a function for the first stream with a message of the call: it cuts the stream. */
function cutOnce(isNoticed: boolean): (rig: Rig) => void {
  return ({ route, received }) => {
    if (received.length === 2) route.cut(isNoticed);
  };
}
