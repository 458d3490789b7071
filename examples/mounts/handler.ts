import { revision, type Declarations } from "mcp-server-runtime/2025-11-25";
import { createHttpHandler, forRevisions, type HttpHandler } from "mcp-server-runtime";
import { z } from "zod";

const { defineServer, defineTool } = forRevisions<Declarations>([revision]);

const greet = defineTool({
  name: "greet",
  description: "Greets somebody, step by step.",
  inputSchema: z.object({ name: z.string() }),
  async execute({ name }, { progress }) {
    await progress(1, 2);
    return `Hello, ${name}!`;
  },
});

/** One server for every mount. Each framework hands its requests over; sessions, streams and all checks are the handler's. */
export const handler: HttpHandler = createHttpHandler(
  defineServer({ name: "mounted", version: "1.0.0", tools: [greet] }),
);
