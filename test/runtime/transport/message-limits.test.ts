import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { connect as connectSocket, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { isObject } from "../../../generated/support.ts";
import type { Limits } from "../../../runtime/jsonrpc/limits.ts";
import type { Receiver } from "../../../runtime/jsonrpc/channel.ts";
import { createHttpClientTransport } from "../../../runtime/transport/http-client/http-client.ts";
import { createServiceHandler } from "../../../runtime/transport/http-server/handler.ts";
import { createSseClientTransport } from "../../../runtime/transport/http-sse/http-sse-client.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { createStdioTransport } from "../../../runtime/transport/stdio/stdio-server.ts";
import { StreamTransport } from "../../../runtime/transport/stream-transport.ts";
import { listenTcp } from "../../../runtime/transport/tcp/tcp.ts";
import type { Transport } from "../../../runtime/transport/transport.ts";
import {
  createWebSocketTransport,
  type PlatformSocket,
} from "../../../runtime/transport/websocket/websocket-client.ts";
import { createWsTransport, serveWebSocket } from "../../../runtime/transport/websocket/ws-package.ts";
import { acceptBoth, initialize } from "../../kit/http-exchange.ts";
import { createService, start } from "../../kit/http-server.ts";

/* Every transport has the same limits of a message, however its bytes arrive. */

/** What became of a message: it was delivered, or the kind of its problem. */
type Outcome = "delivered" | "size" | "depth" | "values" | "rejected";

/** Id of a short message behind those of a test. */
const lastId = 9;

/** Messages of one side, the last one included, and the number of bytes in each of their chunks. */
interface Sent {
  readonly texts: readonly string[];
  readonly chunk: number;
  readonly limits: Partial<Limits>;
}

interface Subject {
  readonly name: string;
  /** Sends the messages to a side with these limits. Resolves when they are delivered or rejected. */
  readonly receive: (sent: Sent) => Promise<readonly Outcome[]>;
  /** Size of a message as the limit counts it; absent where no message has one. Default: its bytes. */
  readonly sizeOf?: ((text: string) => number) | undefined;
  /** True if nothing is read after a too long message. */
  readonly ends?: boolean;
}

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const utf8 = new TextEncoder();
const bytesOf = (text: string): number => utf8.encode(text).length;

function cut(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += size) chunks.push(bytes.slice(from, from + size));
  return chunks;
}

/** Receiver until the last message, or the end of the connection. The last message has no outcome. */
class Outcomes implements Receiver {
  readonly #found: Outcome[] = [];
  readonly done: Promise<readonly Outcome[]>;
  #resolve: (found: readonly Outcome[]) => void = () => {};

  constructor() {
    this.done = new Promise((resolve) => (this.#resolve = resolve));
  }

  message(value: unknown): void {
    if (isObject(value) && value.id === lastId) this.#resolve(this.#found);
    else this.#found.push("delivered");
  }

  classified(): void {}

  problem({ kind }: Parameters<Receiver["problem"]>[0]): void {
    this.#found.push(kind === "size" || kind === "depth" || kind === "values" ? kind : "rejected");
  }

  failed({ message }: Error): void {
    if (message.includes("longer than")) this.#found.push("size");
  }

  ended(): void {}

  disconnected(reason?: Error): void {
    if (reason && !this.#found.includes("size")) this.#found.push("size");
    this.#resolve(this.#found);
  }
}

/** Outcomes of what a transport receives. */
function listen(transport: Transport): Outcomes {
  const outcomes = new Outcomes();
  transport.start(outcomes);
  cleanups.push(() => transport.close());
  return outcomes;
}

const toLines = ({ texts, chunk }: Sent): readonly Uint8Array[] =>
  cut(utf8.encode(texts.map((text) => `${text}\n`).join("")), chunk);

/** Writes chunks to a socket, each in a turn of its own. */
async function write(socket: Socket, chunks: readonly Uint8Array[]): Promise<void> {
  socket.setNoDelay(true);
  for (const chunk of chunks) {
    if (socket.destroyed) return;
    socket.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function openSocket(port: number): Promise<Socket> {
  const socket = connectSocket(port, "127.0.0.1");
  socket.on("error", () => {});
  cleanups.push(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Replaces a stream of this process during a test. */
function replaceStream(name: "stdin" | "stdout"): PassThrough {
  const stream = new PassThrough();
  const descriptor = Object.getOwnPropertyDescriptor(process, name) ?? {};
  Object.defineProperty(process, name, { value: stream, configurable: true });
  cleanups.push(() => Object.defineProperty(process, name, descriptor));
  return stream;
}

const streams: readonly Subject[] = [
  {
    name: "a pair of streams",
    receive(sent) {
      const [input, output] = [new PassThrough(), Object.assign(new EventEmitter(), { writableLength: 0 })];
      const { limits } = sent;
      const finish = (): Promise<void> => Promise.resolve();
      const outcomes = listen(new StreamTransport({ input, output, write: () => true, limits, finish }));
      for (const chunk of toLines(sent)) input.emit("data", chunk);
      return outcomes.done;
    },
  },
  {
    name: "stdio at a server",
    receive(sent) {
      const stdin = replaceStream("stdin");
      replaceStream("stdout");
      const outcomes = listen(createStdioTransport({ limits: sent.limits, flushTimeout: 0 }));
      for (const chunk of toLines(sent)) stdin.write(chunk);
      return outcomes.done;
    },
  },
  {
    name: "TCP at a server",
    async receive(sent) {
      const outcomes = new Outcomes();
      const server = await listenTcp({ accept: (transport) => transport.start(outcomes), limits: sent.limits });
      cleanups.push(() => server.close());
      await write(await openSocket(server.port), toLines(sent));
      return outcomes.done;
    },
  },
];

/** Frames of a text message, with at most so many bytes in each. Those of a client have a mask, which is zero here. */
function toFrames(text: string, { size, masked }: { readonly size: number; readonly masked: boolean }): Uint8Array[] {
  const parts = cut(utf8.encode(text), size);
  return parts.flatMap((part, index) => {
    const final = index === parts.length - 1 ? 0x80 : 0;
    const mask = masked ? 0x80 : 0;
    const length = part.length < 126 ? [mask | part.length] : [mask | 126, part.length >> 8, part.length & 0xff];
    return [Uint8Array.of(final | (index === 0 ? 1 : 0), ...length, ...(masked ? [0, 0, 0, 0] : [])), part];
  });
}

const join = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));

async function listenOn(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

const upgrade = [
  "GET /mcp HTTP/1.1",
  "Host: 127.0.0.1",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "",
  "",
].join("\r\n");

const toWsServer =
  (size: number): Subject["receive"] =>
  async (sent) => {
    const outcomes = new Outcomes();
    const http = createServer();
    const port = await listenOn(http);
    const service = serveWebSocket(http, { accept: (transport) => transport.start(outcomes), limits: sent.limits });
    cleanups.push(() => service.close());
    const socket = await openSocket(port);
    socket.write(upgrade);
    await once(socket, "data");
    const frames = sent.texts.flatMap((text) => toFrames(text, { size, masked: true }));
    await write(socket, cut(join(frames), sent.chunk));
    return outcomes.done;
  };

const toWsClient =
  (size: number): Subject["receive"] =>
  async (sent) => {
    const http = createServer();
    const sockets = new WebSocketServer({ server: http, handleProtocols: () => "mcp.v1" });
    const port = await listenOn(http);
    const accepted = new Promise<Socket>((resolve) => sockets.on("connection", (_, { socket }) => resolve(socket)));
    const outcomes = listen(createWsTransport(`ws://127.0.0.1:${port}/`, { limits: sent.limits }));
    const frames = sent.texts.flatMap((text) => toFrames(text, { size, masked: false }));
    await write(await accepted, cut(join(frames), sent.chunk));
    return outcomes.done;
  };

interface PageEvent {
  readonly data: unknown;
  readonly code: number;
  readonly reason: string;
}

/** WebSocket of a page: it passes texts, and no frames. */
class PageSocket implements PlatformSocket {
  readonly bufferedAmount = 0;
  readonly #listeners = new Map<string, (event: PageEvent) => void>();

  send(): void {}

  close(): void {
    queueMicrotask(() => this.#listeners.get("close")?.({ data: "", code: 1_000, reason: "" }));
  }

  addEventListener(type: string, listener: (event: PageEvent) => void): void {
    this.#listeners.set(type, listener);
  }

  receive(data: string): void {
    this.#listeners.get("message")?.({ data, code: 0, reason: "" });
  }
}

const webSockets: readonly Subject[] = [
  { name: "a WebSocket at a server", ends: true, receive: toWsServer(Infinity) },
  { name: "a WebSocket at a server, in many frames", ends: true, receive: toWsServer(7) },
  { name: "a WebSocket at a client", ends: true, receive: toWsClient(Infinity) },
  { name: "a WebSocket at a client, in many frames", ends: true, receive: toWsClient(7) },
  {
    name: "a WebSocket of the platform",
    ends: true,
    // The platform passes texts.
    sizeOf: (text) => text.length,
    receive(sent) {
      const pages: PageSocket[] = [];
      class WebSocket extends PageSocket {
        constructor() {
          super();
          pages.push(this);
        }
      }
      const outcomes = listen(createWebSocketTransport("ws://127.0.0.1/", { limits: sent.limits, WebSocket }));
      for (const text of sent.texts) pages[0]?.receive(text);
      return outcomes.done;
    },
  },
];

/** Texts of HTTP requests on one connection, with declared lengths or in chunked encoding. */
function toPost(text: string, headers: Readonly<Record<string, string>>, isChunked: boolean): Uint8Array {
  const body = utf8.encode(text);
  const fields = {
    host: "127.0.0.1",
    accept: acceptBoth,
    "content-type": "application/json",
    ...headers,
    ...(isChunked ? { "transfer-encoding": "chunked" } : { "content-length": String(body.length) }),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const head = utf8.encode(["POST /mcp HTTP/1.1", ...lines, "", ""].join("\r\n"));
  if (!isChunked) return join([head, body]);
  const line = (end: string): Uint8Array => utf8.encode(`${end}\r\n`);
  const parts = cut(body, 50).flatMap((part) => [line(part.length.toString(16)), part, line("")]);
  return join([head, ...parts, line("0"), line("")]);
}

const toOutcome = (status: number): Outcome => (status === 202 ? "delivered" : status === 413 ? "size" : "rejected");

const toHttpServer =
  (isChunked: boolean): Subject["receive"] =>
  async ({ texts: all, chunk, limits }) => {
    // Each message has a response: with one more in chunked encoding, too many would wait.
    const texts = all.slice(0, -1);
    const rig = await start({}, { limits });
    cleanups.push(() => rig.close());
    const { headers } = await rig.open();
    const socket = await openSocket(Number(new URL(rig.url).port));
    let received = "";
    const done = new Promise<void>((resolve) => {
      socket.on("close", resolve);
      socket.on("data", (data) => {
        received += String(data);
        if (received.split("HTTP/1.1 ").length > texts.length) resolve();
      });
    });
    await write(socket, cut(join(texts.map((text) => toPost(text, headers, isChunked))), chunk));
    await done;
    return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => toOutcome(Number(status)));
  };

/** Body in chunks. */
function toBody(bytes: Uint8Array, chunk: number): ReadableStream<Uint8Array> {
  const chunks = [...cut(bytes, chunk)];
  return new ReadableStream({
    pull(controller) {
      const next = chunks.shift();
      if (next) controller.enqueue(next);
      else controller.close();
    },
  });
}

const http: readonly Subject[] = [
  { name: "HTTP at a server", ends: true, receive: toHttpServer(false) },
  { name: "HTTP at a server, in chunked encoding", ends: true, receive: toHttpServer(true) },
  {
    name: "HTTP at a handler of the web platform",
    async receive({ texts, chunk, limits }) {
      const handler = createServiceHandler(createService({}), { limits });
      cleanups.push(() => handler.close());
      const post = (body: NonNullable<RequestInit["body"]>, more: Record<string, string>): Promise<Response> => {
        const headers = { accept: acceptBoth, "content-type": "application/json", ...more };
        const init = { method: "POST", headers, body, duplex: "half" };
        return handler.fetch(new Request("http://localhost/mcp", init));
      };
      const opened = await post(JSON.stringify(initialize("2025-11-25")), {});
      const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
      const posted = texts.map((text) => post(toBody(utf8.encode(text), chunk), session));
      return (await Promise.all(posted.slice(0, -1))).map(({ status }) => toOutcome(status));
    },
  },
  {
    name: "HTTP at a client, as JSON",
    async receive({ texts, chunk, limits }) {
      const outcomes = new Outcomes();
      const left = [...texts];
      const headers = { "content-type": "application/json" };
      const transport = createHttpClientTransport("http://127.0.0.1/mcp", {
        limits,
        listen: false,
        fetch: async () => new Response(toBody(utf8.encode(left.shift()), chunk), { headers }),
      });
      transport.start(outcomes);
      cleanups.push(() => transport.close());
      for (const index of texts.keys()) {
        const id = index === texts.length - 1 ? lastId : index + 1;
        const sent = transport.send({ jsonrpc: "2.0", id, method: "ping" });
        await Promise.resolve(sent).catch((reason: Error) => outcomes.failed(reason));
      }
      return outcomes.done;
    },
  },
  {
    name: "HTTP at a client, as events",
    ends: true,
    sizeOf: sizeOfEvent,
    async receive({ texts, chunk, limits }) {
      const outcomes = new Outcomes();
      const headers = { "content-type": "text/event-stream" };
      const transport = createHttpClientTransport("http://127.0.0.1/mcp", {
        limits,
        listen: false,
        fetch: async () => new Response(toBody(toEvents(texts), chunk), { headers }),
      });
      transport.start(outcomes);
      cleanups.push(() => transport.close());
      const sent = transport.send({ jsonrpc: "2.0", id: lastId, method: "ping" });
      await Promise.resolve(sent).catch(() => outcomes.disconnected());
      return outcomes.done;
    },
  },
  {
    name: "HTTP with SSE at a client",
    ends: true,
    sizeOf: sizeOfEvent,
    receive(sent) {
      const headers = { "content-type": "text/event-stream" };
      const events = join([utf8.encode("event: endpoint\ndata: /message\n\n"), toEvents(sent.texts)]);
      const fetch = async (): Promise<Response> => new Response(toBody(events, sent.chunk), { headers });
      return listen(createSseClientTransport("http://127.0.0.1/sse", { limits: sent.limits, fetch })).done;
    },
  },
];

const toEvents = (texts: readonly string[]): Uint8Array =>
  utf8.encode(texts.map((text) => `data: ${text}\n\n`).join(""));

/** The limit of an event is one of its line, in UTF-16 units. */
function sizeOfEvent(text: string): number {
  return `data: ${text}`.length;
}

/** Members of a message around its content. */
const toText = (id: number, content: string): string => `{"jsonrpc":"2.0","id":${id},"result":{"x":${content}}}`;

/** Message of a size, whose characters take one byte to four. */
function toSized(id: number, size: number, sizeOf: (text: string) => number): string {
  const rest = size - sizeOf(toText(id, '"é€😀"'));
  return toText(id, `"é€😀${"x".repeat(rest)}"`);
}

const last = toText(lastId, "0");

const most = 400;

const sizes: readonly (readonly [name: string, sizes: readonly number[], outcomes: readonly Outcome[]])[] = [
  ["is as long as the limit", [most], ["delivered"]],
  ["is longer by one", [most + 1], ["size"]],
  ["is twice as long", [most * 2], ["size"]],
  ["is as long as the limit, before one as long", [most, most], ["delivered", "delivered"]],
  ["is as long as the limit, before one that is longer by one", [most, most + 1], ["delivered", "size"]],
  ["is short, before one that is longer by one", [100, most + 1], ["delivered", "size"]],
  ["is longer by one, before one as long as the limit", [most + 1, most], ["size", "delivered"]],
];

/** All bytes at once, and pieces with their ends within characters. */
const chunks = [Infinity, 3];

const byName = (subjects: readonly Subject[]): (readonly [string, Subject])[] =>
  subjects.map((subject) => [subject.name, subject]);

const withSizes = byName([...streams, ...webSockets, ...http]);

describe.each(withSizes)("the size of a message over %s", (_, { receive, ends, sizeOf = bytesOf }) => {
  const read = sizes.filter(([, , outcomes]) => !ends || outcomes.at(-1) === "size" || !outcomes.includes("size"));
  const cases = read.flatMap(([what, lengths, outcomes]) =>
    chunks.map((chunk) => [what, chunk, { lengths, outcomes }] as const),
  );

  test.each(cases)("a message that %s, in chunks of %d bytes", async (_what, chunk, { lengths, outcomes }) => {
    const texts = lengths.map((size, index) => toSized(index + 1, size, sizeOf));
    const found = await receive({ texts: [...texts, last], chunk, limits: { maxMessageBytes: most } });
    const end = ends && found.includes("size") ? found.indexOf("size") + 1 : found.length;
    expect(found.slice(0, end)).toEqual(outcomes);
  });
});

const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const wide = (count: number): string => `[${Array.from({ length: count }, () => 0).join(",")}]`;

/** Contents of the member `x` of a result: it has two levels and four values around it. */
const structures: readonly (readonly [name: string, contents: readonly string[], outcomes: readonly Outcome[]])[] = [
  ["has as many levels as the limit", [deep(6)], ["delivered"]],
  ["has one level more, before one with as many as the limit", [deep(7), deep(6)], ["depth", "delivered"]],
  ["has as many values as the limit", [wide(26)], ["delivered"]],
  ["has one value more, before one with as many as the limit", [wide(27), wide(26)], ["values", "delivered"]],
  ["has many values, before one with as many", [wide(26), wide(26)], ["delivered", "delivered"]],
];

const memory: Subject = {
  name: "memory",
  receive(sent) {
    const [client, server] = createInMemoryTransports(sent.limits);
    const outcomes = listen(server);
    client.start(new Outcomes());
    for (const text of sent.texts) void client.send(JSON.parse(text));
    return outcomes.done;
  },
};

describe.each(byName([memory, ...streams, ...webSockets, ...http]))(
  "the structure of a message over %s",
  (name, { receive }) => {
    const isRejected = /^HTTP at a (?:server|handler)/.test(name);

    test.each(structures)("a message that %s", async (_, contents, outcomes) => {
      const texts = contents.map((content, index) => toText(index + 1, content));
      const found = await receive({ texts: [...texts, last], chunk: 64, limits: { maxDepth: 8, maxValues: 30 } });
      const isKind = (outcome: Outcome): boolean => outcome === "depth" || outcome === "values";
      expect(found).toEqual(isRejected ? outcomes.map((one) => (isKind(one) ? "rejected" : one)) : outcomes);
    });
  },
);
