import { extension, type Declarations as TaskTypes } from "../../generated/extensions/tasks/index.ts";
import type { Declarations as Core } from "../../generated/2026-07-28/index.ts";
import { revisions } from "../../generated/revisions.ts";
import type { Awaitable } from "../../generated/support.ts";
import { connect } from "../../runtime/client/connect.ts";
import { createClient } from "../../runtime/client/create-client.ts";
import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";
import type { ClientOptions } from "../../runtime/client/options.ts";
import type { ClientSession } from "../../runtime/client/session/client-session.ts";
import { createGateway } from "../../runtime/gateway/gateway.ts";
import { systemClock, type Clock } from "../../runtime/internal/timers.ts";
import { joinCluster } from "../../cluster/cluster.ts";
import { createMemoryCluster } from "../../cluster/memory-engine.ts";
import { createServerAcceptor } from "../../runtime/server/run/acceptor.ts";
import type { Server } from "../../runtime/server/create-server.ts";
import { createHttpHandler } from "../../runtime/server/run/http-handler.ts";
import { MemoryEventStore } from "../../runtime/stores/memory-event-store.ts";
import { MemorySessionStore } from "../../runtime/stores/memory-session-store.ts";
import { createHttpClientTransport } from "../../runtime/transport/http-client/http-client.ts";
import { createSseClientTransport } from "../../runtime/transport/http-sse/http-sse-client.ts";
import { createInMemoryTransports } from "../../runtime/transport/memory.ts";
import type { HttpHandler } from "../../runtime/transport/http-server/handler.ts";
import type { HttpOptions } from "../../runtime/transport/http-server/settings.ts";
import type { Transport } from "../../runtime/transport/transport.ts";
import { delay, delayed, delayedEngine, delayedEvents, delayedTransport } from "./delays.ts";

export type Declarations = Core & TaskTypes;
export type Client = ClientSession<Declarations>;

type Options = Partial<ClientOptions<Declarations>>;

/** Sessions with one server. */
export interface Sessions {
  connect(signal?: AbortSignal): Promise<Client>;
  /** Closes all sessions, open or about to open. */
  close(): Promise<void>;
}

/** A way to reach a server in this process, whose operations are steps. */
export interface Route {
  createClient(options?: Options): Sessions;
  /** Ends the server's side. */
  close(): Promise<void>;
  /** Numbers of sessions of the server in this process, and in its store. */
  readonly sessions: { readonly live: number; readonly stored: number };
}

/** Counts pending timers. */
export class CountedClock implements Clock {
  readonly #active = new Set<object>();

  get active(): number {
    return this.#active.size;
  }

  now(): number {
    return systemClock.now();
  }

  after(milliseconds: number, run: () => void): () => void {
    const timer = {};
    this.#active.add(timer);
    const cancel = systemClock.after(milliseconds, () => {
      this.#active.delete(timer);
      run();
    });
    return () => {
      this.#active.delete(timer);
      cancel();
    };
  }
}

/** Ways to a server, by name. */
export const routes: Readonly<Record<string, (server: Server, clock: Clock) => Awaitable<Route>>> = {
  "in memory, with a session": (server, clock) => openInMemory(server, clock, "handshake"),
  "in memory, without a session": (server, clock) => openInMemory(server, clock, "per-request"),
  "over HTTP, with a session": (server, clock) => openHttp(server, clock, "handshake"),
  "over HTTP, without a session": (server, clock) => openHttp(server, clock, "per-request"),
  "over HTTP with SSE": (server, clock) =>
    openHttp(server, clock, "handshake", (fetch) => createSseClientTransport("http://localhost/sse", { fetch })),
  "through a gateway, with a session": (server, clock) => openGateway(server, clock, "handshake"),
  "through a gateway, without a session": (server, clock) => openGateway(server, clock, "per-request"),
};

/** A way to a server over HTTP, whose connections can break. */
export interface HttpRoute extends Route {
  /** Breaks the connections of streams. The server notices it at once, or only when it writes. */
  cut(isNoticed: boolean): void;
  /** Ends the sessions of the server as their client would. */
  endSessions(): Promise<void>;
}

const none = { live: 0, stored: 0 } as const;

export type Fetch = typeof globalThis.fetch;
type Lifecycle = NonNullable<ClientOptions<Declarations>["lifecycle"]>;

function openInMemory(server: Server, clock: Clock, lifecycle: Lifecycle): Route {
  const { source, close } = acceptInMemory(createServerAcceptor(server, { clock }));
  return { createClient: (options) => createSessions(source, { clock, lifecycle, ...options }), close, sessions: none };
}

async function openGateway(server: Server, clock: Clock, lifecycle: Lifecycle): Promise<Route> {
  const upstream = acceptInMemory(createServerAcceptor(server, { clock }));
  const gateway = await createGateway(upstream.source, { revisions, onError: server.onError });
  const { source } = acceptInMemory((transport) => gateway.accept(transport));
  return {
    createClient: (options) => createSessions(source, { clock, lifecycle, ...options }),
    close: async () => {
      await gateway.close();
      await upstream.close();
    },
    sessions: none,
  };
}

function acceptInMemory(accept: (transport: Transport) => unknown): {
  readonly source: ConnectionFactory;
  close(): Promise<void>;
} {
  const ends: Transport[] = [];
  return {
    source: (opening) => {
      const [clientEnd, serverEnd] = createInMemoryTransports();
      const end = delayedTransport(serverEnd);
      ends.push(end);
      accept(end);
      return connect(delayedTransport(clientEnd), opening);
    },
    close: async () => void (await Promise.all(ends.map((end) => end.close()))),
  };
}

/** Opens a way over HTTP. */
export function openHttp(
  server: Server,
  clock: Clock,
  lifecycle: Lifecycle,
  toTransport = (fetch: Fetch): Transport => createHttpClientTransport("http://localhost/mcp", { fetch, reconnect }),
): HttpRoute {
  const store = new MemorySessionStore({ clock });
  const stores = { sessions: { store: delayed(store) }, events: delayedEvents(new MemoryEventStore()) };
  const handler = createHandler(server, clock, stores);
  const line = new Line();
  const fetch = fetchFrom(handler, line);
  return {
    createClient: (options) =>
      createSessions((opening) => connect(toTransport(fetch), opening), { clock, lifecycle, ...options }),
    close: () => handler.close({ drain: 0 }),
    cut: (isNoticed) => line.cut(isNoticed),
    endSessions: () => endSessions(handler),
    get sessions() {
      return { live: handler.sessions.size, stored: store.size };
    },
  };
}

/** Opens a way to two nodes of a cluster. Requests reach the first one until a cut, and then the second one. */
export async function openNodes(createServer: () => Server, clock: Clock): Promise<HttpRoute> {
  const memory = createMemoryCluster({ clock });
  const clusters = await Promise.all([1, 2].map(() => joinCluster(delayedEngine(memory.connect()), { clock })));
  const [first, second = first] = clusters.map((cluster) => createHandler(createServer(), clock, { cluster }));
  if (!first || !second) throw new Error("There are two nodes");
  let current = first;
  const line = new Line();
  const fetch = fetchFrom({ fetch: (request) => current.fetch(request) }, line);
  return {
    createClient: (options) =>
      createSessions(
        (opening) => connect(createHttpClientTransport("http://localhost/mcp", { fetch, reconnect }), opening),
        { clock, lifecycle: "handshake", ...options },
      ),
    async close() {
      await Promise.all([first, second].map((handler) => handler.close({ drain: 0 })));
      await Promise.all(clusters.map((cluster) => cluster.close()));
    },
    cut(isNoticed) {
      current = second;
      line.cut(isNoticed);
    },
    endSessions: () => endSessions(current),
    get sessions() {
      return { live: first.sessions.size + second.sessions.size, stored: 0 };
    },
  };
}

const reconnect = { initialDelay: 1, maxDelay: 1 } as const;

function createHandler(server: Server, clock: Clock, options: HttpOptions): HttpHandler {
  return createHttpHandler(server, {
    clock,
    timeouts: { drain: 20 },
    path: "/mcp",
    retry: 1,
    authenticate: async () => (await delay(), { principal: "user" }),
    ...options,
  });
}

async function endSessions(handler: HttpHandler): Promise<void> {
  for (const id of [...handler.sessions.keys()]) await endSession(handler, id);
}

async function endSession(handler: Pick<HttpHandler, "fetch">, id: string): Promise<void> {
  await handler.fetch(new Request("http://localhost/mcp", { method: "DELETE", headers: { "mcp-session-id": id } }));
}

/** Connections of streams, and of requests without a response. */
class Line {
  readonly #open = new Set<Connection>();

  add(connection: Connection): void {
    this.#open.add(connection);
  }

  cut(isNoticed: boolean): void {
    for (const { client, server } of this.#open) {
      client.abort(new TypeError("terminated"));
      if (isNoticed) server.abort();
    }
    this.#open.clear();
  }
}

/** Both ends of a connection. */
interface Connection {
  readonly client: AbortController;
  readonly server: AbortController;
}

function createSessions(source: ConnectionFactory, options: Options): Sessions {
  const client = createClient<Declarations>({
    info: { name: "client", version: "1" },
    revisions,
    extensions: [extension],
    ...options,
  });
  return {
    connect: (signal) => client.connect(source, signal ? { signal } : {}),
    close: () => client.close(),
  };
}

/** Calls a handler as `fetch` would over a network: an abort ends the response wherever it is. */
export function fetchFrom(handler: Pick<HttpHandler, "fetch">, line?: Line): Fetch {
  return async (input, init) => {
    const connection = { client: new AbortController(), server: new AbortController() };
    const given = init?.signal ?? new AbortController().signal;
    const signal = AbortSignal.any([given, connection.client.signal]);
    const request = new Request(input, { ...init, signal: AbortSignal.any([given, connection.server.signal]) });
    if (request.method === "GET") line?.add(connection);
    await delay();
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    const response = await Promise.race([handler.fetch(request), aborted]);
    await delay();
    const { body, status, headers } = response;
    const session = headers.get("mcp-session-id");
    // The client does not learn the id: the session ends with its time.
    if (signal.aborted && session !== null) await endSession(handler, session);
    signal.throwIfAborted();
    if (headers.get("content-type") === "text/event-stream") line?.add(connection);
    const parts = new TransformStream<Uint8Array, Uint8Array>({
      async transform(part, controller) {
        await delay();
        controller.enqueue(part);
      },
    });
    return new Response(body?.pipeThrough(parts, { signal }), { status, headers });
  };
}
