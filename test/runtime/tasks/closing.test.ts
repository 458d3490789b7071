import { expect, test } from "vitest";
import { createServer } from "../../../runtime/server/create-server.ts";
import { createHttpHandler } from "../../../runtime/server/run/http-handler.ts";
import { MemoryTaskStore } from "../../../runtime/stores/memory-task-store.ts";
import type { TaskRecord } from "../../../runtime/stores/task-store.ts";
import { revisions } from "../../../generated/revisions.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { meta, request } from "../../kit/messages.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { declaring, serveExtension } from "./extension-wire.ts";
import { createGate } from "../../kit/time.ts";
import { defineTool, findTask } from "./task-wire.ts";

/* Tasks that begin while their server closes. */

const closing = "The server is closing; retry the request later";

/** A tool that counts its calls, and a store that keeps each new task waiting. */
function createWorld() {
  const memory = new MemoryTaskStore();
  const records: TaskRecord[] = [];
  const stored = createGate();
  const world = { calls: 0 };
  const store = {
    async add(record: TaskRecord): Promise<boolean> {
      const added = memory.add(record);
      records.push(record);
      await stored.opened;
      return added;
    },
    find: memory.find.bind(memory),
    change: memory.change.bind(memory),
    list: memory.list.bind(memory),
    remove: memory.remove.bind(memory),
    removeAll: memory.removeAll.bind(memory),
  };
  const execute = (): string => {
    world.calls += 1;
    return "done";
  };
  const tools = [defineTool({ name: "t", task: true, execute })];
  return { world, records, stored, memory, definition: { tools, tasks: { store } } };
}

test("a task that is being stored while its server closes is removed, and its work does not begin", async () => {
  const { world, records, stored, memory, definition } = createWorld();
  const { server, request } = serveExtension(definition);
  const response = request("tools/call", { name: "t" });
  await expect.poll(() => records).toHaveLength(1);
  const closed = server.close({ drain: 0 });
  await settle();
  stored.open();
  await closed;
  expect(await Promise.all(records.map((record) => findTask(memory, record)))).toEqual([undefined]);
  expect(world.calls).toBe(0);
  expect(await response).toMatchObject({ code: -32603, message: closing });
});

test("a server whose store does not respond closes after a time", async () => {
  const { records, stored, memory, definition } = createWorld();
  const clock = new ManualClock();
  const { server, request } = serveExtension({ ...definition, tasks: { ...definition.tasks, clock } });
  const response = request("tools/call", { name: "t" });
  await expect.poll(() => records).toHaveLength(1);
  let isClosed = false;
  const closed = server.close({ drain: 0 }).then(() => (isClosed = true));
  await clock.pass(999);
  expect(isClosed).toBe(false);
  await clock.pass(1);
  await closed;
  stored.open();
  await response;
  expect(await Promise.all(records.map((record) => findTask(memory, record)))).toEqual([undefined]);
});

test("a request for a task is rejected after its server has closed, and nothing is stored", async () => {
  const { records, definition } = createWorld();
  const server = createServer({ name: "server", version: "1", ...definition }, revisions);
  const { fetch } = createHttpHandler(server);
  await server.close();
  const body = JSON.stringify(request(1, "tools/call", { name: "t" }, { [meta.capabilities]: declaring }));
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": statelessRevision.id,
    "mcp-method": "tools/call",
    "mcp-name": "t",
  };
  const response = await fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
  expect(await response.json()).toMatchObject({ error: { code: -32603, message: closing } });
  expect(records).toEqual([]);
});
