import { request as send, type IncomingMessage } from "node:http";
import { isObject } from "../../templates/support.ts";
import { Normalizer } from "./normalize.ts";
import { readAddress, start } from "./process.ts";
import * as script from "./script.ts";
import type { RevisionId } from "./script.ts";
import { listItems, runSteps, type Message, type Recording } from "./steps.ts";

/** Headers that say nothing about the protocol, or differ from run to run. */
const leftOut = new Set(["date", "connection", "keep-alive", "content-length", "transfer-encoding"]);

interface HttpRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Records a conversation over Streamable HTTP: status, headers and bodies, streams event by event. */
export async function recordHttp(
  args: readonly string[],
  revision: RevisionId,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const program = start(args, env);
  try {
    const conversation = new HttpConversation(await readAddress(program), revision);
    await conversation.record();
    return conversation.entries;
  } finally {
    await program.end();
  }
}

class HttpConversation implements Recording {
  readonly entries: string[] = [];
  readonly #normalizer = new Normalizer();
  readonly #url: URL;
  readonly revision: RevisionId;
  #session: string | undefined;

  constructor(url: string, revision: RevisionId) {
    this.#url = new URL(url);
    this.revision = revision;
  }

  async record(): Promise<void> {
    await runSteps(this, script.opening(this.revision));
    const stream = script.isStateless(this.revision) ? undefined : await this.#openStream();
    await runSteps(this, script.toolCalls(this.revision, await listItems(this, "tools")));
    await runSteps(this, script.otherRequests(this.revision));
    await runSteps(this, script.brokenMessages(this.revision));
    for (const [name, request] of this.#wrongRequests()) {
      this.entries.push(`# ${name}`);
      await this.#send(request);
    }
    if (!stream) return;
    this.entries.push("# the session ends");
    await this.#send({ method: "DELETE", headers: this.#headers() });
    await this.#send({ method: "POST", headers: this.#headers(), body: JSON.stringify(this.#ping()) });
    this.entries.push("# the stream of the session", ...(await stream.ended));
  }

  #ping(): object {
    return script.request(this.revision, "p", script.isStateless(this.revision) ? "server/discover" : "ping");
  }

  async postUnrecorded(method: string, params: object): Promise<Message> {
    const message = script.request(this.revision, "unrecorded", method, params);
    const request = { method: "POST", headers: this.#headers(message), body: JSON.stringify(message) };
    const text = await readAll(await this.#open(request));
    return parse(text.slice(text.indexOf("{")));
  }

  post(message: unknown): Promise<Message> {
    const body = typeof message === "string" ? message : JSON.stringify(message);
    return this.#send({ method: "POST", headers: this.#headers(message), body });
  }

  #headers(message?: unknown): Record<string, string> {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    if (this.#session !== undefined) headers["mcp-session-id"] = this.#session;
    if (this.#session !== undefined || script.isStateless(this.revision))
      headers["mcp-protocol-version"] = this.revision;
    if (script.isStateless(this.revision)) Object.assign(headers, statelessHeaders(message));
    return headers;
  }

  /** Sends a request, records it with its response, and returns the JSON-RPC response in it. */
  async #send(request: HttpRequest): Promise<Message> {
    this.entries.push(`> ${request.method} ${this.#describe(request.headers ?? {})}`);
    if (request.body !== undefined) this.entries.push(`> ${this.#normalizer.text(request.body)}`);
    const response = await this.#open(request);
    const id = response.headers["mcp-session-id"];
    if (typeof id === "string" && this.#session === undefined) this.#session = id;
    this.entries.push(`< ${response.statusCode ?? 0} ${this.#describe(headersOf(response))}`);
    if (response.headers["content-type"]?.startsWith("text/event-stream")) return this.#readEvents(response);
    const text = await readAll(response);
    if (text !== "") this.entries.push(`< ${this.#normalizer.text(text)}`);
    return parse(text);
  }

  #open({ method, headers = {}, body }: HttpRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = send(this.#url, { method, headers, agent: false }, resolve);
      sent.on("error", reject);
      sent.end(body);
    });
  }

  async #readEvents(response: IncomingMessage): Promise<Message> {
    let last: Message = {};
    for await (const event of eventsOf(response)) {
      this.entries.push(...this.#describeEvent(event));
      const message = parse(event.data ?? "");
      if (message.method === undefined) last = message;
      else if (message.id !== undefined) await this.#respond(message);
    }
    return last;
  }

  async #respond({ id, method, params }: Message): Promise<void> {
    await this.post({ jsonrpc: "2.0", id, result: script.respond(method, params) });
  }

  /** Opens the session's stream; its events are recorded when it ends. */
  async #openStream(): Promise<{ readonly ended: Promise<readonly string[]> }> {
    this.entries.push("# GET opens a stream");
    const request = { method: "GET", headers: { ...this.#headers(), accept: "text/event-stream" } };
    const response = await this.#open(request);
    this.entries.push(
      `> GET ${this.#describe(request.headers)}`,
      `< ${response.statusCode ?? 0} ${this.#describe(headersOf(response))}`,
    );
    return { ended: this.#describeEvents(response) };
  }

  async #describeEvents(response: IncomingMessage): Promise<readonly string[]> {
    const entries: string[] = [];
    for await (const event of eventsOf(response)) {
      entries.push(...this.#describeEvent(event));
      const { id, method, params } = parse(event.data ?? "");
      if (method === undefined || id === undefined) continue;
      const body = JSON.stringify({ jsonrpc: "2.0", id, result: script.respond(method, params) });
      const { statusCode = 0 } = await this.#open({ method: "POST", headers: this.#headers(), body });
      entries.push(`> ${body}`, `< ${statusCode}`);
    }
    return entries;
  }

  #describe(headers: Readonly<Record<string, string>>): string {
    const lines = Object.entries(headers).map(([name, value]) => {
      if (name === "mcp-session-id") return `${name}: ${this.#normalizer.name("session", value)}`;
      return `${name}: ${this.#normalizer.text(value)}`;
    });
    return lines.join("; ");
  }

  #describeEvent(event: Readonly<Record<string, string>>): readonly string[] {
    return Object.entries(event).map(([field, value]) => {
      if (field === "id") return "< id: <event>";
      return field === "data" ? `< data: ${this.#normalizer.text(value)}` : `< ${field}: ${value}`;
    });
  }

  /** Requests that HTTP, not JSON-RPC, is wrong about. */
  #wrongRequests(): readonly (readonly [name: string, request: HttpRequest])[] {
    const body = JSON.stringify(this.#ping());
    const headers = this.#headers(this.#ping());
    const { accept: _accept, ...withoutAccept } = headers;
    const { "mcp-session-id": _session, ...withoutSession } = headers;
    return [
      ["a page of another origin", { method: "POST", headers: { ...headers, origin: "https://evil.example" }, body }],
      ["a foreign host", { method: "POST", headers: { ...headers, host: "evil.example" }, body }],
      ["another media type", { method: "POST", headers: { ...headers, "content-type": "text/plain" }, body }],
      ["no Accept", { method: "POST", headers: withoutAccept, body }],
      ["JSON alone is accepted", { method: "POST", headers: { ...headers, accept: "application/json" }, body }],
      ["HTML alone is accepted", { method: "POST", headers: { ...headers, accept: "text/html" }, body }],
      ["an unknown revision", { method: "POST", headers: { ...headers, "mcp-protocol-version": "1999-01-01" }, body }],
      ["no session", { method: "POST", headers: withoutSession, body }],
      ["an unknown session", { method: "POST", headers: { ...headers, "mcp-session-id": "nothing" }, body }],
      ["a compressed body", { method: "POST", headers: { ...headers, "content-encoding": "gzip" }, body }],
      ["PUT", { method: "PUT", headers, body }],
      [
        "OPTIONS of a local page",
        { method: "OPTIONS", headers: { origin: this.#url.origin, "access-control-request-method": "POST" } },
      ],
      ["GET without a stream", { method: "GET", headers: { ...headers, accept: "application/json" } }],
    ];
  }
}

/** Headers that repeat what is in the body of a stateless request. */
export function statelessHeaders(message: unknown): Readonly<Record<string, string>> {
  if (!isObject(message) || typeof message.method !== "string") return {};
  const params = isObject(message.params) ? message.params : {};
  const name = params.name ?? params.uri ?? params.taskId;
  const region = isObject(params.arguments) ? params.arguments.region : undefined;
  return {
    "mcp-method": message.method,
    ...(typeof name === "string" && { "mcp-name": name }),
    ...(typeof region === "string" && { "mcp-param-region": region }),
  };
}

function headersOf(response: IncomingMessage): Readonly<Record<string, string>> {
  const entries = Object.entries(response.headers).filter(([name]) => !leftOut.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** Text of a response. */
export async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

/** Events of a stream, field by field in their order; comments are left out, which come by the clock. */
export async function* eventsOf(response: IncomingMessage): AsyncGenerator<Readonly<Record<string, string>>> {
  let text = "";
  for await (const chunk of response) {
    text += Buffer.from(chunk).toString();
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = block.split("\n").filter((line) => !line.startsWith(":"));
      if (fields.length > 0) yield Object.fromEntries(fields.map(readField));
    }
  }
}

function readField(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(":");
  return colon === -1 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}

function parse(text: string): Message {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
