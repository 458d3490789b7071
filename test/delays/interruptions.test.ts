import { describe, expect, test } from "vitest";
import type { Declarations } from "../../generated/2026-07-28/index.ts";
import { revisions } from "../../generated/revisions.ts";
import type { ErrorReport } from "../../runtime/jsonrpc/error-report.ts";
import { forRevisions } from "../../runtime/server/for-revisions.ts";
import type { TaskHandle } from "../../runtime/tasks/task-handle.ts";
import { CountedClock, routes, type Client, type Route } from "./connections.ts";
import { passTurns } from "./delays.ts";
import { interruptEachStep, waitFor } from "./each-step.ts";

/* What happens while a call waits: at each of its steps. */

const { defineServer, defineTool } = forRevisions<Declarations>(revisions);

const form = { message: "Go on?", requestedSchema: { type: "object", properties: {} } } as const;

/** A server, its client, and a signal for calls. */
interface Rig {
  readonly route: Route;
  readonly client: Client;
  readonly clock: CountedClock;
  readonly controller: AbortController;
  readonly reports: ErrorReport[];
  /** Handlers without a result whose signal is not aborted. */
  readonly running: Set<object>;
}

function createServer(reports: ErrorReport[], running: Set<object>) {
  const within = async <Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result> => {
    running.add(run);
    signal.addEventListener("abort", () => running.delete(run));
    return run().finally(() => running.delete(run));
  };
  return defineServer({
    name: "server",
    version: "1",
    onError: (report) => reports.push(report),
    tools: [
      defineTool({
        name: "plain",
        execute: (_args, { signal }) => within(signal, async () => (await passTurns(3), "done")),
      }),
      defineTool({
        name: "reports",
        execute: (_args, { progress, signal }) =>
          within(signal, async () => {
            for (const step of [1, 2, 3]) await progress(step, 3);
            return "done";
          }),
      }),
      defineTool({
        name: "asks",
        execute: (_args, { elicit, signal }) => within(signal, async () => (await elicit(form)).action),
      }),
      defineTool({
        name: "task",
        task: { pollInterval: 1 },
        execute: (_args, { elicit, signal }) =>
          within(signal, async () => (await passTurns(3), (await elicit(form)).action)),
      }),
    ],
  });
}

const calls: Readonly<Record<string, (client: Client, signal: AbortSignal) => Promise<unknown>>> = {
  plain: async (client, signal) => (await client.callTool("plain", {}, { signal })).content,
  reports: async (client, signal) => (await client.callTool("reports", {}, { signal, onProgress() {} })).content,
  asks: async (client, signal) => (await client.callTool("asks", {}, { signal })).content,
  task: async (client, signal) => (await client.callTool("task", {}, { signal })).content,
  list: async (client, signal) => (await client.listTools({ signal })).length,
};

const expected: Readonly<Record<string, unknown>> = {
  plain: [{ type: "text", text: "done" }],
  reports: [{ type: "text", text: "done" }],
  asks: [{ type: "text", text: "accept" }],
  task: [{ type: "text", text: "accept" }],
  list: 4,
};

const elicitation = { form: async () => (await passTurns(2), { action: "accept", content: {} } as const) };

/** Opens connections to one server: defining one takes longer than a run. */
function toOpen(route: (typeof routes)[string]): () => Promise<Rig> {
  const reports: ErrorReport[] = [];
  const running = new Set<object>();
  const server = createServer(reports, running);
  return async () => {
    const clock = new CountedClock();
    const opened = await route(server, clock);
    const client = await opened.createClient({ elicitation }).connect();
    await passTurns(30);
    return { route: opened, client, clock, controller: new AbortController(), reports, running };
  };
}

/** Ends a run. Nothing is left of it, except for tasks: they end with their time. */
async function checkEnd({ route, client, clock, reports, running }: Rig, kind: string): Promise<void> {
  await client.close();
  // The server may still respond to the closed client.
  await passTurns(50);
  await route.close();
  const left = (): object => ({
    running: kind === "task" ? 0 : running.size,
    timers: clock.active,
    sessions: route.sessions,
    reports,
  });
  await waitFor(left, { running: 0, timers: 0, sessions: { live: 0, stored: 0 }, reports: [] });
  running.clear();
}

describe.each(Object.keys(routes))("a call %s", (name) => {
  const route = routes[name] ?? expect.unreachable();

  test.each(Object.keys(calls))(
    "%s that is cancelled at any step fails with the reason, or has its result",
    async (kind) => {
      const steps = await interruptEachStep({
        open: toOpen(route),
        run: ({ client, controller }) => calls[kind]?.(client, controller.signal) ?? expect.unreachable(),
        interrupt: ({ controller }) => controller.abort(new Error("the user")),
        async check(rig, outcome) {
          if (outcome.status === "fulfilled") expect(outcome.value).toEqual(expected[kind]);
          else expect(outcome.reason).toMatchObject({ message: "the user" });
          expect((await rig.client.callTool("plain")).content).toEqual(expected["plain"]);
          // The connection may be closed before the id of the task has arrived: nobody can cancel such a task.
          const mayGoOn = kind === "task" && name === "over HTTP, without a session";
          if (!mayGoOn) await waitFor(() => rig.running.size, 0);
          // After a cancellation, the client reads the state of the task once more.
          await passTurns(50);
          await checkEnd(rig, kind);
        },
      });
      expect(steps).toBeGreaterThan(1);
    },
  );

  test.each(Object.keys(calls))("%s whose client closes at any step has ended, and leaves nothing", async (kind) => {
    const steps = await interruptEachStep({
      open: toOpen(route),
      run: ({ client, controller }) => calls[kind]?.(client, controller.signal) ?? expect.unreachable(),
      interrupt: ({ client }) => client.close(),
      async check(rig, outcome) {
        if (outcome.status === "fulfilled") expect(outcome.value).toEqual(expected[kind]);
        else expect(outcome.reason).toMatchObject({ name: "ClosedError" });
        await checkEnd(rig, kind);
      },
    });
    expect(steps).toBeGreaterThan(1);
  });
});

describe.each(Object.keys(routes))("a task %s", (name) => {
  const open = toOpen(routes[name] ?? expect.unreachable());

  test("a task that is cancelled by its handle at any step ends, and leaves nothing", async () => {
    const handles: TaskHandle[] = [];
    const outcomes = new Set<string>();
    const steps = await interruptEachStep({
      open: async () => (handles.splice(0), open()),
      async run({ client }) {
        const handle = await client.callTool("task", {}, { task: true });
        handles.push(handle);
        return handle.result();
      },
      interrupt: () => handles[0]?.cancel().catch(() => {}),
      async check(rig, outcome) {
        outcomes.add(outcome.status);
        if (outcome.status === "fulfilled") expect(outcome.value).toMatchObject({ content: expected["task"] });
        else expect(outcome.reason).toMatchObject({ message: expect.stringContaining("cancelled") });
        await waitFor(() => rig.running.size, 0);
        await passTurns(50);
        await checkEnd(rig, "task");
      },
    });
    expect(steps).toBeGreaterThan(1);
    expect(outcomes).toContain("rejected");
  });
});
