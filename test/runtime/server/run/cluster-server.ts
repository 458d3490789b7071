import { setTimeout as sleep } from "node:timers/promises";
import { revisions } from "../../../../generated/revisions.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { runServer } from "../../../../runtime/server/run/run-server.ts";

/** A program whose tool returns the id of its process after 500 ms. */
const server = createServer(
  {
    name: "fixture",
    version: "1",
    tools: [
      {
        name: "work",
        async execute() {
          console.error("begun");
          await sleep(500);
          return `served by ${process.pid}`;
        },
      },
    ],
  },
  revisions,
);

await runServer(server, { sessions: false });
