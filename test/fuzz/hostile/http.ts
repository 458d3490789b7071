import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isHit, pick, type Random } from "../../kit/random.ts";
import { maxMessageBytes } from "../lines.ts";
import { sourceClient, type OpenHostile } from "./hostile.ts";
import type { Received, HostileServer } from "./server.ts";
import { listenLoopback } from "../loopback.ts";

/** Servers over HTTP, each at a path of its own: statuses, headers, JSON and streams are as hostile as messages. */
export async function openHostileEndpoints({ connectHttp } = sourceClient): Promise<OpenHostile> {
  const servers = new Map<string, HostileServer>();
  const listener = createServer((request, response) => {
    const server = servers.get(request.url?.split(/[?/]/)[1] ?? "");
    response.on("error", () => {});
    // Clients share connections to an origin: a broken connection must not be that of another server's client.
    response.shouldKeepAlive = false;
    if (server) void serve(server, request, response).catch(() => response.destroy());
    else response.writeHead(404).end();
  });
  listener.on("clientError", (_error, socket) => socket.destroy());
  const port = await listenLoopback(listener);
  const open: OpenHostile["open"] = (server) => {
    const token = crypto.randomUUID();
    servers.set(token, server);
    const delays = { initialDelay: 1, maxDelay: 20, attempts: 2 };
    return {
      source: (options) =>
        connectHttp(`http://127.0.0.1:${port}/${token}`, {
          ...options,
          limits: { maxMessageBytes },
          reconnect: delays,
          acceptTimeout: 10_000,
          closeTimeout: 300,
        }),
      close: () => void servers.delete(token),
    };
  };
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      listener.close(() => resolve());
      listener.closeAllConnections();
    });
  return { open, close };
}

async function serve(server: HostileServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const received = request.method === "POST" ? server.receive(body) : [];
  if (server.isCalm) return respondCalmly(server, response, { method: request.method, received });
  const [first] = received;
  const opening = first?.method === "initialize" && first.id !== undefined ? server.open(first.id) : undefined;
  if (opening !== undefined) return openSession(server, response, opening);
  const isFine =
    received.every(({ id }) => id === undefined) && request.method === "POST" && isHit(0.95, server.random);
  if (isFine) return void response.writeHead(202).end();
  pick(request.method === "GET" ? onGet : onPost, server.random)(server, response);
  if (mayBeSentAgain(response)) server.takeBack(received);
}

/** True if the status says that the message was not handled: the session is unknown, or the client has to send it again. */
function mayBeSentAgain(response: ServerResponse): boolean {
  const { statusCode } = response;
  if (statusCode === 429 || statusCode === 503) return response.hasHeader("retry-after");
  return statusCode === 404 || (statusCode >= 300 && statusCode < 400);
}

function openSession({ random }: HostileServer, response: ServerResponse, text: string): void {
  const session = isHit(0.7, random) ? { "mcp-session-id": crypto.randomUUID() } : {};
  response.writeHead(200, { "content-type": "application/json", ...session }).end(text);
}

interface ReceivedMessages {
  readonly method: string | undefined;
  readonly received: readonly Received[];
}

function respondCalmly(server: HostileServer, response: ServerResponse, { method, received }: ReceivedMessages): void {
  if (method !== "POST") return void response.writeHead(405).end();
  const responses = received.flatMap(({ id }) => (id === undefined ? [] : [server.reject(id)]));
  if (responses.length === 0) return void response.writeHead(202).end();
  const [only] = responses;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(responses.length === 1 ? only : `[${responses.join(",")}]`);
}

type Respond = (server: HostileServer, response: ServerResponse) => void;

const respondJson: Respond = (server, response) => {
  const { random } = server;
  const texts = server.sayMany(pick([1, 1, 1, 2, 50], random));
  const text = isHit(0.5, random) ? texts.join("") : `[${texts.join(",")}]`;
  setFields(response, random).writeHead(pick(statuses, random), { "content-type": pick(types, random) });
  response.end(texts.length === 1 ? texts[0] : text);
};

const respondStream: Respond = (server, response) => {
  const { random } = server;
  setFields(response, random).writeHead(isHit(0.95, random) ? 200 : pick(statuses, random), {
    "content-type": pick(["text/event-stream", "text/event-stream; charset=utf-8"], random),
  });
  const events = server.sayMany(1 + Math.floor(random() * 250)).map((text) => toEvent(text, random));
  const all = Buffer.from(events.join(""));
  const cut = Math.floor(random() * all.length);
  response.write(all.subarray(0, cut));
  response.write(all.subarray(cut));
  endLater(server, response);
};

/** Ends a stream in order, breaks it off, or leaves it open until the server is calm. */
function endLater(server: HostileServer, response: ServerResponse): void {
  const { random } = server;
  const end = (): void => void (isHit(0.7, random) ? response.end() : response.destroy());
  const kind = random();
  if (kind < 0.8) return end();
  server.onCalm.add(end);
  const timer = kind < 0.95 ? setTimeout(end, 5 + random() * 20) : undefined;
  response.once("close", () => {
    clearTimeout(timer);
    server.onCalm.delete(end);
  });
}

function toEvent(text: string, random: Random): string {
  const fields = [
    ...(isHit(0.4, random) ? [`id: ${pick(["1", "2", "", "x".repeat(2_000), "\u0000", "é"], random)}`] : []),
    ...(isHit(0.1, random) ? [`retry: ${pick(["0", "1", "-1", "1e9", "99999999999999999999", "x"], random)}`] : []),
    ...(isHit(0.1, random) ? [`event: ${pick(["message", "endpoint", "", "error"], random)}`] : []),
    ...(isHit(0.05, random) ? [": comment", "nonsense", ""] : []),
    ...(isHit(0.1, random) ? (text.match(/.{1,40}/gsu)?.map((part) => `data: ${part}`) ?? []) : [`data: ${text}`]),
  ];
  const end = pick(["\n", "\n", "\n", "\r\n", "\r"], random);
  return `${fields.join(end)}${end}${end}`;
}

const respondNothing: Respond = (server, response) => {
  setFields(response, server.random).writeHead(pick(statuses, server.random)).end();
};

const redirect: Respond = ({ random }, response) => {
  const location = pick(["", "/", "/elsewhere", "http://127.0.0.1:1/", "http://", "javascript:alert(1)"], random);
  response.writeHead(pick([301, 302, 303, 307, 308], random), { location }).end();
};

/** A body that ends before its length, or after it. */
const respondCut: Respond = (server, response) => {
  response.writeHead(200, { "content-type": pick(types, server.random), "content-length": "100000" });
  response.write(server.say());
  setTimeout(() => response.destroy(), 1);
};

const respondEncoded: Respond = (server, response) => {
  const encoding = pick(["gzip", "br", "deflate", "x"], server.random);
  response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding }).end(server.say());
};

const respondRaw: Respond = (server, response) => {
  const { random } = server;
  const heads = [
    "HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 999 ?\r\n\r\n",
    "",
    "HTTP/9.9\r\n\r\n",
    "HTTP/1.1 200 OK\r\nX: \u0000\r\n\r\n",
  ];
  response.socket?.end(`${pick(heads, random)}${server.say()}`);
};

const onPost: readonly Respond[] = [
  ...Array<Respond>(6).fill(respondStream),
  ...Array<Respond>(5).fill(respondJson),
  respondNothing,
  redirect,
  respondCut,
  respondEncoded,
  respondRaw,
];

const onGet: readonly Respond[] = [...Array<Respond>(6).fill(respondStream), respondNothing, redirect, respondRaw];

const statuses: readonly number[] = [
  ...Array<number>(14).fill(200),
  ...[
    201, 202, 204, 206, 300, 400, 401, 402, 403, 404, 405, 406, 408, 409, 413, 415, 425, 429, 500, 501, 502, 503, 504,
  ],
];

const types: readonly string[] = [
  ...Array<string>(8).fill("application/json"),
  ...["text/event-stream", "text/html", "", "application/json; charset=latin1", "x", "application/json, text/plain"],
];

function setFields(response: ServerResponse, random: Random): ServerResponse {
  const fields: Record<string, string> = {
    "retry-after": pick(["0", "1", "-1", "999999999", "Fri, 01 Jan 2100 00:00:00 GMT", "x"], random),
    "mcp-session-id": pick(["", "x".repeat(5_000), "other", "\u00e9", "a b"], random),
    "www-authenticate": pick(
      ["Bearer", `Bearer realm="${"x".repeat(3_000)}`, ",,,=", 'Bearer resource_metadata="x"'],
      random,
    ),
    "set-cookie": "a=b",
    "mcp-protocol-version": pick(["1", "x", ""], random),
  };
  for (const [name, value] of Object.entries(fields)) if (isHit(0.15, random)) response.setHeader(name, value);
  return response;
}
