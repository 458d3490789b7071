import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { Connection } from "../../runtime/protocol/peer/peer.ts";
import { MemoryEventStore } from "../../runtime/stores/memory-event-store.ts";
import { listenHttp } from "../../runtime/transport/http-server/listen.ts";
import { listenTcp } from "../../runtime/transport/tcp/tcp.ts";
import { initialize, initialized } from "../kit/messages.ts";
import { ManualClock } from "../../runtime/testing/manual-clock.ts";
import { newest } from "../kit/revisions.ts";
import { count, cutAndResume } from "../runtime/transport/faults/cuts.ts";
import { acceptBoth } from "../kit/http-exchange.ts";
import { createService, start } from "../kit/http-server.ts";
import { until } from "../kit/time.ts";
import { createSuiteServer } from "../runtime/transport/transport.suite-server.ts";
import { used } from "./memory.ts";

/* What takes too long for every run of the tests: many sessions, many cuts. */

const sessions = 10_000;
const atOnce = 100;
/** Memory that may remain: compiled code, and buffers that are used again. */
const slack = 10 * 1024 * 1024;

const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Opens and drops sessions, many at a time, and looks at the memory when all is warm and when all is over. */
async function churn(openAndDrop: (isLast: boolean) => Promise<void>, settle: () => Promise<void>): Promise<number> {
  const run = async (total: number): Promise<number> => {
    for (let done = 0; done < total; done += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, (_value, index) => openAndDrop(index % 2 === 0)));
    }
    await settle();
    return used();
  };
  const before = await run(1_000);
  return (await run(sessions)) - before;
}

describe(`memory of ${sessions} sessions that are opened and dropped (R70, R29)`, () => {
  test("sessions over TCP release their memory, half of them by a reset", async () => {
    const serve = createSuiteServer();
    const live = new Set<Connection>();
    const server = await listenTcp({
      accept(transport) {
        const connection = serve(transport);
        live.add(connection);
        void connection.closed.then(() => live.delete(connection));
      },
    });
    open.push(() => server.close());
    const hello = `${JSON.stringify(initialize(newest.id))}\n${JSON.stringify(initialized)}\n`;
    const grown = await churn(
      (isReset) =>
        new Promise((resolve) => {
          const socket = connect(server.port, "127.0.0.1");
          socket.on("error", () => {});
          socket.once("close", () => resolve());
          socket.once("data", () => (isReset ? socket.resetAndDestroy() : socket.end()));
          socket.write(hello);
        }),
      () => until(() => live.size === 0, "the end of every connection"),
    );
    expect(grown).toBeLessThan(slack);
  });

  test("sessions over HTTP release their memory, half of them without a DELETE", async () => {
    const connections: Connection[] = [];
    const clock = new ManualClock();
    const listener = await listenHttp(createService({}, connections), { clock, sessions: { ttl: 60_000 } });
    open.push(() => listener.close());
    const headers = { accept: acceptBoth, "content-type": "application/json" };
    const body = JSON.stringify(initialize(newest.id));
    const grown = await churn(
      async (isSilent) => {
        const response = await fetch(listener.url, { method: "POST", headers, body });
        await response.arrayBuffer();
        const session = response.headers.get("mcp-session-id") ?? "";
        if (isSilent) return;
        await fetch(listener.url, { method: "DELETE", headers: { ...headers, "mcp-session-id": session } });
      },
      async () => {
        await until(() => {
          clock.advance(15_000);
          return listener.handler.sessions.size === 0;
        }, "the end of every session");
        await until(() => connections.every(({ state }) => state === "DISCONNECTED"), "the end of every connection");
        connections.length = 0;
      },
    );
    expect(grown).toBeLessThan(slack);
  });
});

test("a stream with 1,000 cuts loses and repeats nothing (T-45)", async () => {
  const rig = await start({ count }, { retry: 20, events: new MemoryEventStore({ maxEvents: 100_000 }) });
  open.push(() => rig.close());
  await cutAndResume(await rig.open(), 1_000);
});
