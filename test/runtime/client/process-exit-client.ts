import { revisions } from "../../../generated/revisions.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";

/* A program that has nothing else to do than to wait for a tool: it is neither ended before nor kept up afterwards. */

const server = createServer(
  {
    name: "server",
    version: "1",
    tools: [
      { name: "silent", execute: () => new Promise<never>(() => {}) },
      { name: "quick", execute: () => "done" },
    ],
  },
  revisions,
);
const [near, far] = createInMemoryTransports();
createServerAcceptor(server)(far);
const client = await connect(near, { info: { name: "client", version: "1" }, revisions });
const [, , name = "quick", timeout = "60000"] = process.argv;
client.request("tools/call", { name }, { timeout: Number(timeout) }).then(
  () => process.stdout.write("answered"),
  (error: Error) => process.stdout.write(error.name),
);
