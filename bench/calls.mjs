// Calls of functions of this project for one steady tool call: the longer the way of a message, the more of them. From ../dist (run `npm run build`
// there first). V8 counts them; functions of Node, zod and this file do not count.
// Run: node bench/calls.mjs [--functions]
import { Session } from "node:inspector/promises";
import { PassThrough } from "node:stream";
import { buildServer, listen, load } from "./contestants/ours.mjs";
import { MODERN_META } from "./lib/corpus.mjs";
import { ACCEPT, Conn, openSession, request } from "./lib/httpload.mjs";

const steady = 500;
const warm = 2_000;

const listsFunctions = process.argv.includes("--functions");

const own = new URL("../dist/", import.meta.url).href;

const callOf = (id, meta) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "echo", arguments: { text: "hello world" }, ...(meta && { _meta: meta }) },
});

/** Sends calls over HTTP, each on the same connection after the response to the one before. */
async function openHttp(revisions, mode, era) {
  const { port, close } = await listen(revisions, mode);
  const conn = new Conn(port);
  await conn.ready();
  const isModern = era === "2026-07-28";
  const headers = isModern
    ? { ...ACCEPT, "MCP-Protocol-Version": era, "Mcp-Method": "tools/call", "Mcp-Name": "echo" }
    : (await openSession(conn, { port, path: "/mcp" })).headers;
  const bytes = request("POST", "/mcp", port, headers, JSON.stringify(callOf(7, isModern ? MODERN_META : undefined)));
  return {
    async call() {
      const { status, body } = await conn.send(bytes);
      if (status !== 200 || !body.includes("hello world")) throw new Error(`${status} ${body}`);
    },
    close() {
      conn.close();
      return close();
    },
  };
}

/** Sends calls as lines, like a host does over stdio. */
async function openStdio(revisions, era) {
  const { StreamTransport } = await load("runtime/transport/stream-transport.js");
  const { serve } = await load("runtime/server/run/acceptor.js");
  const [input, output] = [new PassThrough(), new PassThrough()];
  let settle;
  const write = (text) => {
    settle?.(text);
    return true;
  };
  serve(await buildServer(revisions), new StreamTransport({ input, output, write, finish: async () => {} }));
  const send = (message) => input.write(`${JSON.stringify(message)}\n`);
  const ask = (message) =>
    new Promise((resolve) => {
      settle = resolve;
      send(message);
    });
  const isModern = era === "2026-07-28";
  if (!isModern) {
    const params = { protocolVersion: era, capabilities: {}, clientInfo: { name: "calls", version: "1.0.0" } };
    await ask({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }
  return {
    async call() {
      const text = await ask(callOf(7, isModern ? MODERN_META : undefined));
      if (!text.includes("hello world")) throw new Error(text);
    },
    close: () => input.end(),
  };
}

async function count({ call, close }) {
  for (let at = 0; at < warm; at += 1) await call();
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  for (let at = 0; at < 20; at += 1) await call();
  await session.post("Profiler.takePreciseCoverage");
  for (let at = 0; at < steady; at += 1) await call();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  session.disconnect();
  await close();
  return result
    .filter(({ url }) => url.startsWith(own))
    .flatMap(({ url, functions }) =>
      functions.map(({ functionName, ranges }) => ({
        file: url.slice(own.length),
        name: functionName || "(anonymous)",
        calls: (ranges[0]?.count ?? 0) / steady,
      })),
    )
    .filter(({ calls }) => calls > 0);
}

const ways = [
  ["HTTP, one revision without sessions", () => openHttp(["2026-07-28"], "modern-json", "2026-07-28")],
  ["HTTP, both eras, without a session", () => openHttp(["2026-07-28", "2025-11-25"], "stateful-json", "2026-07-28")],
  ["HTTP, one revision, in a session", () => openHttp(["2025-11-25"], "stateful-json", "2025-11-25")],
  ["stdio, one revision, in a session", () => openStdio(["2025-11-25"], "2025-11-25")],
  ["stdio, one revision without sessions", () => openStdio(["2026-07-28"], "2026-07-28")],
];

for (const [name, open] of ways) {
  const functions = await count(await open());
  const total = functions.reduce((sum, { calls }) => sum + calls, 0);
  console.log(`${total.toFixed(0).padStart(5)}  ${name}`);
  if (!listsFunctions) continue;
  for (const { file, name: own, calls } of functions.toSorted((one, other) => other.calls - one.calls))
    console.log(`       ${calls.toFixed(2).padStart(7)}  ${own}  ${file}`);
}
process.exit(0);
