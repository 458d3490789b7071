import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createProgram, isAlive } from "../../kit/programs.ts";
import { readUrl, startGateway } from "../../runtime/gateway/command-run.ts";
import { call, initialize, send, type HttpResponse } from "../../kit/http-exchange.ts";
import { initialized } from "../../kit/messages.ts";
import { startRedis } from "../processes/redis-process.ts";

/* `create-mcp-server gateway --engine`: two processes on Redis, in front of a program. Run by `npm run test:scale -- deploy --engine redis`. */

const sdk = await createProgram(new URL("../../interop/sdk1/stdio-server.ts", import.meta.url));

it("two gateways serve one session; it ends with the process that has the connection to the server, and the other goes on", async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  const keys = { MCP_KEYS: randomBytes(32).toString("base64"), ENGINE_URL: redis.url };
  const gateways = [1, 2].map(() => startGateway(["--listen", "0", "--engine", "--", process.execPath, sdk], keys));
  const urls = await Promise.all(gateways.map((gateway) => readUrl(gateway)));
  const post = (node: number, body: object, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    send(urls[node] ?? "", undefined, { body, headers });
  const open = async (node: number): Promise<Record<string, string>> => {
    const opened = await post(node, initialize("2025-11-25"));
    const headers = {
      "mcp-session-id": String(opened.headers["mcp-session-id"]),
      "mcp-protocol-version": "2025-11-25",
    };
    expect((await post(1 - node, initialized, headers)).status).toBe(202);
    return headers;
  };
  const headers = await open(0);
  for (const [index, node] of [1, 0, 1].entries())
    expect((await post(node, call(index, "echo", { text: `call ${index}` }), headers)).text).toContain(`call ${index}`);
  gateways[0]?.kill("SIGKILL");
  await gateways[0]?.exited;
  let status = 0;
  for (const end = performance.now() + 60_000; performance.now() < end && status !== 404; await sleep(100))
    ({ status } = await post(1, call(`again ${performance.now()}`, "echo", { text: "" }), headers));
  expect(status).toBe(404);
  const opened = await post(1, initialize("2025-11-25"));
  const next = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": "2025-11-25" };
  await post(1, initialized, next);
  expect((await post(1, call(1, "echo", { text: "again" }), next)).text).toContain("again");
  const ready = await fetch(new URL("/ready", urls[1]));
  expect([ready.status, await ready.text()]).toEqual([200, '{"status":"ok"}']);
  gateways[1]?.kill("SIGTERM");
  expect(await gateways[1]?.exited).toBe(0);
  for (const { pid } of gateways) expect(isAlive(pid)).toBe(false);
});
