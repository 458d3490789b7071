import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import type { Gateway } from "../../../runtime/gateway/gateway.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { initialize, initialized, request } from "../../kit/messages.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { joinGateway, openGateway } from "./connect-client.ts";

/*
 * What a gateway does not know. A method, a kind of result or a header rule that is no part of its data cannot be passed without breaking what is:
 * so what would announce them is not declared (XF-01), and whoever uses them nevertheless is refused. Metadata is passed as it is.
 */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const secret = "com.example/secret";

/** An official server with an experiment and an extension of its own, which tells what it learns. */
function createServer(): Server {
  const capabilities = { experimental: { [secret]: {} }, extensions: { [secret]: {} }, tools: {} };
  const server = new Server({ name: "odd", version: "1" }, { capabilities });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: "tell", inputSchema: { type: "object" } }],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { _meta } }, { sendNotification }) => {
    const note = { method: `notifications/${secret}`, params: {} };
    // Its own types know what it may send; here it sends what it may not.
    await Reflect.apply(sendNotification, undefined, [note]);
    const text = JSON.stringify({ declared: server.getClientCapabilities(), meta: _meta });
    return { content: [{ type: "text", text }], _meta: { "com.example/answer": { b: [1] } } };
  });
  server.setRequestHandler(z.object({ method: z.literal(`${secret}/do`) }), () => ({ done: true }));
  return server;
}

const open = (): Promise<Gateway> => openGateway(createServer, { ends });

function readText(result: unknown): Record<string, unknown> {
  const [block] = isObject(result) && Array.isArray(result.content) ? result.content : [];
  const value: unknown = isObject(block) ? JSON.parse(String(block.text)) : undefined;
  return isObject(value) ? value : {};
}

const any = {
  kind: "request",
  method: `${secret}/do`,
  handler: "any",
  params: pass,
  paramsOptional: true,
  result: pass,
} as const;

function pass(): undefined {
  return undefined;
}

test("a gateway declares that it supports the capability extensions, without any extension", async () => {
  const servers: Server[] = [];
  const create = (): Server => {
    const server = createServer();
    servers.push(server);
    return server;
  };
  await openGateway(create, { ends });
  const declared = servers.flatMap((server) => server.getClientCapabilities() ?? []);
  expect(declared).toEqual([{ extensions: {} }]);
});

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at %s", (id, revision) => {
  // Servers may request context of every client whose revision does not have the capability for it.
  const sampling = revision.capabilities.client.includes("sampling.context") ? {} : { context: {} };

  test("experiments and extensions of the server are not declared, and their methods are unknown (XF-01)", async () => {
    const client = await joinGateway(await open(), revision);
    expect(client.serverCapabilities).toEqual({ tools: {} });
    await expect(client.request(any, {})).rejects.toMatchObject({ code: -32601 });
  });

  test("experiments and extensions of the client are not declared to the server", async () => {
    const client = await joinGateway(await open(), revision, {
      experimental: { [secret]: {} },
      extensions: { [secret]: {} },
      sampling: { [secret]: {} },
      [secret]: {},
    });
    const { declared } = readText(await client.request("tools/call", { name: "tell", arguments: {} }));
    // Extensions are read by this client, and the server learns of none.
    expect(declared).toEqual({ sampling, extensions: {} });
  });

  test("a server gets the capability extensions only from clients that have it", async () => {
    const client = await joinGateway(await open(), revision, { sampling: {} });
    const { declared } = readText(await client.request("tools/call", { name: "tell", arguments: {} }));
    const hasExtensions = revision.capabilities.client.includes("extensions");
    expect(declared).toEqual({ sampling, ...(hasExtensions && { extensions: {} }) });
  });

  test.skipIf(id < "2025-06-18")(
    "metadata passes unchanged, both ways, but for revisions whose params list their members",
    async () => {
      const client = await joinGateway(await open(), revision);
      const _meta = { "com.example/trace": { a: 1 } };
      const result = await client.request("tools/call", { name: "tell", arguments: {}, _meta });
      expect(result).toMatchObject({ _meta: { "com.example/answer": { b: [1] } } });
      expect(readText(result).meta).toMatchObject(_meta);
    },
  );

  test("an unknown notification is dropped", async () => {
    const wire = new Wire();
    (await open()).accept(wire);
    await begin(wire, revision);
    const params = { name: "tell", arguments: {} };
    wire.post(
      revision === statelessRevision
        ? request(7, "tools/call", params)
        : { jsonrpc: "2.0", id: 7, method: "tools/call", params },
    );
    await expect.poll(() => wire.sent).toContainEqual(expect.objectContaining({ id: 7, result: expect.anything() }));
    expect(JSON.stringify(wire.sent)).not.toContain(`notifications/${secret}`);
  });
});

async function begin(wire: Wire, revision: Revision): Promise<void> {
  if (revision === statelessRevision) return;
  wire.post(initialize(revision.id));
  await settle();
  wire.post(initialized);
}
