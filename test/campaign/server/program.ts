import { isObject } from "../../../generated/support.ts";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { serveStdio } from "../../../runtime/server/run/serve-stdio.ts";
import { watchLoopDelay } from "../../../runtime/transport/loop-delay.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { listenTcp } from "../../../runtime/transport/tcp/tcp.ts";
import type { Transport } from "../../../runtime/transport/transport.ts";
import { listenWebSocket } from "../../../runtime/transport/websocket/websocket-server.ts";
import { Load } from "../soak/load.ts";
import { createMemoryPlace } from "../soak/places.ts";
import type { Command, ServerSettings } from "./commands.ts";
import { createCampaignServer } from "./definition.ts";
import { measureHeap, measureProcess } from "./measure.ts";

/* Server of the campaign as a program. It serves one transport, and is measured over its IPC channel. */

const settings: ServerSettings = JSON.parse(process.argv[2] ?? "{}");
const { server, countHanging } = createCampaignServer();
const metrics = new Metrics();
const watch = await watchLoopDelay(metrics);
const accept = (transport: Transport): unknown => serve(server, transport);
const load = new Load(
  createMemoryPlace(() => {
    const [clientEnd, serverEnd] = createInMemoryTransports();
    accept(serverEnd);
    return clientEnd;
  }),
);

/** Starts to serve, and returns the address. */
async function start(): Promise<string> {
  const { transport, port = 0, sessionTtl, handshakeTimeout, maxSessions, handlerTimeout } = settings;
  const first = handshakeTimeout === undefined ? {} : { handshakeTimeout };
  switch (transport) {
    case "memory":
      return "memory:";
    case "stdio":
      serveStdio(server);
      return "stdio:";
    case "http": {
      const sessions = { ...(sessionTtl && { ttl: sessionTtl }), ...(maxSessions && { maxSessions }) };
      const timeouts = handlerTimeout === undefined ? {} : { handler: handlerTimeout };
      return (await serveHttp(server, { port, sessions, timeouts, retry: 20, sse: first })).url;
    }
    case "websocket":
      return (await listenWebSocket({ port, accept, ...first })).url;
    case "tcp":
      return `tcp://127.0.0.1:${(await listenTcp({ port, accept, ...first })).port}`;
    default:
      return transport satisfies never;
  }
}

async function execute(command: Command): Promise<unknown> {
  switch (command.kind) {
    case "measure":
      return measureProcess();
    case "measure-heap":
      return measureHeap();
    case "reset":
      watch.reset();
      return true;
    case "read": {
      const { p99 = 0, max = 0 } = metrics.read().loopDelay ?? {};
      return { p99, longest: max, hanging: countHanging() };
    }
    case "load":
      return load.execute(command.load);
    default:
      return command satisfies never;
  }
}

/** Without its parent the process ends: a reply that cannot be sent is no error. */
function reply(message: object): void {
  process.send?.(message, undefined, undefined, () => {});
}

process.on("message", (message: { readonly id: number; readonly command: Command }) => {
  execute(message.command).then(
    (value) => reply({ id: message.id, value }),
    (error: unknown) => reply({ id: message.id, error: isObject(error) ? String(error.stack) : String(error) }),
  );
});
// Without its parent there is nothing to serve.
process.on("disconnect", () => process.exit(0));
const url = await start();
reply({ url });
