import express from "express";
import { handler } from "./handler.ts";

const app = express();
// A body parser may come first: the handler uses its result.
app.use(express.json({ limit: "16mb" }));
app.use("/mcp", (request, response) => handler.node(request, response));

const port = Number(process.env.PORT ?? 3000);
const server = app.listen(port, "127.0.0.1");

process.once("SIGTERM", async () => {
  server.close();
  await handler.close();
});
