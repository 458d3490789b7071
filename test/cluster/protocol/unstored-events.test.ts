import { expect, onTestFinished, test } from "vitest";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { joinCluster } from "../../../cluster/cluster.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { AnyTool } from "../../../runtime/server/any-definition.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { revisions } from "../../../generated/revisions.ts";
import { call, initialize, openStream, send, textOf } from "../../kit/http-exchange.ts";
import { initialized } from "../../kit/messages.ts";
import { log, start } from "../../kit/http-server.ts";
import { override } from "../../kit/override.ts";

/** Engine whose event store can be made unreachable. */
function createLosableEngine(): { readonly engine: Engine; isAway: boolean } {
  const memory = createMemoryCluster().connect();
  const losable = {
    isAway: false,
    engine: override(memory, {
      events: override(memory.events, {
        async append(...args) {
          if (losable.isAway) throw new EngineError("The store is too slow; try again later");
          return memory.events.append(...args);
        },
      }),
    }),
  };
  return losable;
}

test("while too many messages wait for the store, requests are rejected with 503 and not executed", async () => {
  const losable = createLosableEngine();
  const cluster = await joinCluster(losable.engine, { maxUnstoredSize: 20_000 });
  onTestFinished(() => cluster.close());
  let executed = 0;
  let proceed = (): void => {};
  const waiting = new Promise<void>((resolve) => (proceed = resolve));
  const rejected: unknown[] = [];
  const tools = {
    count: () => (executed += 1),
    async flood(context: CallContext) {
      await log(context, "first");
      losable.isAway = true;
      const sent = Array.from({ length: 30 }, () => log(context, "x".repeat(1_000)));
      await waiting;
      for (const outcome of await Promise.allSettled(sent))
        if (outcome.status === "rejected") rejected.push(outcome.reason);
      return "flooded";
    },
  };
  const rig = await start(tools, { cluster, retry: 20 });
  onTestFinished(() => rig.close());
  const session = await rig.open();
  expect((await session.post(call(1, "count"))).status).toBe(200);
  const stream = await session.postStream(call(2, "flood"));
  await stream.message();
  const { status, headers, text } = await session.post(call(3, "count"));
  expect([status, headers["retry-after"], text]).toEqual([503, "1", expect.stringContaining("Too many messages wait")]);
  expect(executed).toBe(1);
  losable.isAway = false;
  proceed();
  await expect.poll(async () => (await session.post(call(4, "count"))).status).toBe(200);
  expect(rejected.length).toBeGreaterThan(0);
  expect(rejected.length).toBeLessThan(30);
  const rest = await session.listen(stream.events.at(-1)?.id);
  await expect.poll(() => rest.messages.map(textOf)).toContain("flooded");
});

test("messages that are rejected end no process when their handler does not wait for them", async () => {
  const losable = createLosableEngine();
  const cluster = await joinCluster(losable.engine, { maxUnstoredSize: 1_000 });
  onTestFinished(() => cluster.close());
  const flood: AnyTool = {
    name: "flood",
    execute: async (_args, { log: send, progress }) => {
      await send("info", "first");
      losable.isAway = true;
      for (let index = 1; index <= 5; index += 1) {
        void send("info", "x".repeat(1_000));
        void progress(index);
      }
      losable.isAway = false;
      return "flooded";
    },
  };
  const server = createServer({ name: "server", version: "1", tools: [flood], onError: () => {} }, revisions);
  const listener = await serveHttp(server, { port: 0, closeTimeout: 50, cluster });
  onTestFinished(() => listener.close());
  const unhandled: unknown[] = [];
  const record = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  onTestFinished(() => void process.off("unhandledRejection", record));
  const opened = await send(listener.url, undefined, { body: initialize("2025-11-25") });
  const headers = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": "2025-11-25" };
  await send(listener.url, undefined, { body: initialized, headers });
  const stream = await openStream(listener.url, { body: call(1, "flood", {}, { progressToken: "t" }), headers });
  await expect.poll(() => stream.messages.map(textOf)).toContain("flooded");
  expect(unhandled).toEqual([]);
});
