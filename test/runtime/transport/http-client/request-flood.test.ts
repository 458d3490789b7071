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
  /** Answers of the client that the server has not accepted, and all that came. */
  readonly held: readonly ServerResponse[];
  readonly answered: readonly unknown[];
  ask(count: number): void;
}

/** A server that asks on its stream, and accepts answers or not. */
async function startFlooder(kind: (typeof kinds)[number], isDeaf: boolean): Promise<Flooder> {
  let stream: ServerResponse | undefined;
  const held: ServerResponse[] = [];
  const answered: unknown[] = [];
  const isOld = kind === "HTTP with SSE";
  const server = await serveScript(({ method, message }, response) => {
    if (method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      return stream.write(isOld ? "event: endpoint\ndata: /post\n\n" : ":\n\n");
    }
    if (message.method === "initialize") {
      const answer = { jsonrpc: "2.0", id: message.id, result: openingResult(message.params) };
      if (!isOld) return respondJson(response, answer, { headers: { "mcp-session-id": "s" } });
      stream?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
    }
    if (message.method !== undefined) return message.method === "initialize" ? response.writeHead(202).end() : usual;
    answered.push(message.id);
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
  const ask = (count: number): void => {
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    const events = ids.map(
      (id) => `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n\n`,
    );
    stream?.write(events.join(""));
  };
  return { client, held, answered, ask };
}

describe.each(kinds)("a server that sends requests faster than it accepts responses, over %s", (kind) => {
  test("a flood of requests gets all responses, over a bounded number of connections", async () => {
    const { answered, ask } = await startFlooder(kind, false);
    ask(200);
    await until(() => answered.length === 200);
    expect(new Set(answered).size).toBe(200);
  });

  test("a flood of requests cannot make a client open connections and keep responses without bound (R25)", async () => {
    const { client, held, ask } = await startFlooder(kind, true);
    ask(2_000);
    expect(String(await client.closed)).toContain("The server does not read; more than 1048576 bytes are queued");
    expect(held.length).toBeLessThanOrEqual(64);
  });
});
