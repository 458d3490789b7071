import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Timeouts } from "../../../runtime/jsonrpc/limits.ts";
import type { Connection } from "../../../runtime/protocol/peer/peer.ts";
import {
  createStdioClientTransport,
  type StdioClientTransport,
} from "../../../runtime/transport/stdio/stdio-client.ts";
import { createHttpClientTransport } from "../../../runtime/transport/http-client/http-client.ts";
import { createServiceHandler } from "../../../runtime/transport/http-server/handler.ts";
import type { HttpOptions } from "../../../runtime/transport/http-server/settings.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { createSseClientTransport } from "../../../runtime/transport/http-sse/http-sse-client.ts";
import { createTcpTransport, listenTcp } from "../../../runtime/transport/tcp/tcp.ts";
import type { Transport } from "../../../runtime/transport/transport.ts";
import { createWsTransport, serveWebSocket } from "../../../runtime/transport/websocket/ws-package.ts";
import { createProgram } from "../../kit/programs.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";
import { createSuiteServer } from "./transport.suite-server.ts";
import { testTransport, type SuiteServer } from "./transport.suite.ts";

/** Serves connections with the suite's server and remembers them. */
function createRecordedAcceptor(timeouts?: Partial<Timeouts>): {
  readonly accept: (transport: Transport) => Connection;
  readonly connections: Set<Connection>;
} {
  const connections = new Set<Connection>();
  const serve = createSuiteServer(timeouts);
  return {
    connections,
    accept(transport) {
      const connection = serve(transport);
      connections.add(connection);
      return connection;
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

const script = await createProgram(new URL("./stdio/fixtures/suite-server.ts", import.meta.url));

testTransport("memory", {
  neverBreaks: true,
  start(timeouts) {
    const { accept, connections } = createRecordedAcceptor(timeouts);
    return Promise.resolve({
      connections: () => connections,
      open() {
        const [clientEnd, serverEnd] = createInMemoryTransports();
        accept(serverEnd);
        return clientEnd;
      },
      async stop() {
        await Promise.all([...connections].map((connection) => connection.close()));
      },
    });
  },
});

testTransport("stdio of a child process", {
  start() {
    const children = new Set<StdioClientTransport>();
    const signal = (name: NodeJS.Signals): void => {
      for (const { pid } of children) if (pid !== undefined) process.kill(pid, name);
    };
    return Promise.resolve({
      open() {
        const child = createStdioClientTransport({ command: process.execPath, args: [script], stderr: "ignore" });
        children.add(child);
        return child;
      },
      async stop() {
        await Promise.all([...children].map((child) => child.close()));
      },
      breakOff: () => signal("SIGKILL"),
    });
  },
});

testTransport("TCP", {
  async start(timeouts): Promise<SuiteServer> {
    const { accept, connections } = createRecordedAcceptor(timeouts);
    const sockets = new Set<Socket>();
    const server = await listenTcp({ accept, admit: (socket) => sockets.add(socket).size > 0 });
    return {
      connections: () => connections,
      open: () => createTcpTransport({ port: server.port }),
      stop: () => server.close(),
      breakOff: () => sockets.forEach((socket) => socket.resetAndDestroy()),
    };
  },
});

testTransport("WebSocket", {
  async start(timeouts): Promise<SuiteServer> {
    const { accept, connections } = createRecordedAcceptor(timeouts);
    const http = createServer();
    const sockets = new Set<Socket>();
    http.on("connection", (socket: Socket) => sockets.add(socket));
    const service = serveWebSocket(http, { accept });
    const port = await listen(http);
    return {
      connections: () => connections,
      open: () => createWsTransport(`ws://127.0.0.1:${port}/mcp`),
      async stop() {
        await service.close();
        await shut(http);
      },
      breakOff: () => sockets.forEach((socket) => socket.resetAndDestroy()),
    };
  },
});

const http: readonly (readonly [string, HttpOptions, (url: string) => Transport, boolean])[] = [
  ["Streamable HTTP", {}, openHttp, true],
  ["Streamable HTTP that responds with streams", { responseMode: "sse" }, openHttp, true],
  ["HTTP with SSE", { sse: { path: "/mcp" } }, (url) => createSseClientTransport(url), false],
];

for (const [name, options, open, outlivesServer] of http) {
  testTransport(name, {
    outlivesServer,
    async start(timeouts): Promise<SuiteServer> {
      const serve = createSuiteServer(timeouts);
      const limits = { maxMessageBytes: 16 * 1024 * 1024 };
      const handler = createServiceHandler(
        { revisions: handshakeRevisions, accept: serve, readParamHeaders: () => [] },
        { limits, ...options },
      );
      const server = createServer(handler.node);
      const port = await listen(server);
      return {
        connections: () => [...handler.sessions.values()].map(({ connection }) => connection),
        open: () => open(`http://127.0.0.1:${port}/mcp`),
        async stop() {
          await handler.close();
          await shut(server);
        },
        breakOff: () => void shut(server),
      };
    },
  });
}

function openHttp(url: string): Transport {
  return createHttpClientTransport(url, { reconnect: { initialDelay: 10, maxDelay: 20 } });
}
