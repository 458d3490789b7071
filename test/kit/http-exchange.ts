import { request, type Agent, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { isObject } from "../../generated/support.ts";
import { EventDecoder, type ServerEvent } from "../../runtime/framing/sse-events.ts";
import { until } from "./time.ts";

export interface SendOptions {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  /** Leaves these default headers out. */
  readonly without?: readonly string[];
  readonly body?: unknown;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

export const acceptBoth = "application/json, text/event-stream";

export const initialize = (revision: string, capabilities: object = {}): object => ({
  jsonrpc: "2.0",
  id: "init",
  method: "initialize",
  params: { protocolVersion: revision, capabilities, clientInfo: { name: "test", version: "1" } },
});

export const call = (id: string | number, name: string, args: object = {}, meta?: object): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, ...(meta && { _meta: meta }) },
});

/** The one text block of a tool's result. */
export function textOf(message: unknown): string {
  const parsed: unknown = typeof message === "string" ? JSON.parse(message) : message;
  const result = isObject(parsed) && isObject(parsed.result) ? parsed.result : {};
  const block: unknown = Array.isArray(result.content) ? result.content[0] : undefined;
  return isObject(block) ? String(block.text) : JSON.stringify(parsed);
}

/** The code of a JSON-RPC error. */
export function codeOf(response: Pick<HttpResponse, "json">): unknown {
  return isObject(response.json) && isObject(response.json.error) ? response.json.error.code : undefined;
}

/** Events of one connection, in order. */
export class Stream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: ServerEvent[] = [];
  readonly #response: IncomingMessage;
  #isEnded = false;
  #taken = 0;
  text = "";

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    const decoder = new EventDecoder(
      { maxMessageBytes: 1e9 },
      { event: (event) => void this.events.push(event), problem: () => {} },
    );
    response.on("data", (chunk: Buffer) => {
      this.text += chunk.toString();
      decoder.push(chunk);
    });
    response.on("error", () => {});
    response.on("close", () => (this.#isEnded = true));
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The messages so far. */
  get messages(): readonly unknown[] {
    return this.events.filter(({ data }) => data !== "").map(({ data }): unknown => JSON.parse(data));
  }

  /** The next event that has not been taken yet. */
  async next(): Promise<ServerEvent> {
    await until(() => this.events.length > this.#taken || this.#isEnded, "an event");
    const event = this.events[this.#taken];
    if (!event) throw new Error("the stream has ended");
    this.#taken += 1;
    return event;
  }

  /** The next message that has not been taken yet. */
  async message(): Promise<Record<string, unknown>> {
    const { data } = await this.next();
    const message: unknown = data === "" ? await this.message() : JSON.parse(data);
    return isObject(message) ? message : {};
  }

  async end(): Promise<void> {
    await until(() => this.#isEnded, "the end of the stream");
  }

  pause(): void {
    this.#response.pause();
  }

  /** Breaks the connection off as a crash would. */
  cut(): void {
    this.#response.destroy();
  }
}

export async function send(url: string, agent: Agent | undefined, options: SendOptions = {}): Promise<HttpResponse> {
  const response = await exchange(url, agent, options);
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response) text += String(chunk);
  const isJson = response.headers["content-type"] === "application/json";
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    json: isJson && text !== "" ? JSON.parse(text) : undefined,
  };
}

export async function openStream(url: string, options: SendOptions = {}): Promise<Stream> {
  return new Stream(await exchange(url, undefined, options));
}

function exchange(url: string, agent: Agent | undefined, options: SendOptions): Promise<IncomingMessage> {
  const { method = "POST", path, headers, without = [], body } = options;
  const target = new URL(path ?? new URL(url).pathname, url);
  const defaults = { accept: acceptBoth, ...(method === "POST" && { "content-type": "application/json" }) };
  const fields = Object.fromEntries(
    Object.entries({ ...defaults, ...headers }).filter(([name]) => !without.includes(name)),
  );
  return new Promise((resolve, reject) => {
    const sent = request(target, { method, headers: fields, agent: agent ?? false }, resolve);
    sent.on("error", reject);
    sent.end(
      typeof body === "string" || body instanceof Uint8Array || body === undefined ? body : JSON.stringify(body),
    );
  });
}
