import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Declarations } from "../../generated/2025-11-25/index.ts";
import { forRevisions } from "../../runtime/server/for-revisions.ts";
import type { Server } from "../../runtime/server/create-server.ts";
import { handshakeRevisions } from "../kit/revisions.ts";

/** Our server with everything that official clients know how to ask for, at some of the revisions. */
export function createOurServer(ids: readonly string[]): Server {
  const { defineServer, defineTool, defineResource, defineResourceTemplate, definePrompt } = forRevisions<Declarations>(
    handshakeRevisions.filter(({ id }) => ids.includes(id)),
  );
  const calls = { waiting: 0, aborted: 0 };
  const server: Server = defineServer({
    name: "ours",
    version: "1",
    instructions: "Be kind.",
    tools: [
      defineTool({ name: "echo", inputSchema: z.object({ text: z.string() }), execute: ({ text }) => text }),
      defineTool({
        name: "sum",
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        outputSchema: z.object({ sum: z.number() }),
        execute: ({ a, b }) => ({ sum: a + b }),
      }),
      defineTool({
        name: "progress",
        async execute(_args, { progress }) {
          for (const step of [1, 2, 3]) await progress(step, 3);
          // Official clients lose progress that comes in one piece with the result.
          await sleep(150);
          return "done";
        },
      }),
      defineTool({
        name: "report",
        async execute(_args, { progress }) {
          for (const step of [1, 2, 3]) await progress(step, 3);
          return "reported";
        },
      }),
      defineTool({
        name: "log",
        async execute(_args, { log }) {
          await log("debug", "too little");
          await log("error", { enough: true });
          return "logged";
        },
      }),
      defineTool({
        name: "sample",
        async execute(_args, { sample }) {
          const messages = [{ role: "user", content: { type: "text", text: "6 * 7?" } }] as const;
          const { content } = await sample({ messages: [...messages], maxTokens: 10 });
          return JSON.stringify(content);
        },
      }),
      defineTool({ name: "roots", execute: async (_args, { roots }) => JSON.stringify(await roots()) }),
      defineTool({
        name: "form",
        visible: ({ revision }) => revision >= "2025-06-18",
        async execute(_args, { elicit }) {
          const requestedSchema = {
            type: "object",
            properties: { name: { type: "string" } },
            required: ["name"],
          } as const;
          return JSON.stringify(
            await elicit({ message: "Who?", requestedSchema: { ...requestedSchema, required: ["name"] } }),
          );
        },
      }),
      defineTool({
        name: "wait",
        execute: (_args, { signal }) =>
          new Promise((resolve) => {
            // Whoever subscribes learns that it has begun, and that it has ended.
            calls.waiting += 1;
            server.resources.notifyUpdated("test://aborted");
            signal.addEventListener("abort", () => {
              calls.waiting -= 1;
              calls.aborted += 1;
              server.resources.notifyUpdated("test://aborted");
              resolve("aborted");
            });
          }),
      }),
      defineTool({
        name: "change",
        execute() {
          server.resources.notifyUpdated("test://a");
          server.tools.notifyListChanged();
          return "changed";
        },
      }),
    ],
    resources: [
      defineResource({ uri: "test://a", name: "a", mimeType: "text/plain", read: () => "text of a" }),
      defineResource({ uri: "test://aborted", name: "aborted", read: () => `${calls.waiting} ${calls.aborted}` }),
    ],
    resourceTemplates: [
      defineResourceTemplate({
        uriTemplate: "test://items/{id}",
        name: "items",
        complete: { id: (typed) => ["1", "12", "2"].filter((id) => id.startsWith(typed)) },
        read: ({ id }) => `item ${id}`,
      }),
    ],
    prompts: [
      definePrompt({ name: "greet", arguments: { whom: { required: true } }, get: ({ whom }) => `Hello ${whom}` }),
    ],
    subscribe: true,
    listChanged: true,
  });
  return server;
}
