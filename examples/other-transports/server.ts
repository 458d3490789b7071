import { parseArgs } from "node:util";
import type { Declarations } from "mcp-server-runtime/2026-07-28";
import { forRevisions, serve } from "mcp-server-runtime";
import { revisions } from "mcp-server-runtime/revisions";
import { listenTcp, type Transport } from "mcp-server-runtime/transports";
import { listenWebSocket } from "mcp-server-runtime/transports/websocket-server";
import { z } from "zod";

const { values } = parseArgs({
  options: { tcp: { type: "string", default: "4000" }, ws: { type: "string", default: "4001" } },
});
const { defineServer, defineTool } = forRevisions<Declarations>(revisions);

const count = defineTool({
  name: "count",
  description: "Counts to a number, and reports each step.",
  inputSchema: z.object({ to: z.number().int().min(1).max(100) }),
  async execute({ to }, { progress }) {
    for (let step = 1; step <= to; step += 1) await progress(step, to);
    return `Counted to ${to}.`;
  },
});

/** Server for both transports: each connection is a separate client. */
const server = defineServer({ name: "counter", version: "1.0.0", tools: [count] });
const accept = (transport: Transport): unknown => serve(server, transport);

const tcp = await listenTcp({ port: Number(values.tcp), accept });
const webSocket = await listenWebSocket({ port: Number(values.ws), accept });
console.error(`${server.info.name} is served at tcp://127.0.0.1:${tcp.port} and ${webSocket.url}`);

const stop = async (): Promise<void> => {
  // Running calls get a short time to finish.
  await Promise.all([tcp.close(), webSocket.close(), server.close()]);
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
