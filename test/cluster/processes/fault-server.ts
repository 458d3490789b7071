import { engineKey, enginePrefix } from "./engine-keys.ts";
import { readExactTime } from "./moved-clock.ts";
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import type { Server } from "../../../runtime/server/create-server.ts";
import { createNatsEngine } from "../../../cluster/nats/index.ts";
import { createRedisEngine } from "../../../cluster/redis/index.ts";
import { joinCluster, type Cluster } from "../../../cluster/cluster.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { Effect } from "../history.ts";
import { mutate } from "../mutants/mutants.ts";

/*
 * Server whose tools write each start and each effect as a line of a file, which outlives the process: the outside world of a tool. The program is a node
 * of a cluster when `NODE_ENGINE` has the URL of an engine.
 */

const {
  NODE_EFFECTS: file,
  NODE_NAME: node = "0",
  NODE_HOST: host,
  NODE_ENGINE: engineUrl,
  NODE_MUTANT: mutant,
  NODE_DRAIN_DELAY: drainDelay,
  // Few clients of an hour with faults end their sessions: the default limit would reject new ones after twenty minutes.
  NODE_MAX_SESSIONS: maxSessions = "100000",
  NODE_RETRY: retry = "100",
} = process.env;

const touchedUri = "test://touched";

function write(effect: Omit<Effect, "t" | "node">): void {
  if (file === undefined) return;
  // One write with O_APPEND: lines of several processes do not mix.
  appendFileSync(file, `${JSON.stringify({ t: readExactTime(), node, ...effect })}\n`, { flag: "a" });
}

interface Call {
  readonly key: string;
  readonly tool: string;
  readonly principal: string | undefined;
  readonly signal: AbortSignal;
}

/** Runs the work of a call between its first and its last line. */
async function withEffects({ key, tool, principal, signal }: Call, work: () => Promise<string>): Promise<string> {
  const of = { key, tool, ...(principal !== undefined && { principal }) };
  signal.addEventListener("abort", () => write({ kind: "abort", ...of }));
  write({ kind: "start", ...of });
  try {
    const value = await work();
    write({ kind: "end", ...of, value });
    return value;
  } catch (error) {
    write({ kind: "failure", ...of, value: String(error) });
    throw error;
  }
}

const { defineServer, defineTool, defineResource } = forRevisions<Declarations>(revisions);

const requestedSchema = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"] as string[],
} as const;

const keyed = z.object({ key: z.string() });
const asking = z.object({ key: z.string(), nonce: z.string() });
const lasting = z.object({ key: z.string(), milliseconds: z.number() });
const asksForms = ({ revision }: { readonly revision: string }): boolean => revision >= "2025-06-18";

const toggled = defineTool({ name: "toggled", execute: () => "present" });
let isToggled = false;

const server: Server = defineServer({
  name: "fault-server",
  version: "1.0.0",
  tools: [
    defineTool({
      name: "count",
      inputSchema: z.object({ key: z.string(), n: z.number(), delay: z.number().optional() }),
      execute: ({ key, n, delay = 0 }, { log, auth, signal }) =>
        withEffects({ key, tool: "count", principal: auth?.principal, signal }, async () => {
          for (let index = 0; index < n; index++) {
            await log("info", { key, index, canary: `canary:${auth?.principal ?? ""}:` });
            write({ kind: "acknowledged", key, tool: "count", value: String(index) });
            if (delay > 0) await sleep(delay);
          }
          return `counted ${n}`;
        }),
    }),
    // Does not wait for its messages, as a handler should.
    defineTool({
      name: "flood",
      inputSchema: z.object({ key: z.string(), n: z.number(), size: z.number(), milliseconds: z.number() }),
      execute: ({ key, n, size, milliseconds }, { log, auth, signal }) =>
        withEffects({ key, tool: "flood", principal: auth?.principal, signal }, async () => {
          await log("info", { key });
          for (let index = 0; index < n; index++) {
            void log("info", { key, text: "x".repeat(size) });
            await sleep(milliseconds / n);
          }
          return `sent ${n}`;
        }),
    }),
    defineTool({
      name: "log_levels",
      inputSchema: keyed,
      execute: ({ key }, { log, auth, signal }) =>
        withEffects({ key, tool: "log_levels", principal: auth?.principal, signal }, async () => {
          for (const level of ["debug", "info", "error"] as const) await log(level, { key, level });
          return "logged";
        }),
    }),
    defineTool({
      name: "ask",
      inputSchema: asking,
      visible: asksForms,
      execute: ({ key, nonce }, { elicit, auth, signal }) =>
        withEffects({ key, tool: "ask", principal: auth?.principal, signal }, async () => {
          const { content } = await elicit({ message: nonce, requestedSchema });
          return `${nonce}=${String(content?.answer)}`;
        }),
    }),
    defineTool({
      name: "hang",
      inputSchema: keyed,
      task: { pollInterval: 100 },
      execute: ({ key }, { progress, auth, signal }) =>
        withEffects({ key, tool: "hang", principal: auth?.principal, signal }, async () => {
          // The response becomes a stream: the client learns that the call runs.
          await progress(0, 1);
          await sleep(600_000, undefined, { signal });
          return "not cancelled";
        }),
    }),
    defineTool({
      name: "slow",
      inputSchema: lasting,
      task: { pollInterval: 100 },
      execute: ({ key, milliseconds }, { progress, auth, signal }) =>
        withEffects({ key, tool: "slow", principal: auth?.principal, signal }, async () => {
          const steps = Math.ceil(milliseconds / 50);
          for (let step = 1; step <= steps; step++) {
            await sleep(50, undefined, { signal });
            await progress(step, steps);
          }
          return `slow canary:${auth?.principal ?? ""}:`;
        }),
    }),
    defineTool({
      name: "ask_task",
      inputSchema: asking,
      visible: asksForms,
      task: { pollInterval: 100, support: "required" },
      execute: ({ key, nonce }, { elicit, auth, signal }) =>
        withEffects({ key, tool: "ask_task", principal: auth?.principal, signal }, async () => {
          const { content } = await elicit({ message: nonce, requestedSchema }, { key: "answer" });
          return `${nonce}=${String(content?.answer)}`;
        }),
    }),
    defineTool({
      name: "toggle",
      inputSchema: keyed,
      execute: ({ key }, { auth, signal }) =>
        withEffects({ key, tool: "toggle", principal: auth?.principal, signal }, async () => {
          isToggled = !isToggled;
          if (isToggled) server.tools.add(toggled);
          else server.tools.remove("toggled");
          return "toggled";
        }),
    }),
    defineTool({
      name: "touch",
      inputSchema: keyed,
      execute: ({ key }, { auth, signal }) =>
        withEffects({ key, tool: "touch", principal: auth?.principal, signal }, async () => {
          server.resources.notifyUpdated(touchedUri);
          return "touched";
        }),
    }),
  ],
  resources: [defineResource({ uri: touchedUri, name: "touched", mimeType: "text/plain", read: () => "touched" })],
  subscribe: true,
  listChanged: true,
});

process.on("unhandledRejection", (reason) => write({ kind: "unhandled", key: "", value: String(reason) }));

/** Joins the cluster of the tests, with a fault of the engine if one is named. */
async function join(url: string): Promise<Cluster> {
  const engine = createEngine(url);
  return joinCluster(mutant === undefined ? engine : mutate(engine, mutant), {
    onError: (error) => console.error(error),
  });
}

/** Creates the engine of a URL, or of the sentinels in a JSON text. */
function createEngine(url: string): Engine {
  const limits = { maxSessions: Number(maxSessions) };
  const options = { keys: [engineKey], prefix: enginePrefix, limits };
  const replicas = url.includes(",") ? 3 : 1;
  if (url.startsWith("nats:")) return createNatsEngine({ servers: url, replicas, ...options });
  if (!url.startsWith("{")) return createRedisEngine({ url, ...options });
  return createRedisEngine({ url: JSON.parse(url), strict: true, ...options });
}

const cluster = engineUrl === undefined ? undefined : await join(engineUrl);

const listener = await serveHttp(server, {
  port: 0,
  ...(host !== undefined && { host, allowedHosts: "any" }),
  retry: Number(retry),
  closeTimeout: 5_000,
  ready: "/ready",
  drainDelay: Number(drainDelay ?? 0),
  ...(cluster && { cluster }),
  authenticate(head) {
    const principal = /^Bearer (\w+)$/.exec(head.header("authorization") ?? "")?.[1];
    return principal === undefined ? { status: 401 } : { principal };
  },
});

const stop = async (): Promise<void> => {
  await listener.close();
  await cluster?.close();
  process.exit(0);
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
// A node does not outlive the program that has started it.
process.stdin.on("end", () => process.exit(1)).resume();

console.log(listener.url);
