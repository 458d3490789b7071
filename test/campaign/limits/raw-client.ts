import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { isObject } from "../../../generated/support.ts";
import { newest } from "../../kit/revisions.ts";
import { initialize, initialized } from "../../kit/messages.ts";

type Message = Readonly<Record<string, unknown>>;

/** Client that sends any text. */
export interface RawClient {
  /** Messages that have arrived. */
  readonly received: Message[];
  send(message: string | object): void;
  /** Reads nothing until `resume`. */
  pause(): void;
  resume(): void;
  /** Resolves with the way in which the server ended the connection. */
  readonly closed: Promise<string>;
  end(): void;
}

/** Connects over TCP. */
export async function openRawTcp(url: string): Promise<RawClient> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const received: Message[] = [];
  let rest = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    received.push(...lines.map(parse));
  });
  socket.on("error", () => {});
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve("closed")));
  await once(socket, "connect");
  return {
    ...{ received, closed },
    send: (message) => void socket.write(`${toText(message)}\n`),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: () => socket.destroy(),
  };
}

/** Connects over WebSocket. */
export async function openRawWs(url: string): Promise<RawClient> {
  const socket = new WebSocket(url, ["mcp"], { perMessageDeflate: false });
  const received: Message[] = [];
  socket.on("message", (data: Buffer) => received.push(parse(data.toString())));
  socket.on("error", () => {});
  const closed = new Promise<string>((resolve) => socket.once("close", (code) => resolve(`closed with ${code}`)));
  await once(socket, "open");
  return {
    ...{ received, closed },
    send: (message) => socket.send(toText(message)),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    end: () => socket.terminate(),
  };
}

/** Opens a session. Default: at the newest revision with sessions. */
export async function openSession(client: RawClient, revision: string = newest.id): Promise<RawClient> {
  client.send(initialize(revision, { roots: {} }));
  await receive(client, ({ id }) => id === 0);
  client.send(initialized);
  return client;
}

/** Waits for a message. */
export async function receive(client: RawClient, isWanted: (message: Message) => boolean): Promise<Message> {
  for (;;) {
    const found = client.received.find(isWanted);
    if (found) return found;
    await delay(1);
  }
}

/** Waits for the response to a request, or with `undefined` to a message without an id. Returns its code, or `result`. */
export async function readOutcome(client: RawClient, id: unknown): Promise<string> {
  return toOutcome(await receive(client, (message) => message.id === id && message.method === undefined));
}

/** Returns the code of a response, or `result`. */
export function toOutcome(message: unknown): string {
  if (!isObject(message)) return String(message);
  return isObject(message.error) ? `error ${String(message.error.code)}` : "result";
}

/** Response to a POST. */
export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

/** Sends a message or other text in a POST. */
export async function post(
  url: string,
  body: string | object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Posted> {
  const response = await fetch(url, {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers },
    body: toText(body),
  });
  const text = await response.text();
  const data = text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [line.slice(6)] : []));
  return { status: response.status, headers: response.headers, text, json: tryParse(data.at(-1) ?? text) };
}

/** Opens a session over HTTP. Returns the headers of its requests. */
export async function openHttpSession(
  url: string,
  own: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, string>>> {
  const { headers } = await post(url, initialize(newest.id, { roots: {} }), own);
  const id = headers.get("mcp-session-id") ?? "";
  const session = { ...own, "mcp-session-id": id, "mcp-protocol-version": newest.id };
  await post(url, initialized, session);
  return session;
}

/** Returns status and code of a response to a POST. */
export function toStatus({ status, json }: Posted): string {
  return `${status} ${toOutcome(json)}`;
}

/** Connects to the port of a URL, for requests that no client of HTTP would send. */
export async function openSocket(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Reads the status line that a server sends. */
export async function readStatus(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => (text += part));
  await new Promise((resolve) => {
    socket.once("close", resolve);
    socket.on("data", () => text.includes("\r\n") && resolve(undefined));
  });
  return /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? "closed";
}

/** Request that calls a tool. */
export function callTool(id: number, name: string, args: object = {}): Message {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

function toText(message: string | object): string {
  return typeof message === "string" ? message : JSON.stringify(message);
}

function parse(text: string): Message {
  const value = tryParse(text);
  return isObject(value) ? value : { batch: value };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
