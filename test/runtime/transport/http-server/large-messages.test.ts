import { afterEach, expect, test } from "vitest";
import { createServiceHandler, type HttpHandler } from "../../../../runtime/transport/http-server/handler.ts";
import type { HttpOptions } from "../../../../runtime/transport/http-server/settings.ts";
import type { CallContext } from "../../../../runtime/protocol/peer/incoming-call.ts";
import { initialized, request } from "../../../kit/messages.ts";
import { acceptBoth, call, initialize } from "../../../kit/http-exchange.ts";
import { createService, log } from "../../../kit/http-server.ts";

/** Characters of a message, more than a connection may hold for a slow reader. */
const size = 200_000;

const tools = {
  /** Sends a message before its result, so that the response is a stream. */
  large: async (context: CallContext) => {
    await log(context, "x");
    return "y".repeat(size);
  },
  /** Sends a large message before its result. */
  report: async (context: CallContext) => {
    const row = context.revision.serverNotifications["notifications/progress"];
    if (row) await context.notify(row, { progressToken: 1, progress: 1, message: "z".repeat(size) });
    return "done";
  },
};

let handler: HttpHandler | undefined;

afterEach(() => handler?.close());

/** Sends requests to a handler. Nothing is read of a response until the test reads it. */
function open(options: HttpOptions = {}): (init: RequestInit & { path?: string }) => Promise<Response> {
  const made = createServiceHandler(createService(tools), { maxStreamBytes: 100_000, ...options });
  handler = made;
  return ({ path = "/mcp", method = "POST", headers, ...init }) => {
    const fields = { accept: acceptBoth, "content-type": "application/json", ...headers };
    return made.fetch(new Request(`http://localhost${path}`, { ...init, method, headers: fields }));
  };
}

test.each([
  ["with events that are kept", undefined],
  ["without", false],
] as const)("a result that is longer than a connection may hold arrives %s", async (_, events) => {
  const send = open(events === undefined ? {} : { events });
  const opened = await send({ body: JSON.stringify(initialize("2025-11-25")) });
  const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  await send({ headers, body: JSON.stringify(initialized) });
  const response = await send({ headers, body: JSON.stringify(call(1, "large")) });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  // The result is sent before the client reads.
  await send({ headers, body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" }) });
  expect((await response.text()).match(/y{2,}/)?.[0]).toHaveLength(size);
});

test("a notification that is longer than a connection may hold arrives before the result of a stateless request", async () => {
  const send = open();
  const body = request(1, "tools/call", { name: "report", arguments: {} }, { progressToken: 1 });
  const headers = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "report",
  };
  const response = await send({ headers, body: JSON.stringify(body) });
  const text = await response.text();
  expect(text.match(/z+/)?.[0]).toHaveLength(size);
  expect(text).toContain("done");
});

test("a result that is longer than a connection may hold arrives over HTTP with SSE, and the session goes on", async () => {
  const send = open({ sse: {} });
  const stream = await send({ method: "GET", path: "/sse", headers: { accept: "text/event-stream" } });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  /** Reads until the stream contains a text. */
  const until = async (part: string): Promise<void> => {
    while (!text.includes(part))
      text += (await reader?.read())?.value ?? expect.fail(`the stream ended before ${part}`);
  };
  await until("\n\n");
  const path = /data: (.*)/.exec(text)?.[1] ?? "";
  const post = (body: object): Promise<Response> => send({ path, body: JSON.stringify(body) });
  await post(initialize("2024-11-05"));
  await until('"init"');
  await post(initialized);
  await post(call(1, "large"));
  await until("y".repeat(size));
  expect((await post({ jsonrpc: "2.0", id: 2, method: "ping" })).status).toBe(202);
  await until('"id":2');
});
