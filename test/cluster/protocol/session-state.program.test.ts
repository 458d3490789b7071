import { afterEach, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { revisions } from "../../../generated/revisions.ts";
import { joinCluster } from "../../../cluster/cluster.ts";
import { SharedSessionValues } from "../../../cluster/engine/session-values.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createSessionState } from "../../../runtime/server/session-state.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { call, initialize, send, textOf } from "../../kit/http-exchange.ts";
import { initialized } from "../../kit/messages.ts";
import { startServerNodes, type Definition, type ServerNodes } from "./server-nodes.ts";

const schema = z.object({ count: z.number().default(0), text: z.string().default("") });

/** Each node has states of its own with the same names, as separate processes have. */
function define(): Definition {
  const counts = createSessionState("counts", schema);
  const large = createSessionState("large", schema, { maxBytes: 1_000_000 });
  return {
    name: "counting",
    version: "1",
    tools: [
      {
        name: "count",
        execute: async (_args, { session }) =>
          String((await counts.update(session, (state) => ({ ...state, count: state.count + 1 }))).count),
      },
      { name: "read", execute: async (_args, { session }) => String((await counts.get(session)).count) },
      {
        name: "fill",
        async execute(_args, { session }) {
          const text = "a".repeat(70_000);
          await large.update(session, (state) => ({ ...state, text: state.text + text }));
          return "filled";
        },
      },
    ],
  };
}

let nodes: ServerNodes | undefined;

afterEach(async () => {
  await nodes?.close();
  nodes = undefined;
});

it("nodes of a cluster share the state of a session, and its changes run one after another", async () => {
  nodes = await startServerNodes(define);
  const all = nodes;
  const [one, other] = [await all.open(), await all.open()];
  let id = 1;
  const request = async (node: number, headers: Record<string, string>, tool: string): Promise<string> => {
    id += 1;
    const { text, json } = await all.send(node, { body: call(id, tool), headers });
    return textOf(json ?? /^data: (\{.*)$/m.exec(text)?.[1]);
  };
  const counts = await Promise.all(Array.from({ length: 9 }, (_, at) => request(at % 3, one, "count")));
  expect(counts.map(Number).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (const node of [0, 1, 2]) expect(await request(node, one, "read")).toBe("9");
  expect(await request(1, other, "count")).toBe("1");
  expect(await request(2, other, "read")).toBe("1");
  expect(await request(0, other, "fill")).toBe("filled");
  expect(await request(1, other, "fill")).toBe("The tool failed");
  expect(await request(2, other, "read")).toBe("1");
});

it("the state of a session is removed when the session ends", async () => {
  const engine = createMemoryCluster().connect();
  const cluster = await joinCluster(engine);
  const server = createServer(define(), revisions);
  const listener = await serveHttp(server, { port: 0, cluster });
  onTestFinished(async () => {
    await listener.close();
    await cluster.close();
  });
  const opened = await send(listener.url, undefined, { body: initialize("2025-11-25") });
  const id = String(opened.headers["mcp-session-id"]);
  const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
  await send(listener.url, undefined, { body: initialized, headers });
  await send(listener.url, undefined, { body: call(1, "count"), headers });
  const key = JSON.stringify(["session", null, id]);
  expect(await engine.values?.get(key)).toContain("counts");
  await send(listener.url, undefined, { method: "DELETE", headers });
  expect(await engine.values?.get(key)).toBeUndefined();
});

it("the state of a session is kept as long as any node reads it, without a change", async () => {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock }).connect();
  await engine.open();
  const failures: unknown[] = [];
  const fail = (thrown: unknown): void => void failures.push(thrown);
  const createValues = (): SharedSessionValues =>
    new SharedSessionValues({ id: "1", owner: "ada" }, { values: engine.values, clock, fail });
  const values = createValues();
  await values.update("cart", () => "tea");
  for (let hours = 10; hours <= 50; hours += 10) {
    await clock.pass(10 * 3_600_000);
    expect(await values.get("cart")).toBe("tea");
  }
  await clock.pass(20 * 3_600_000);
  expect(await createValues().get("cart")).toBe("tea");
  await clock.pass(20 * 3_600_000);
  expect(await createValues().get("cart")).toBe("tea");
  await clock.pass(25 * 3_600_000);
  expect(await values.get("cart")).toBeUndefined();
  expect(failures).toEqual([]);
});
