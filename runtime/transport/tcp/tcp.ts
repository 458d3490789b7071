import { connect, createServer, type Socket } from "node:net";
import {
  connect as connectTls,
  createServer as createTlsServer,
  type ConnectionOptions,
  type TlsOptions,
} from "node:tls";
import type { Awaitable } from "../../../generated/support.ts";
import type { Limits } from "../../jsonrpc/limits.ts";
import type { NetworkDetails } from "../../jsonrpc/channel.ts";
import { createFail, type OnError } from "../../jsonrpc/error-report.ts";
import { longestTimer, startTimer } from "../../internal/timers.ts";
import { AcceptedTransports } from "../accepted-transports.ts";
import { defaultFirstMessageTimeout } from "../first-message.ts";
import { portOf, startListening, watchSockets } from "../listening.ts";
import { StreamTransport, type StreamTransportOptions } from "../stream-transport.ts";
import type { Transport } from "../transport.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";

/** Options of a connection over TCP or a local socket. */
export interface SocketOptions {
  readonly limits?: Partial<Limits>;
  /** Milliseconds to send the last bytes when the connection closes. Default 1 s. */
  readonly flushTimeout?: number;
}

/** Address of a server. */
export interface SocketAddress {
  readonly port?: number;
  /** Host of the server. Default `127.0.0.1`: only programs of this machine can connect. */
  readonly host?: string;
  /** Path of a local socket, instead of host and port; on Windows the name of a pipe, with the prefix `\\.\pipe\`. */
  readonly path?: string;
}

/** Options of a client over TCP. */
export interface TcpClientOptions extends SocketOptions, SocketAddress {
  /** Encrypts the connection; options of `tls.connect`, such as certificates. */
  readonly tls?: ConnectionOptions;
}

/** Options of a server over TCP. */
export interface TcpServerOptions extends SocketOptions, SocketAddress {
  /**
   * Serves a connection over its transport; called for each admitted one. If it returns an object with `close`, such as the connection of `serve`,
   * the server closes this object first: running requests get time to finish.
   */
  readonly accept: (transport: Transport) => unknown;
  /** True if a connection is admitted, by its address or certificate; an error rejects it. Default: all connections. */
  readonly admit?: (socket: Socket) => Awaitable<boolean>;
  /** Encrypts the connections; options of `tls.createServer`, such as key and certificate. */
  readonly tls?: TlsOptions;
  /** Connections at a time; further ones are dropped. Default 1,000. */
  readonly maxConnections?: number;
  /**
   * Milliseconds for a client to encrypt the connection, if this is required, and the same time for its first message; then it is dropped. Afterwards
   * it may be silent indefinitely. Default 30 s.
   */
  readonly handshakeTimeout?: number;
  /** Reports errors of `admit` and `accept`; the connection is then closed. */
  readonly onError?: OnError;
}

/** Listening TCP server. */
export interface TcpServer {
  /** Port of the server; 0 for a local socket. */
  readonly port: number;
  /** Accepts no more connections and closes the open ones. */
  close(): Promise<void>;
}

/**
 * Connects to a server, with one message a line as on stdio.
 *
 * @example
 * ```ts
 * import { connectClient } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 * import { createTcpTransport } from "mcp-server-runtime/transports";
 *
 * const info = { name: "my-client", version: "1.0.0" };
 * const client = await connectClient<Declarations>(createTcpTransport({ port: 4000 }), { info, revisions });
 * ```
 */
export function createTcpTransport(options: TcpClientOptions): Transport {
  checkNumbers(options);
  const place = toAddress(options);
  const address = { ...place, allowHalfOpen: true };
  const socket = options.tls ? connectTls({ ...options.tls, ...address }) : connect(address);
  // The transport reads errors from its start; without a listener, an earlier one would end the process.
  socket.on("error", ignore);
  const network: NetworkDetails =
    "path" in place ? { transport: "unix" } : { transport: "tcp", address: place.host, port: place.port };
  return createSocketTransport(socket, options, { requiresMessage: false, network });
}

/**
 * Listens for connections; each is a session. Resolves when it listens.
 *
 * @throws {ListenError} when the server cannot listen at the address
 * @example
 * ```ts
 * import { serve } from "mcp-server-runtime";
 * import { listenTcp } from "mcp-server-runtime/transports";
 *
 * const { port } = await listenTcp({ port: 4000, accept: (transport) => serve(server, transport) });
 * console.error(`tcp://127.0.0.1:${port}`);
 * ```
 */
export async function listenTcp(options: TcpServerOptions): Promise<TcpServer> {
  checkNumbers(options);
  const transports = new AcceptedTransports();
  const { handshakeTimeout = defaultFirstMessageTimeout } = options;
  const serve = async (socket: Socket): Promise<void> => {
    socket.on("error", ignore);
    const isAdmitted = options.admit === undefined || (await options.admit(socket)) === true;
    const isAwaited = isAdmitted && server.listening && !socket.destroyed;
    if (!isAwaited) return void socket.destroy();
    const transport = createSocketTransport(socket, options, { pausesInput: true, handshakeTimeout });
    expectReader(socket);
    socket.once("close", () => transports.remove(transport));
    await transports.serve(transport, options.accept);
  };
  const fail = createFail(options.onError);
  const onSocket = (socket: Socket): void => {
    serve(socket).catch((thrown: unknown) => {
      fail(thrown);
      socket.destroy();
    });
  };
  const halfOpen = { allowHalfOpen: true };
  const server = options.tls
    ? createTlsServer(
        { handshakeTimeout: Math.min(handshakeTimeout, longestTimer), ...options.tls, ...halfOpen },
        onSocket,
      )
    : createServer(halfOpen, onSocket);
  // Node only emits an event for a client that takes too long to encrypt.
  server.on("tlsClientError", (_: Error, socket: Socket) => socket.destroy());
  server.maxConnections = options.maxConnections ?? 1_000;
  const sockets = watchSockets(server);
  await startListening(server, toAddress(options));
  return {
    port: portOf(server),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await transports.close();
      // Connections that are not admitted yet, or have not begun to encrypt.
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/**
 * Creates a transport over an existing socket. Unless `requiresMessage` is `false`, the connection is closed when its first bytes are not the start
 * of a JSON message: web pages can send HTTP requests to any port of this machine, with messages in their bodies.
 *
 * @example
 * ```ts
 * import { createServer } from "node:net";
 * import { serve } from "mcp-server-runtime";
 * import { createSocketTransport } from "mcp-server-runtime/transports";
 *
 * createServer((socket) => serve(server, createSocketTransport(socket))).listen("/tmp/demo.sock");
 * ```
 */
export function createSocketTransport(
  socket: Socket,
  options: SocketOptions = {},
  ends: Pick<StreamTransportOptions, "pausesInput" | "handshakeTimeout" | "requiresMessage" | "network"> = {},
): Transport {
  socket.setNoDelay(true);
  // Detects a peer that disappears without closing the connection.
  socket.setKeepAlive(true, keepAliveDelay);
  return new StreamTransport({
    input: socket,
    output: socket,
    write: (text) => socket.write(text),
    limits: options.limits,
    requiresMessage: true,
    network: toNetwork(socket),
    ...ends,
    finish: () => end(socket, options.flushTimeout ?? 1_000),
  });
}

/** Local sockets have no addresses. */
function toNetwork({ remoteAddress: address, remotePort: port }: Socket): NetworkDetails {
  return address === undefined ? { transport: "unix" } : { transport: "tcp", address, port };
}

const keepAliveDelay = 15_000;

/** Milliseconds for which a client may read nothing while bytes wait for it. */
const readerTimeout = 30_000;

/**
 * Destroys a socket whose peer does not read. The time counts while bytes wait, and restarts whenever the peer reads some of them. No input is read
 * in the meantime.
 */
function expectReader(socket: Socket): void {
  socket.setTimeout(readerTimeout);
  socket.on("timeout", () => {
    if (socket.writableLength === 0) return;
    socket.destroy(new Error(`The peer does not read; it received nothing for ${socket.timeout} ms`));
  });
}

function toAddress({
  path,
  host = "127.0.0.1",
  port = 0,
}: SocketAddress): { path: string } | { host: string; port: number } {
  return path === undefined ? { host, port } : { path };
}

/** Sends the last bytes and waits for the peer to close too: closing earlier may lose them. */
function end(socket: Socket, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const cancel = startTimer(milliseconds, () => socket.destroy());
    socket.once("close", () => {
      cancel();
      resolve();
    });
    socket.end();
    socket.resume();
  });
}

function ignore(): void {}
