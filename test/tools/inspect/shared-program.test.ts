import { afterEach, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import type { Declarations } from "../../../generated/2025-11-25/declarations.ts";
import { connect } from "../../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../../runtime/client/connection-factory.ts";
import { createGateway, type TrafficEntry } from "../../../runtime/gateway/index.ts";
import type { Connection } from "../../../runtime/protocol/peer/peer.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { InputRequests } from "../../../tools/inspect/input-requests.ts";
import { knownExtensions } from "../../../runtime/gateway/extensions.ts";
import { pageClient, Sessions } from "../../../tools/inspect/sessions.ts";
import { shareProgram } from "../../../tools/inspect/shared-program.ts";

const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A program whose processes count their own calls, and the page in front of its gateway. */
async function startPage(served: readonly string[]) {
  const processes: Connection[] = [];
  const changed: string[] = [];
  const own = revisions.filter(({ id }) => served.includes(id));
  const open: ConnectionFactory = (options) => {
    const { defineServer, defineTool } = forRevisions<Declarations>(own);
    let calls = 0;
    const count = defineTool({ name: "count", execute: () => String((calls += 1)) });
    const ask = defineTool({
      name: "ask",
      async execute(_none, { elicit }) {
        const { action } = await elicit({ message: "?", requestedSchema: { type: "object", properties: {} } });
        return action;
      },
    });
    const able = defineTool({ name: "able", execute: (_none, { client }) => JSON.stringify(client.capabilities) });
    const add = defineTool({
      name: "add",
      execute() {
        server.tools.add(defineTool({ name: `added-${(calls += 1)}`, execute: () => "" }));
        return "added";
      },
    });
    const log = defineTool({
      name: "log",
      async execute(_none, context) {
        await context.log("debug", "logged");
        return "logged";
      },
    });
    const server = defineServer({
      name: "s",
      version: "1",
      tools: [count, ask, able, add, log],
      prompts: [],
      listChanged: true,
    });
    const [clientEnd, serverEnd] = createInMemoryTransports();
    processes.push(serve(server, serverEnd));
    return connect(clientEnd, options);
  };
  const traffic: TrafficEntry[] = [];
  const gateway = await createGateway(
    shareProgram(open, (revision) => pageClient(revision, knownExtensions)),
    {
      revisions,
      onTraffic: (entry) => void traffic.push(entry),
    },
  );
  const input = new InputRequests(() => {
    for (const { id } of input.list) input.respond(id, { response: { action: "decline" } });
  });
  const onListChanged = (protocol: string, list: string): void => void changed.push(`${protocol} ${list}`);
  const sessions = new Sessions({
    extensions: knownExtensions,
    gateway,
    revisions,
    input,
    onChange() {},
    onListChanged,
  });
  endings.push(
    () => gateway.close(),
    () => sessions.closeAll(),
  );
  const call = async (protocol: string, tool: string): Promise<unknown> => {
    const session = await sessions.open(protocol);
    const result: unknown = await session.callTool(tool);
    return JSON.stringify(result);
  };
  return {
    processes,
    changed,
    sessions,
    call,
    /** Revisions of the page's sessions that have received log messages. */
    readLogged: () =>
      traffic
        .filter(
          ({ side, message }) => side === "client" && isObject(message) && message.method === "notifications/message",
        )
        .map(({ protocol }) => protocol),
    spoken: gateway.revision.id,
    /** Reads all lists at once, as the page does when it is loaded. */
    async load(protocol: string): Promise<void> {
      const session = await sessions.open(protocol);
      await Promise.all([session.listTools({ refresh: true }), session.listPrompts({ refresh: true })]);
    },
  };
}

describe.each([[["2025-11-25"]], [["2025-06-18"]], [["2026-07-28"]], [revisions.map(({ id }) => id)]])(
  "the page of a program with the revisions %j",
  (served) => {
    test("the page uses one process, also after a reload", async () => {
      const page = await startPage(served);
      await page.load(page.spoken);
      expect(await page.call(page.spoken, "count")).toContain('"1"');
      await page.load(page.spoken);
      const counts = await Promise.all([page.call(page.spoken, "count"), page.call(page.spoken, "count")]);
      expect(counts.sort()).toEqual([expect.stringContaining('"2"'), expect.stringContaining('"3"')]);
      expect(page.processes).toHaveLength(1);
    });

    test("the page responds to input requests of the program, and hears of changed lists once", async () => {
      const page = await startPage(served);
      await page.load(page.spoken);
      expect(await page.call(page.spoken, "ask")).toContain('"decline"');
      await page.call(page.spoken, "add");
      await expect.poll(() => page.changed.length).toBeGreaterThan(0);
      await page.load(page.spoken);
      expect(page.changed).toEqual([`${page.spoken} tools`]);
      expect(page.processes).toHaveLength(1);
    });

    test("the page connects to one new process after the first has ended", async () => {
      const page = await startPage(served);
      await page.load(page.spoken);
      await page.processes[0]?.close();
      await expect.poll(() => page.processes.length).toBe(2);
      await expect.poll(() => page.call(page.spoken, "count").catch(() => "")).toContain('"1"');
      expect(page.processes).toHaveLength(2);
    });
  },
);

test("sessions at other revisions use the process of a program without sessions, each with its capabilities", async () => {
  const page = await startPage(["2026-07-28"]);
  const able = await Promise.all(["2026-07-28", "2025-11-25", "2024-11-05"].map((id) => page.call(id, "able")));
  expect(able.map((text) => String(text).includes("elicitation"))).toEqual([true, true, false]);
  expect(page.processes).toHaveLength(1);
});

test("a session that declares other capabilities gets a process of its own from a program with sessions", async () => {
  const page = await startPage(["2025-11-25"]);
  expect(await page.call("2025-11-25", "able")).toContain("elicitation");
  expect(await page.call("2024-11-05", "able")).not.toContain("elicitation");
  expect(page.processes).toHaveLength(2);
  await page.sessions.close("2024-11-05");
  await page.processes[1]?.closed;
  expect(await page.call("2025-11-25", "count")).toContain('"1"');
});

test.each(["2025-11-25", "2026-07-28"])(
  "log messages reach the session of their call, also beside others: %s",
  async (served) => {
    const page = await startPage([served]);
    const protocols = ["2026-07-28", "2025-11-25"];
    for (const id of protocols) await page.load(id);
    for (const id of protocols) await page.call(id, "log");
    expect(page.readLogged()).toEqual(protocols);
  },
);
