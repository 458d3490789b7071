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

/* What happens while a stream that broke is resumed: at each of its steps. */

const { defineServer, defineTool } = forRevisions<Declarations>(revisions);

const form = { message: "Go on?", requestedSchema: { type: "object", properties: {} } } as const;

const uri = "note://1";

/** A client with a session, and what it has received. */
interface Rig {
  readonly route: HttpRoute;
  readonly client: Client;
  readonly clock: CountedClock;
  readonly reports: ErrorReport[];
  /** Messages that belong to the call. */
  readonly received: unknown[];
  /** Messages that the server sends by itself. */
  readonly others: unknown[];
}

/** Creates a server with a tool that sends a message of each kind. */
function createServer(reports: ErrorReport[]): Server {
  return defineServer({
    name: "server",
    version: "1",
    onError: (report) => reports.push(report),
    listChanged: ["prompts"],
    prompts: [],
    tools: [
      defineTool({
        name: "speaks",
        async execute(_args, { log, progress, elicit }) {
          await progress(1, 3);
          await log("info", "before");
          await delay();
          const { action } = await elicit(form);
          await log("info", action);
          await delay();
          await progress(2, 3);
          await delay();
          await log("info", "after");
          return "done";
        },
      }),
    ],
  });
}

const expected = [1, "before", "elicitation", "accept", 2, "after"];

const ways: Readonly<Record<string, (reports: ErrorReport[], clock: Clock) => Awaitable<HttpRoute>>> = {
  "in one process": (reports, clock) => openHttp(createServer(reports), clock, "handshake"),
  "on another node": (reports, clock) => openNodes(() => createServer(reports), clock),
};

beforeEach(() => {
  const { setTimeout: original } = globalThis;
  // The short delays before a stream is resumed take one turn of the event loop.
  vi.stubGlobal("setTimeout", (run: () => void, milliseconds = 0) =>
    milliseconds <= 1 ? setImmediate(run) : original(run, milliseconds),
  );
});

afterEach(() => void vi.unstubAllGlobals());

async function open(way: (typeof ways)[string], onReceived = (_rig: Rig): void => {}): Promise<Rig> {
  const reports: ErrorReport[] = [];
  const clock = new CountedClock();
  const route = await way(reports, clock);
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
      elicitation: {
        async form() {
          received.push("elicitation");
          await passTurns(2);
          return { action: "accept", content: {} };
        },
      },
    })
    .connect();
  const rig: Rig = { route, client, clock, reports, received, others };
  await passTurns(60);
  return rig;
}

async function run({ client, received }: Rig): Promise<unknown> {
  const { content } = await client.callTool("speaks", {}, { onProgress: ({ progress }) => received.push(progress) });
  return content;
}

/** Ends a run. Nothing is left of it. */
async function checkEnd({ route, client, clock, reports }: Rig): Promise<void> {
  await client.close();
  await passTurns(50);
  await route.close();
  const left = (): object => ({ timers: clock.active, sessions: route.sessions, reports });
  await waitFor(left, { timers: 0, sessions: { live: 0, stored: 0 }, reports: [] });
}

const done = { status: "fulfilled", value: [{ type: "text", text: "done" }] };

describe.each(Object.keys(ways))("a resumed stream %s", (name) => {
  const way = ways[name] ?? expect.unreachable();

  test.each([true, false])(
    "a resumed stream has each message once, cut at any step (noticed: %s)",
    async (isNoticed) => {
      const steps = await interruptEachStep({
        open: () => open(way),
        run,
        interrupt: ({ route }) => route.cut(isNoticed),
        async check(rig, outcome) {
          expect(outcome).toEqual(done);
          expect(rig.received).toEqual(expected);
          await checkEnd(rig);
        },
      });
      expect(steps).toBeGreaterThan(10);
    },
  );
});
