import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import { createHttpClientTransport } from "../../../../runtime/transport/http-client/http-client.ts";
import { createSseClientTransport } from "../../../../runtime/transport/http-sse/http-sse-client.ts";
import { newest, revisionOf } from "../../../kit/revisions.ts";
import { openingResult, respondJson, serveScript, usual } from "../../../kit/scripted-server.ts";
import { until } from "../../../kit/time.ts";

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const kinds = ["Streamable HTTP", "HTTP with SSE"] as const;

interface Flooder {
  readonly client: ClientConnection;
  /** Responses of the client that the server has not accepted, and all that came. */
  readonly held: readonly ServerResponse[];
  readonly responses: readonly unknown[];
  flood(count: number): void;
}

/** A server that sends requests on its stream, and accepts responses or not. */
async function startFlooder(kind: (typeof kinds)[number], isDeaf: boolean): Promise<Flooder> {
  let stream: ServerResponse | undefined;
  const held: ServerResponse[] = [];
  const responses: unknown[] = [];
  const isOld = kind === "HTTP with SSE";
  const server = await serveScript(({ method, message }, response) => {
    if (method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      return stream.write(isOld ? "event: endpoint\ndata: /post\n\n" : ":\n\n");
    }
    if (message.method === "initialize") {
      const result = { jsonrpc: "2.0", id: message.id, result: openingResult(message.params) };
      if (!isOld) return respondJson(response, result, { headers: { "mcp-session-id": "s" } });
      stream?.write(`event: message\ndata: ${JSON.stringify(result)}\n\n`);
    }
    if (message.method !== undefined) return message.method === "initialize" ? response.writeHead(202).end() : usual;
    responses.push(message.id);
    held.push(response);
    if (!isDeaf) setTimeout(() => response.writeHead(202).end(), 1);
  });
  open.push(() => server.close());
  const limits = { maxBufferedBytes: 1024 * 1024 };
  const transport = isOld
    ? createSseClientTransport(server.url, { limits })
    : createHttpClientTransport(server.url, { limits });
  const revisions = [isOld ? revisionOf("2024-11-05") : newest];
  const client = await connect(transport, { info: { name: "c", version: "1" }, revisions });
  open.push(() => client.close());
  await until(() => stream !== undefined);
  const flood = (count: number): void => {
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    const events = ids.map(
      (id) => `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n\n`,
    );
    stream?.write(events.join(""));
  };
  return { client, held, responses, flood };
}

describe.each(kinds)("a server that sends requests faster than it accepts responses, over %s", (kind) => {
  test("a flood of requests gets all responses, over a bounded number of connections", async () => {
    const { responses, flood } = await startFlooder(kind, false);
    flood(200);
    await until(() => responses.length === 200);
    expect(new Set(responses).size).toBe(200);
  });

  test("a flood of requests cannot make a client open connections and keep responses without bound (R25)", async () => {
    const { client, held, flood } = await startFlooder(kind, true);
    flood(2_000);
    expect(String(await client.closed)).toContain("The server does not read; more than 1048576 bytes are queued");
    expect(held.length).toBeLessThanOrEqual(64);
  });
});
