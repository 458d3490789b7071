import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ElicitResultSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, test } from "vitest";
import { connect } from "../../../runtime/client/connect.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { newest } from "../../kit/revisions.ts";
import { createGate } from "../../kit/time.ts";
import { openGateway } from "./connect-client.ts";

/* Requests of a server during overlapping calls of one session. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test("a request of a server over HTTP belongs to the call on whose stream it arrives, not to the latest", async () => {
  const begun = new Map(["a", "b", "c"].map((name) => [name, createGate()]));
  const create = (): Server => {
    const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params: { name } }, { sendRequest }) => {
      begun.get(name)?.open();
      await Promise.all([...begun.values()].map(({ opened }) => opened));
      const requestedSchema = { type: "object", properties: {} } as const;
      const params = { message: name, requestedSchema };
      await sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
      return { content: [{ type: "text", text: name }] };
    });
    return server;
  };
  const gateway = await openGateway(create, { ends });
  const [near, far] = createInMemoryTransports();
  const calls = new Map<unknown, string>();
  const requested: unknown[] = [];
  const send = far.send.bind(far);
  far.send = (message, related) => {
    if ("method" in message && message.method === "elicitation/create")
      requested.push([Reflect.get(Object(message.params), "message"), related === undefined ? "" : calls.get(related)]);
    return send(message, related);
  };
  gateway.accept(far);
  const handlers = { elicit: () => ({ action: "accept", content: {} }) };
  const client = await connect(near, {
    info: { name: "test", version: "1" },
    revisions: [newest],
    capabilities: { elicitation: {} },
    handlers,
  });
  ends.push(() => client.close());
  const running = [...begun.keys()].map((name) => {
    const onId = (id: unknown): void => void calls.set(id, name);
    return client.request("tools/call", { name, arguments: {} }, { onId });
  });
  await Promise.all(running);
  expect(requested.toSorted()).toEqual([
    ["a", "a"],
    ["b", "b"],
    ["c", "c"],
  ]);
});
