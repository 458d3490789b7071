import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import type { Server } from "../../../runtime/server/create-server.ts";
import type { ServerOptions } from "../../../runtime/server/definition.ts";
import type { TaskOptions } from "../../../runtime/tasks/task-options.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";

/** Options of the server that limits are reached at. */
export interface LimitServerOptions extends ServerOptions {
  readonly tasks?: TaskOptions;
}

/** Creates a server with a tool for each way to reach a limit. */
export function createLimitServer(options: LimitServerOptions = {}): Server {
  const { defineServer, defineTool, defineResource } = forRevisions<Declarations>(handshakeRevisions);
  return defineServer({
    ...{ name: "limits", version: "1", subscribe: true, listChanged: true, onError() {}, ...options },
    tools: [
      defineTool({
        name: "echo",
        inputSchema: z.object({ text: z.string() }),
        execute: ({ text }) => text,
      }),
      defineTool({
        name: "wait",
        execute: (_none, { signal }) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve("ended"))),
      }),
      defineTool({
        name: "repeat",
        inputSchema: z.object({ length: z.number() }),
        execute: ({ length }) => "x".repeat(length),
      }),
      defineTool({
        name: "log",
        inputSchema: z.object({ count: z.number() }),
        async execute({ count }, { log }) {
          for (let index = 0; index < count; index += 1) await log("error", index);
          return "done";
        },
      }),
      defineTool({
        name: "progress",
        inputSchema: z.object({ count: z.number() }),
        async execute({ count }, { progress }) {
          for (let index = 1; index <= count; index += 1) await progress(index, count);
          return "done";
        },
      }),
      defineTool({
        name: "flood",
        inputSchema: z.object({ count: z.number(), length: z.number() }),
        execute({ count, length }, { progress }) {
          for (let index = 1; index <= count; index += 1) void progress(index, count, "x".repeat(length));
          return "done";
        },
      }),
      defineTool({
        name: "task",
        task: true,
        inputSchema: z.object({ length: z.number() }),
        async execute({ length }) {
          await delay(10);
          return "x".repeat(length);
        },
      }),
    ],
    resources: ["a", "b", "c"].map((name) => defineResource({ uri: `file:///${name}`, name, read: () => name })),
  });
}
