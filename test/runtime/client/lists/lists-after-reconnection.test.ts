import { expect, onTestFinished, test } from "vitest";
import { connectHttp } from "../../../../runtime/client/connect-http.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import { newest } from "../../../kit/revisions.ts";
import { openingResult, respondJson, serveScript, sessionId, usual } from "../../../kit/scripted-server.ts";
import { until } from "../../../kit/time.ts";

test("lists are not cached after a reconnection without notifications, as they are not before", async () => {
  let isExpired = false;
  let openings = 0;
  let lists = 0;
  const server = await serveScript(({ message: { id, method, params } }, response) => {
    if (method === "initialize") {
      openings += 1;
      isExpired = false;
      const result = { ...openingResult(params), capabilities: { tools: { listChanged: true } } };
      return respondJson(response, { jsonrpc: "2.0", id, result }, { headers: { "mcp-session-id": sessionId } });
    }
    if (isExpired && id !== undefined) return response.writeHead(404).end();
    if (method !== "tools/list") return usual;
    lists += 1;
    return respondJson(response, { jsonrpc: "2.0", id, result: { tools: [] } });
  });
  onTestFinished(() => server.close());
  const reconnect = { initialDelay: 1 };
  const client = createUntypedClient({ info: { name: "c", version: "1" }, revisions: [newest], reconnect });
  onTestFinished(() => client.close());
  const session = await client.connect((opening) =>
    connectHttp(server.url, { ...opening, listen: false, sessionLoss: "close" }),
  );
  await session.listTools();
  await session.listTools();
  expect(lists).toBe(2);
  isExpired = true;
  await session.ping().catch(() => {});
  await until(() => openings === 2);
  await session.ping();
  await session.listTools();
  await session.listTools();
  expect(lists).toBe(4);
});
