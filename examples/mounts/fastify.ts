import { fastify } from "fastify";
import { handler } from "./handler.ts";

const app = fastify({ bodyLimit: 16 * 1024 * 1024 });
app.all("/mcp", (request, reply) => {
  // The handler writes the response; Fastify has parsed the body.
  reply.hijack();
  handler.node(request.raw, reply.raw, request.body);
});

await app.listen({ port: Number(process.env.PORT ?? 3000), host: "127.0.0.1" });

process.once("SIGTERM", async () => {
  await handler.close();
  await app.close();
});
