import type { ServerOptions as SecureOptions } from "node:https";
import type { ListenOptions, Server, Socket } from "node:net";
import { SetupError } from "../jsonrpc/errors.ts";

/** Error of a server which cannot listen: the message gives the reason and a remedy, `code` is the error code of the system. */
export class ListenError extends SetupError {
  readonly code: string | undefined;

  constructor(message: string, options: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = "ListenError";
    this.code = options.code;
  }
}

/** Address of a server over HTTP or WebSocket, and its certificates. */
export interface AddressOptions {
  /** Port to listen on. Default: any free port. */
  readonly port?: number;
  /** Address to listen on. Default `127.0.0.1`; others need `allowedHosts`. */
  readonly host?: string;
  /** Path of the endpoint. Default `/mcp`. */
  readonly path?: string;
  /** TLS options of Node: `key`, `cert`, `ca`, `requestCert`, ... */
  readonly tls?: SecureOptions;
}

/**
 * Starts listening, also at the path of a local socket left behind by a crash. Resolves when the server listens.
 *
 * @throws {ListenError} when the system does not permit it
 */
export function startListening(server: Server, address: ListenOptions): Promise<void> {
  return listen(server, address)
    .catch(async (cause: unknown) => {
      const { path } = address;
      if (path === undefined || codeOf(cause) !== "EADDRINUSE") throw cause;
      // Loaded here, because most programs never need the modules of Node.js that it imports.
      const { removeStaleSocket } = await import("./stale-socket.ts");
      if (!(await removeStaleSocket(path))) throw cause;
      await listen(server, address);
    })
    .catch((cause: unknown) => {
      throw toListenError(cause, address);
    });
}

function listen(server: Server, address: ListenOptions): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
}

function toListenError(cause: unknown, { host, path, port }: ListenOptions): unknown {
  const code = codeOf(cause);
  if (!(cause instanceof Error) || code === undefined) return cause;
  const place = path ?? (host === undefined ? `port ${port}` : `${toAuthority(host)}:${port}`);
  const reason = (path === undefined ? reasons : pathReasons).get(code) ?? cause.message;
  return new ListenError(`The server cannot listen on ${place}: ${reason}`, {
    code,
    cause,
  });
}

/** Formats a host for use before a port: IPv6 addresses in brackets. */
export function toAuthority(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** True if a server at this address is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return ["localhost", "127.0.0.1", "::1", "[::1]"].includes(host);
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "the address is in use; stop the other program or use another port"],
  ["EACCES", "permission denied; use another port (ports below 1024 are privileged, Windows reserves others)"],
  ["EADDRNOTAVAIL", "the address is not available on this machine; use another one, such as 127.0.0.1"],
  ["ENOTFOUND", "the host name was not found; use an address of this machine, such as 127.0.0.1"],
  ["ERR_SOCKET_BAD_PORT", "the port is not valid; use 0 (any free port) to 65535"],
]);

/** Reasons at the path of a local socket. */
const pathReasons: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "the path is in use; stop the other program or use another path"],
  ["EACCES", "permission denied; use a path in a folder that this program may write to"],
  ["ENOENT", "the folder does not exist; create it or use another path"],
]);

/** Returns the port of a server; 0 for a local socket. */
export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

/** Returns the live set of the open sockets of a server, including those without encryption so far: closing the server waits for each. */
export function watchSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}
