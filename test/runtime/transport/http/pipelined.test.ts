import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { createDefiners } from "../../../../runtime/server/definers.ts";
import { serveHttp } from "../../../../runtime/server/http.ts";
import { alone, request } from "../../lifecycle/alone.ts";

const { defineTool, defineServer } = createDefiners<Declarations>(revisions);

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface Served {
  readonly url: URL;
  readonly begun: () => number;
  readonly aborted: () => number;
}

async function serve(): Promise<Served> {
  let begun = 0;
  let aborted = 0;
  const wait = defineTool({
    name: "wait",
    async run(_none, { signal }) {
      begun += 1;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      aborted += 1;
      return "late";
    },
  });
  const quick = defineTool({ name: "quick", run: () => "done" });
  const server = defineServer({ name: "s", version: "1", tools: [wait, quick], onError: () => {} });
  const listener = await serveHttp(server, { closeTimeout: 100 });
  open.push(() => listener.close());
  return { url: new URL(listener.url), begun: () => begun, aborted: () => aborted };
}

/** Sends calls of these tools over one connection, without waiting for answers. */
function pipeline({ host, port, pathname }: URL, tools: readonly string[]): Socket {
  const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
  open.push(() => socket.destroy());
  for (const [id, name] of tools.entries()) {
    const body = JSON.stringify(request(id, "tools/call", { name, arguments: {} }));
    const fields = [
      `POST ${pathname} HTTP/1.1`,
      `Host: ${host}`,
      "Content-Type: application/json",
      "Accept: application/json, text/event-stream",
      `MCP-Protocol-Version: ${alone.id}`,
      "Mcp-Method: tools/call",
      `Mcp-Name: ${name}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    socket.write(`${fields.join("\r\n")}\r\n\r\n${body}`);
  }
  return socket;
}

test("requests that wait behind another one of their connection are cancelled with it (R42)", async () => {
  const { url, begun, aborted } = await serve();
  const socket = pipeline(url, ["wait", "wait", "wait"]);
  await expect.poll(begun).toBe(3);
  socket.destroy();
  await expect.poll(aborted).toBe(3);
});

test("a few are answered in their order", async () => {
  const { url } = await serve();
  const socket = pipeline(
    url,
    Array.from({ length: 50 }, () => "quick"),
  );
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  const ids = (): readonly number[] => [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
  await expect.poll(ids).toEqual(Array.from({ length: 50 }, (_, id) => id));
  expect(socket.destroyed).toBe(false);
});

test("a connection that asks on and on without being answered is closed, and all of it cancelled", async () => {
  const { url, begun, aborted } = await serve();
  const socket = pipeline(
    url,
    Array.from({ length: 5_000 }, () => "wait"),
  );
  await new Promise((resolve) => socket.resume().once("close", resolve));
  expect(begun()).toBeLessThan(200);
  await expect.poll(aborted).toBe(begun());
});
