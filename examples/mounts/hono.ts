import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { handler } from "./handler.ts";

const app = new Hono();
app.all("/mcp", (context) => handler.fetch(context.req.raw));

// On Bun, Deno and workers: `export default app`.
const port = Number(process.env.PORT ?? 3000);
const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" });

process.once("SIGTERM", async () => {
  server.close();
  await handler.close();
});
