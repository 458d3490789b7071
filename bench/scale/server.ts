import { z } from "zod";
import type { Declarations } from "../../generated/2025-11-25/index.ts";
import { revisions } from "../../generated/revisions.ts";
import { createRedisEngine } from "../../cluster/redis/index.ts";
import { joinCluster } from "../../cluster/cluster.ts";
import { forRevisions } from "../../runtime/server/for-revisions.ts";
import { serveHttp } from "../../runtime/server/run/serve-http.ts";

/* Node of the benchmark: of a cluster when `NODE_ENGINE` has the URL of Redis, otherwise with stores in memory. */

const { NODE_ENGINE: url } = process.env;
const { defineServer, defineTool } = forRevisions<Declarations>(revisions);
const requestedSchema = { type: "object", properties: { text: { type: "string" } } } as const;

const server = defineServer({
  name: "scale",
  version: "1.0.0",
  logRate: { burst: 1e9, perSecond: 1e9 },
  tools: [
    defineTool({ name: "echo", inputSchema: z.object({ text: z.string() }), execute: ({ text }) => text }),
    defineTool({
      name: "stream",
      inputSchema: z.object({ n: z.number(), delay: z.number() }),
      async execute({ n, delay }, { log }) {
        for (let index = 0; index < n; index += 1) {
          await log("info", { index, text });
          if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
        }
        return `hello world ${n}`;
      },
    }),
    defineTool({
      name: "ask",
      visible: ({ revision }) => revision >= "2025-06-18",
      async execute(_parameters, { elicit }) {
        const { action } = await elicit({ message: "Your name?", requestedSchema });
        return action;
      },
    }),
  ],
});

/** Text that makes an event about 256 bytes long. */
const text = "x".repeat(120);

const engine = url === undefined ? undefined : createRedisEngine({ url, keys: [new Uint8Array(32).fill(7)] });
const cluster = engine && (await joinCluster(engine));
const listener = await serveHttp(server, { ...(cluster && { cluster }) });
process.once("SIGINT", () => process.exit(0));
process.stdin.on("end", () => process.exit(1)).resume();
console.log(listener.url);
