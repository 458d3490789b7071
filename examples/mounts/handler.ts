import { revision, type Declarations } from "mcp-server-runtime/2025-11-25";
import { createHttpHandler, forRevisions, type HttpHandler } from "mcp-server-runtime";
import { z } from "zod";

const { defineServer, defineTool } = forRevisions<Declarations>([revision]);

const greet = defineTool({
  name: "greet",
  description: "Greets a person, with progress.",
  inputSchema: z.object({ name: z.string() }),
  async execute({ name }, { progress }) {
    await progress(1, 2);
    return `Hello, ${name}!`;
  },
});

/** Server for every mount. Each framework passes its requests on; the handler does all checks, and keeps sessions and streams. */
export const handler: HttpHandler = createHttpHandler(
  defineServer({ name: "mounted", version: "1.0.0", tools: [greet] }),
);
