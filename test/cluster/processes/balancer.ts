import { once } from "node:events";
import {
  createServer,
  request as sendRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** Request header of a test client: bytes of the response body after which the balancer cuts the connection. */
export const cutHeader = "x-cut-after";

/** Options of a balancer. */
export interface BalancerOptions {
  /** Returns the URLs of all nodes, also of those that do not listen now. */
  readonly nodes: () => readonly string[];
  /** Port to listen on. Default: any free port. */
  readonly port?: number;
  /** Address to listen at. Default: that of the loopback interface. */
  readonly host?: string;
  /** Path that is read five times a second: a node that responds with another status than 200 gets no more requests. Default: none is read. */
  readonly ready?: string;
}

/** Balancer that listens. */
export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a balancer that sends each request to the next node, over a connection of its own. It knows no sessions and changes no message. A node that
 * refuses the connection, or does not accept it within a second, is skipped; a request that was sent is never repeated.
 */
export async function startBalancer({
  nodes,
  port = 0,
  host = "127.0.0.1",
  ready,
}: BalancerOptions): Promise<Balancer> {
  let next = 0;
  const probes = ready === undefined ? undefined : watchReady(nodes, ready);
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 1 }, (request, response) => {
    const all = nodes().filter((node) => !probes?.closing.has(node));
    const first = next++;
    const order = all.map((_, index) => all[(first + index) % all.length] ?? "");
    forward(request, response, order);
  });
  server.listen(port, host);
  await once(server, "listening").catch((cause: unknown) => {
    throw new Error(`The port ${port} is not available; use another one`, { cause });
  });
  return {
    url: `http://${host}:${readPort(server.address())}/mcp`,
    close: () =>
      new Promise<void>((resolve) => {
        probes?.stop();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Reads a path of all nodes again and again. A node that cannot be reached stays: requests skip it by themselves. */
function watchReady(
  nodes: () => readonly string[],
  path: string,
): { readonly closing: ReadonlySet<string>; stop(): void } {
  const closing = new Set<string>();
  const read = async (node: string): Promise<void> => {
    const response = await fetch(new URL(path, node)).catch(() => undefined);
    if (response === undefined || response.ok) closing.delete(node);
    else closing.add(node);
    await response?.body?.cancel();
  };
  const timer = setInterval(() => nodes().forEach((node) => void read(node)), 200);
  return { closing, stop: () => clearInterval(timer) };
}

function readPort(address: string | AddressInfo | null): number {
  if (address !== null && typeof address === "object") return address.port;
  throw new Error("The balancer has no port; it was closed before it listened");
}

/** Sends a request to the first of these nodes that accepts the connection. */
function forward(request: IncomingMessage, response: ServerResponse, [node, ...others]: readonly string[]): void {
  if (node === undefined) return reject(response, 503, "No node accepts connections");
  const upstream = connect(request, node);
  let isSent = false;
  const abort = (): void => void (response.writableFinished || upstream.destroy());
  response.once("close", abort);
  upstream.once("socket", (socket) => {
    const timer = setTimeout(() => upstream.destroy(new Error("The node does not accept the connection")), 1_000);
    socket.once("close", () => clearTimeout(timer));
    socket.once("connect", () => {
      clearTimeout(timer);
      isSent = true;
      request.pipe(upstream);
    });
  });
  upstream.once("response", (upstreamResponse) => respond(request, response, upstreamResponse));
  upstream.on("error", () => {
    if (response.destroyed) return;
    if (isSent && response.headersSent) return void response.destroy();
    if (isSent) return reject(response, 502, "The node ended before it responded");
    response.off("close", abort);
    forward(request, response, others);
  });
}

/** Opens a connection for a request, which is not sent yet. */
function connect(request: IncomingMessage, node: string): ClientRequest {
  const { hostname, port } = new URL(node);
  const headers = { ...request.headers, connection: "close" };
  const upstream = sendRequest({
    hostname,
    port,
    method: request.method,
    path: request.url,
    headers: without(headers, cutHeader),
    agent: false,
  });
  upstream.setNoDelay(true);
  return upstream;
}

function without(headers: IncomingMessage["headers"], name: string): IncomingMessage["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([field]) => field !== name));
}

/** Passes a response on as its bytes arrive, up to the cut that the client wants. */
function respond(request: IncomingMessage, response: ServerResponse, upstreamResponse: IncomingMessage): void {
  const headers = without(without(upstreamResponse.headers, "connection"), "keep-alive");
  response.writeHead(upstreamResponse.statusCode ?? 502, { ...headers, connection: "close" });
  response.flushHeaders();
  let left = readCut(request.headers[cutHeader]);
  upstreamResponse.on("data", (chunk: Buffer) => {
    if (left <= 0) return;
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (left === 0) return void response.write(part, () => response.destroy());
    if (response.write(part)) return;
    upstreamResponse.pause();
    response.once("drain", () => upstreamResponse.resume());
  });
  upstreamResponse.once("end", () => left > 0 && response.end());
  upstreamResponse.once("error", () => response.destroy());
  upstreamResponse.once("aborted", () => response.destroy());
}

function readCut(field: string | readonly string[] | undefined): number {
  const bytes = Number(field);
  return Number.isInteger(bytes) && bytes > 0 ? bytes : Number.POSITIVE_INFINITY;
}

function reject(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json", "x-from-balancer": "1" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32603, message } }));
}
