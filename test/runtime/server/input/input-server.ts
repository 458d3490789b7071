import { revisions } from "../../../../generated/revisions.ts";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";
import { inputRequired } from "../../../../runtime/server/input/input-required.ts";
import type { Server } from "../../../../runtime/server/create-server.ts";

/** A server whose handlers ask in every way there is. */
export function createElicitingServer(): Server {
  const { defineServer, defineTool, definePrompt } = forRevisions<Declarations>(revisions);
  const requestedSchema = { type: "object", properties: { a: { type: "string" } } } as const;
  return defineServer({
    name: "asking",
    version: "1",
    tools: [
      defineTool({
        name: "several",
        async execute(_args, { elicit, roots, once }) {
          let count = 0;
          const [first, folders] = await Promise.all([elicit({ message: "first", requestedSchema }), roots()]);
          const second = await elicit({ message: "second", requestedSchema });
          const done = await once("done", () => (count += 1));
          const texts = [first, second].map(({ content }) => content?.a);
          return JSON.stringify([...texts, folders.map(({ uri }) => uri), done]);
        },
      }),
      defineTool({
        name: "returns",
        execute(_args, { inputResponses, requestState }) {
          if (inputResponses) return `${JSON.stringify(inputResponses)} ${requestState}`;
          const params = { message: "Name?", requestedSchema };
          return inputRequired({
            inputRequests: { name: { method: "elicitation/create", params } },
            requestState: "mine",
          });
        },
      }),
    ],
    prompts: [
      definePrompt({
        name: "asks",
        async get(_args, { elicit }) {
          const { content } = await elicit({ message: "topic", requestedSchema });
          return String(content?.a);
        },
      }),
    ],
  });
}
