import { describe, expect, test } from "vitest";
import type { Declarations } from "../../generated/2026-07-28/index.ts";
import { revisions } from "../../generated/revisions.ts";
import type { ErrorReport } from "../../runtime/jsonrpc/error-report.ts";
import { forRevisions } from "../../runtime/server/for-revisions.ts";
import { CountedClock, routes, type Client, type Route, type Sessions } from "./connections.ts";
import { passTurns } from "./delays.ts";
import { interruptEachStep, waitFor } from "./each-step.ts";

/* What happens while a session is opened: at each of its steps. */

const { defineServer, defineTool } = forRevisions<Declarations>(revisions);

const text = [{ type: "text", text: "done" }];

/** A server, a client before its start, and a signal for the start. */
interface Rig {
  readonly route: Route;
  readonly client: Sessions;
  readonly clock: CountedClock;
  readonly controller: AbortController;
  readonly reports: ErrorReport[];
}

/** Prepares connections to one server: defining one takes longer than a run. */
function toOpen(route: (typeof routes)[string]): () => Promise<Rig> {
  const reports: ErrorReport[] = [];
  const server = defineServer({
    name: "server",
    version: "1",
    onError: (report) => reports.push(report),
    tools: [defineTool({ name: "plain", execute: async () => (await passTurns(3), "done") })],
  });
  return async () => {
    const clock = new CountedClock();
    const opened = await route(server, clock);
    await passTurns(30);
    return { route: opened, client: opened.createClient(), clock, controller: new AbortController(), reports };
  };
}

/** Connects, and waits until what follows from the start has happened. */
async function start({ client, controller }: Rig): Promise<Client> {
  const session = await client.connect(controller.signal);
  await passTurns(30);
  return session;
}

/** Ends a run. Nothing is left of it, except for stored sessions without a way to their client. */
async function checkEnd({ route, client, clock, reports }: Rig): Promise<void> {
  await client.close();
  await passTurns(50);
  await route.close();
  const left = (): object => ({ timers: clock.active, sessions: route.sessions.live, reports });
  await waitFor(left, { timers: 0, sessions: 0, reports: [] });
}

/** Ends a session, if there is one, and checks the next one. */
async function checkAfterEnd(rig: Rig, outcome: PromiseSettledResult<Client>): Promise<void> {
  if (outcome.status === "fulfilled") await outcome.value.close();
  await waitFor(() => rig.route.sessions, { live: 0, stored: 0 });
  const next = await rig.client.connect();
  await checkCall(next);
  await next.close();
  await waitFor(() => rig.route.sessions, { live: 0, stored: 0 });
  await checkEnd(rig);
}

async function checkCall(session: Client): Promise<void> {
  expect((await session.callTool("plain")).content).toEqual(text);
}

describe.each(Object.keys(routes))("the start of a session %s", (name) => {
  const open = toOpen(routes[name] ?? expect.unreachable());

  test("the start of a session that is cancelled at any step fails with the reason, or the session works", async () => {
    const steps = await interruptEachStep({
      open,
      run: start,
      interrupt: ({ controller }) => controller.abort(new Error("the user")),
      async check(rig, outcome) {
        if (outcome.status === "fulfilled") await checkCall(outcome.value);
        else expect(outcome.reason).toMatchObject({ message: "the user" });
        await checkAfterEnd(rig, outcome);
      },
    });
    expect(steps).toBeGreaterThan(1);
  });

  test("the start of a session whose client closes at any step fails as closed, or the session has ended", async () => {
    const steps = await interruptEachStep({
      open,
      run: start,
      interrupt: ({ client }) => client.close(),
      async check(rig, outcome, isInterrupted) {
        if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ name: "ClosedError" });
        else if (isInterrupted)
          await expect(outcome.value.callTool("plain")).rejects.toMatchObject({ name: "ClosedError" });
        await checkAfterEnd(rig, outcome);
      },
    });
    expect(steps).toBeGreaterThan(1);
  });

  test("the start of a session whose server closes at any step fails, or the session fails", async () => {
    const steps = await interruptEachStep({
      open,
      run: start,
      interrupt: ({ route }) => route.close(),
      async check(rig, outcome, isInterrupted) {
        if (outcome.status === "fulfilled" && isInterrupted)
          await expect(outcome.value.callTool("plain")).rejects.toThrow();
        await checkEnd(rig);
      },
    });
    expect(steps).toBeGreaterThan(1);
  });
});
