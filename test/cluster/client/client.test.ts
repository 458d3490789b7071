import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createRandom } from "../../kit/random.ts";
import { HistoryLog } from "../history.ts";
import { TestClient } from "./client.ts";

const result = JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} });
const error = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "not stored" } });
const request = { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: {} };
const notification = { jsonrpc: "2.0", method: "notifications/cancelled", params: {} };

const json = "application/json";
const stream = "text/event-stream";

test.each([
  ["a result", { type: json, body: result }, request, "ok"],
  ["an error", { type: json, body: error }, request, "fail"],
  ["a result in a stream", { type: stream, body: `id: a-0\ndata: \n\ndata: ${result}\n\n` }, request, "ok"],
  ["an error in a stream", { type: stream, body: `id: a-0\ndata: \n\ndata: ${error}\n\n` }, request, "fail"],
  ["a stream without a response", { type: stream, body: "id: a-0\ndata: \n\n" }, request, "unknown"],
  ["a body that ends early", { type: json, body: result.slice(0, 9) }, request, "unknown"],
  ["an accepted notification", { type: json, body: "", status: 202 }, notification, "ok"],
  ["a rejected request", { type: json, body: error, status: 400 }, request, "fail"],
])("the history of a client has the outcome of %s", async (_what, reply, message, outcome) => {
  const log = new HistoryLog();
  const url = await serve(reply);
  const client = new TestClient({ url, name: "a", principal: "alice", log, random: createRandom(1) }, "session");
  await client.deliver("subscribe", "1", message);
  expect(log.lines.at(-1)).toMatchObject({ phase: "return", op: "subscribe", outcome });
});

/** Starts a server with one response, and returns its URL. */
async function serve({ type, body, status = 200 }: { type: string; body: string; status?: number }): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { "content-type": type, connection: "close" }).end(body);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return `http://127.0.0.1:${address.port}`;
}
