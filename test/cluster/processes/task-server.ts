import { setTimeout as sleep } from "node:timers/promises";
import { revisions } from "../../../generated/revisions.ts";
import { createRedisEngine } from "../../../cluster/redis/index.ts";
import { joinCluster } from "../../../cluster/cluster.ts";
import type { AnyTool } from "../../../runtime/server/any-definition.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";

/*
 * Node of a cluster on Redis in a process of its own: `task-server.ts <address of Redis> <name>`. Its tool `work` runs steps one after the other, and
 * lists the nodes that have run them, with their tokens.
 */

const [, , redis = "", name = ""] = process.argv;
const keys = [new Uint8Array(32).fill(7)];
const cluster = await joinCluster(createRedisEngine({ url: redis, keys, prefix: "tasks" }));

const work: AnyTool = {
  name: "work",
  task: { retryable: true },
  execute: async (_args, { once }) => {
    const steps: unknown[] = [];
    for (let step = 1; step <= 10; step += 1) {
      steps.push(await once(`step ${step}`, async ({ token }) => (await sleep(300), { name, token })));
    }
    return JSON.stringify(steps);
  },
};
const plain: AnyTool = { name: "plain", task: true, execute: async () => (await sleep(60_000), "done") };

const server = createServer(
  { name: "server", version: "1", tools: [work, plain], tasks: { pollInterval: 500 } },
  revisions,
);
const listener = await serveHttp(server, { port: 0, cluster });
console.log(listener.url);
