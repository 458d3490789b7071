import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { isObject, type Revision } from "../../../generated/support.ts";
import type { Gateway } from "../../../runtime/gateway/gateway.ts";
import { statelessRevision, revisionOf } from "../../kit/revisions.ts";
import { joinGateway, openGateway } from "./connect-client.ts";

/*
 * Tasks of clients: a server of 2025-11-25 may have a client respond with a task only if the client declares so. The gateway, which is that client
 * there, declares nothing of the kind: every question is a plain one, which is what the revision has for clients without tasks.
 */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** An official server that says what its client declares, and asks for tasks all the same. */
function createGreedyServer(): Server {
  const server = new Server({ name: "greedy", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ["declared", "elicit", "sample", "follow"].map((name) => ({ name, inputSchema: { type: "object" } })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name } }, { sendRequest }) => {
    const send = (request: { method: string; params: object }): Promise<unknown> =>
      // Its own types know what it may send; here it sends what it may not.
      Reflect.apply(sendRequest, undefined, [request, z.looseObject({})]).catch((error: unknown) => ({
        refused: isObject(error) ? error.code : error,
      }));
    const say = (value: unknown): { content: [{ type: "text"; text: string }] } => ({
      content: [{ type: "text", text: JSON.stringify(value) }],
    });
    const task = { ttl: 60_000 };
    switch (name) {
      case "elicit": {
        const requestedSchema = { type: "object", properties: {} };
        return say(await send({ method: "elicitation/create", params: { message: "?", requestedSchema, task } }));
      }
      case "sample":
        return say(await send({ method: "sampling/createMessage", params: { messages: [], maxTokens: 1, task } }));
      case "follow":
        return say(await send({ method: "tasks/get", params: { taskId: "a" } }));
      default:
        return say(server.getClientCapabilities());
    }
  });
  return server;
}

const sampled = { role: "assistant", content: { type: "text", text: "42" }, model: "m" };
const accepted = { action: "accept", content: {} };

const open = (): Promise<Gateway> => openGateway(createGreedyServer, { ends });

/** A client that has tasks, and the params that it was asked with. */
async function join(gateway: Gateway, revision: Revision, requested: unknown[]): ReturnType<typeof joinGateway> {
  const note =
    (response: object) =>
    (params: unknown): object => {
      requested.push(params);
      return response;
    };
  const requests = { sampling: { createMessage: {} }, elicitation: { create: {} } };
  const client = await joinGateway(gateway, revision, {
    sampling: {},
    elicitation: { form: {} },
    ...(revision.lifecycle === "handshake" && { tasks: { list: {}, cancel: {}, requests } }),
    handlers: { elicit: note(accepted), createMessage: note(sampled) },
  });
  ends.push(() => client.close());
  return client;
}

function readText(result: unknown): unknown {
  const [block] = isObject(result) && Array.isArray(result.content) ? result.content : [];
  return isObject(block) ? JSON.parse(String(block.text)) : undefined;
}

test("tasks of a client are not declared to the server, whatever the client declares (TK-03)", async () => {
  const client = await join(await open(), revisionOf("2025-11-25"), []);
  const declared = readText(await client.request("tools/call", { name: "declared", arguments: {} }));
  expect(declared).toMatchObject({ sampling: {}, elicitation: { form: {} } });
  expect(declared).not.toHaveProperty("tasks");
});

test("a server that requests a task nevertheless gets the response, and the client a plain request", async () => {
  const requested: unknown[] = [];
  const client = await join(await open(), revisionOf("2025-11-25"), requested);
  expect(readText(await client.request("tools/call", { name: "elicit", arguments: {} }))).toEqual(accepted);
  expect(readText(await client.request("tools/call", { name: "sample", arguments: {} }))).toEqual(sampled);
  expect(requested).toHaveLength(2);
  for (const params of requested) expect(params).not.toHaveProperty("task");
});

test("an input request of a result is plain as well", async () => {
  const client = await join(await open(), statelessRevision, []);
  const requested = await client.request("tools/call", { name: "elicit", arguments: {} });
  expect(requested).toMatchObject({ resultType: "input_required" });
  expect(JSON.stringify(requested)).not.toContain('"task"');
});

test("a gateway has no tasks of the client that a server could request", async () => {
  const client = await join(await open(), revisionOf("2025-11-25"), []);
  expect(readText(await client.request("tools/call", { name: "follow", arguments: {} }))).toEqual({ refused: -32601 });
});
