import { revisions } from "../../../generated/revisions.ts";
import { runEither, runHttp } from "../../../runtime/server/run.ts";
import { createServer } from "../../../runtime/server/server.ts";

/** A program that is a server, as projects have it: `either` serves on stdio unless it is asked for HTTP. */
const server = createServer(
  { name: "fixture", version: "1", tools: [{ name: "hello", run: () => "hello" }] },
  revisions,
);

// Something else that would keep the process alive.
setInterval(() => {}, 1_000);
await (process.argv.includes("either") ? runEither(server) : runHttp(server));
