import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isTimeoutError } from "../../../runtime/jsonrpc/errors.ts";
import type { Server } from "../../../runtime/server/create-server.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { MemoryTaskStore } from "../../../runtime/stores/memory-task-store.ts";

/** Server of the campaign, and what its tools do now. */
export interface CampaignServer {
  readonly server: Server;
  /** Calls of `hang` that run. */
  readonly countHanging: () => number;
}

/** Log messages are counted by the runs: the default rate would drop most of them. */
const unlimited = { burst: 1e9, perSecond: 1e9 };

/** Creates a server with tools for loads, cuts and slow readers. */
export function createCampaignServer(): CampaignServer {
  const { defineServer, defineTool, defineResourceTemplate } = forRevisions<Declarations>(revisions);
  let hanging = 0;
  const server: Server = defineServer({
    name: "campaign",
    version: "1.0.0",
    tools: [
      defineTool({ name: "pid", execute: () => String(process.pid) }),
      defineTool({ name: "echo", inputSchema: z.object({ text: z.string() }), execute: ({ text }) => text }),
      defineTool({
        name: "text",
        inputSchema: z.object({ size: z.number() }),
        execute: ({ size }) => "x".repeat(size),
      }),
      defineTool({
        name: "steps",
        inputSchema: z.object({ to: z.number() }),
        async execute({ to }, { progress }) {
          for (let step = 1; step <= to; step += 1) await progress(step, to);
          return String(to);
        },
      }),
      // Logs each number without waiting for its readers, and lets others run after a few.
      defineTool({
        name: "count",
        inputSchema: z.object({ key: z.string(), to: z.number(), pause: z.number() }),
        async execute({ key, to, pause }, { log }) {
          for (let n = 1; n <= to; n += 1) {
            void log("info", { key, n });
            if (n % 5 === 0) await sleep(pause);
          }
          return String(to);
        },
      }),
      // Sends pieces as log messages: waits for each to be accepted, or only lets others run between them.
      defineTool({
        name: "push",
        inputSchema: z.object({ pieces: z.number(), size: z.number(), isAwaited: z.boolean() }),
        async execute({ pieces, size, isAwaited }, { log }) {
          const text = "x".repeat(size);
          for (let piece = 0; piece < pieces; piece += 1) {
            const sent = log("info", { piece, text });
            if (isAwaited) await sent;
            else await sleep(1);
          }
          return "pushed";
        },
      }),
      defineTool({
        name: "hang",
        async execute(_args, { progress, signal }) {
          hanging += 1;
          try {
            await progress(0, 1);
            await sleep(600_000, undefined, { signal });
          } finally {
            hanging -= 1;
          }
          return "not cancelled";
        },
      }),
      defineTool({
        name: "later",
        inputSchema: z.object({ milliseconds: z.number() }),
        // With the default of an hour, ended tasks would fill the store.
        task: { pollInterval: 50, ttl: 5_000 },
        async execute({ milliseconds }, { signal }) {
          await sleep(milliseconds, undefined, { signal });
          return "done";
        },
      }),
      defineTool({
        name: "touch",
        inputSchema: z.object({ uri: z.string() }),
        execute({ uri }) {
          server.resources.notifyUpdated(uri);
          return uri;
        },
      }),
    ],
    resourceTemplates: [
      defineResourceTemplate({
        uriTemplate: "campaign://item/{id}",
        name: "item",
        mimeType: "text/plain",
        read: ({ id }) => String(id),
      }),
    ],
    subscribe: true,
    logRate: unlimited,
    // Over stdio one session starts all tasks, which are kept for 5 s: more than a session may have by default.
    tasks: { store: new MemoryTaskStore({ maxTasks: 100_000, maxTasksPerOwner: 20_000 }) },
    // Thousands of calls end at their time limit in some runs: that is no news.
    onError: ({ error, ...report }) => {
      if (!isTimeoutError(error)) console.error(report, error);
    },
  });
  return { server, countHanging: () => hanging };
}
