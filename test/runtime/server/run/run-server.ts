import { revisions } from "../../../../generated/revisions.ts";
import { runServer, runHttp, runStdio } from "../../../../runtime/server/run/run-server.ts";
import { createFurtherTransports } from "../../../../runtime/server/run/further-transports.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { listenTcp } from "../../../../runtime/transport/tcp/tcp.ts";
import { listenWebSocket } from "../../../../runtime/transport/websocket/index.ts";

/** A program that is a server, as projects have it: `either` serves on stdio unless it is asked for HTTP; with `--own` it reads its options itself, with `--further` there are more transports. */
const server = createServer(
  {
    name: "fixture",
    version: "1",
    tools: [
      { name: "hello", execute: () => "hello" },
      {
        name: "slow",
        async execute() {
          console.error("begun");
          await new Promise((resolve) => setTimeout(resolve, 200));
          return "done";
        },
      },
    ],
  },
  revisions,
);

// Something else that would keep the process alive.
setInterval(() => {}, 1_000);
const run = { either: runServer, stdio: runStdio }[process.argv[2] ?? ""] ?? runHttp;
const own = process.argv.includes("--own") ? { args: [] } : {};
const further = createFurtherTransports({
  tcp: listenTcp,
  websocket: (service, access) => listenWebSocket({ ...access, ...service }),
});
const args = process.argv.slice(2).filter((word) => word !== "--further");
const guarded = process.argv.includes("authenticated") ? { authenticate: () => ({ principal: "me" }) } : {};
await run(server, { ...(process.argv.includes("--further") ? { args, further } : own), ...guarded });
