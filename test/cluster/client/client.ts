import { setTimeout as sleep } from "node:timers/promises";
import { pick, type Random } from "../../kit/random.ts";
import type { HistoryLine, HistoryLog } from "../history.ts";
import { isTemporary, readBody, send, sessionRevision, type ClientRequest, type HttpResponse } from "./http.ts";
import { isResponse, parseMessage, type Message } from "./message.ts";
import { readEvents } from "./sse.ts";

/** Options of a test client. */
export interface ClientOptions {
  /** URL of the balancer. */
  readonly url: string;
  /** Name of the client, unique in the history. */
  readonly name: string;
  readonly principal: string;
  readonly log: HistoryLog;
  readonly random: Random;
}

/** Options of a call. */
export interface CallOptions {
  /** Cut this many of its connections, each after a random number of bytes. Default 0. */
  readonly cuts?: number;
  /** Receives the requests of the server that come with the call. */
  readonly onRequest?: (message: Message) => void;
  /** Called once the response has begun: the call runs. */
  readonly onRunning?: () => void;
  /** Id of the request. Default: the next one. */
  readonly id?: number;
  /** Members of the params beside name and arguments. */
  readonly params?: object;
}

/** How long a client tries to get a response to a call. */
const patience = 60_000;

/** Milliseconds from the end of a call that is given up to the end of its connections. */
const abandonTime = 5_000;

/** Client of one session. It uses nothing of the product, resumes every stream, and writes what it does into the history. */
export class TestClient {
  readonly #options: ClientOptions;
  readonly session: string;
  readonly #abandoned = new Set<string>();
  readonly #firstEvents = new Map<string, string>();
  /** Controllers that abort the connections of calls. */
  readonly #controllers = new Map<string, AbortController>();
  #lastId = 0;
  #connections = 0;
  #isEnded = false;

  constructor(options: ClientOptions, session: string) {
    this.#options = options;
    this.session = session;
  }

  get name(): string {
    return this.#options.name;
  }

  get random(): Random {
    return this.#options.random;
  }

  /** Id that the next call would have. */
  takeId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  keyOf(id: number): string {
    return `${this.name}/${id}`;
  }

  write(line: Omit<HistoryLine, "t" | "client" | "principal" | "session">): void {
    const { name, principal, log } = this.#options;
    log.add({ client: name, principal, session: this.session, ...line });
  }

  /** Sends one request of this session, or with other ids. */
  send(request: Pick<ClientRequest, "method"> & Partial<ClientRequest>): Promise<HttpResponse | undefined> {
    const { url, principal } = this.#options;
    return send({ url, principal, session: this.session, ...request });
  }

  /** Sends a message until it is accepted, or rejected for good. Writes it into the history. */
  async deliver(op: HistoryLine["op"], id: string, message: object): Promise<HttpResponse | undefined> {
    this.write({ phase: "call", op, id, value: JSON.stringify(message) });
    const deadline = Date.now() + patience;
    let response = await this.send({ method: "POST", message });
    while (isTemporary(response) && Date.now() < deadline && !this.#isEnded) {
      await sleep(100 + this.random() * 200);
      response = await this.send({ method: "POST", message });
    }
    const value = response ? await readMessage(response) : "";
    const outcome = response ? toOutcome(response, message, parseMessage(value)) : "unknown";
    this.write({ phase: "return", op, id, outcome, value, ...(response && { status: response.status }) });
    return response;
  }

  /** Calls a tool, and returns the response to it; `undefined` when there is none. */
  async call(tool: string, args: object, options: CallOptions = {}): Promise<Message | undefined> {
    const id = options.id ?? this.takeId();
    const key = this.keyOf(id);
    const params = { name: tool, arguments: { ...args, key }, _meta: { progressToken: key }, ...options.params };
    const message = { jsonrpc: "2.0", id, method: "tools/call", params };
    this.write({ phase: "call", op: "call", id: key, value: JSON.stringify({ tool, ...args }) });
    const end = (line: Pick<HistoryLine, "outcome" | "value" | "status">): void =>
      this.write({ phase: "return", op: "call", id: key, ...line });
    const cuts = { left: options.cuts ?? 0 };
    const signal = this.signalOf(key);
    const response = await this.send({ method: "POST", message, cut: this.takeCut(key, cuts), signal });
    if (!response) return void end({ outcome: "unknown", value: "the connection failed" });
    const { status } = response;
    if (!response.ok)
      return void end({ outcome: status === 502 ? "unknown" : "fail", status, value: await readBody(response) });
    options.onRunning?.();
    const stream = new CallStream(this, key, options);
    const result = isStream(response) ? await stream.follow(response, cuts) : parseMessage(await readBody(response));
    const value = result ? JSON.stringify(result) : (stream.problem ?? "the connection broke");
    const outcome = isResponse(result) ? "ok" : stream.isRejected ? "fail" : "unknown";
    end({ outcome, value, status: stream.status ?? status });
    return result;
  }

  /** Reads the stored stream of a call again from its first event, on whichever node: all readers see the same events. */
  async reread(id: number): Promise<void> {
    const first = this.#firstEvents.get(this.keyOf(id));
    if (first === undefined) return;
    const stopped = new AbortController();
    const timer = setTimeout(() => stopped.abort(), abandonTime);
    const response = await this.send({ method: "GET", lastEventId: first, signal: stopped.signal });
    if (!response?.ok) return void (response && (await readBody(response)));
    const connection = this.newConnection();
    await readStream(response, (event, value) => {
      const line = { phase: "event", op: "event", id: this.keyOf(id), value, connection } as const;
      this.write({ ...line, ...(event !== undefined && { event }) });
    });
    clearTimeout(timer);
  }

  /** Remembers the first event of a call. */
  noteEvent(key: string, event: string): void {
    if (!this.#firstEvents.has(key)) this.#firstEvents.set(key, event);
  }

  /** Aborts the connections of a call. */
  abort(key: string): void {
    this.#controllers.get(key)?.abort();
  }

  /** Signal that aborts the connections of a call some time after the client has given it up. */
  signalOf(key: string): AbortSignal {
    const controller = this.#controllers.get(key) ?? new AbortController();
    this.#controllers.set(key, controller);
    return controller.signal;
  }

  #abortLater(keys: readonly string[]): void {
    setTimeout(() => keys.forEach((key) => this.abort(key)), abandonTime).unref();
  }

  /** Cancels a call. Its response is no longer waited for. */
  async cancel(id: number): Promise<void> {
    this.#abandoned.add(this.keyOf(id));
    const params = { requestId: id, reason: "test" };
    await this.deliver("cancel", this.keyOf(id), { jsonrpc: "2.0", method: "notifications/cancelled", params });
    this.#abortLater([this.keyOf(id)]);
  }

  /** Responds to a request of the server. */
  async respond(key: string, request: Message, value: string): Promise<void> {
    const result = { action: "accept", content: { answer: value } };
    await this.deliver("answer", key, { jsonrpc: "2.0", id: request.id, result });
  }

  /** Ends the session. */
  async end(): Promise<void> {
    this.write({ phase: "call", op: "end", id: this.session });
    const deadline = Date.now() + patience;
    let response = await this.send({ method: "DELETE" });
    while (isTemporary(response) && Date.now() < deadline) {
      await sleep(200);
      response = await this.send({ method: "DELETE" });
    }
    this.#isEnded = true;
    this.#abortLater([...this.#controllers.keys()]);
    const outcome = response === undefined ? "unknown" : response.ok || response.status === 404 ? "ok" : "fail";
    this.write({ phase: "return", op: "end", id: this.session, outcome, ...(response && { status: response.status }) });
  }

  /** True if the client has given up a call, or the session. */
  isAbandoned(key: string): boolean {
    return this.#isEnded || this.#abandoned.has(key);
  }

  newConnection(): string {
    this.#connections += 1;
    return `${this.name}#${this.#connections}`;
  }

  /** Returns the number of bytes for the next connection, as long as cuts are left. */
  takeCut(key: string, cuts: { left: number }): number | undefined {
    if (cuts.left <= 0) return undefined;
    cuts.left -= 1;
    const bytes = 1 + Math.floor(this.random() ** 2 * 3_000);
    this.write({ phase: "event", op: "cut", id: key, value: String(bytes) });
    return bytes;
  }
}

/** Stream of the response to a call, over all its connections. */
class CallStream {
  readonly #client: TestClient;
  readonly #key: string;
  readonly #options: CallOptions;
  #lastEventId: string | undefined;
  #response: Message | undefined;
  problem: string | undefined;
  status: number | undefined;
  isRejected = false;

  constructor(client: TestClient, key: string, options: CallOptions) {
    this.#client = client;
    this.#key = key;
    this.#options = options;
  }

  /** Reads the stream to its response, and resumes it whenever its connection ends before. */
  async follow(first: HttpResponse, cuts: { left: number }): Promise<Message | undefined> {
    const deadline = Date.now() + patience;
    const timer = setTimeout(() => this.#client.abort(this.#key), patience);
    try {
      await this.#read(first);
      return await this.#resumeUntil(deadline, cuts);
    } finally {
      clearTimeout(timer);
    }
  }

  async #resumeUntil(deadline: number, cuts: { left: number }): Promise<Message | undefined> {
    while (!this.#response && !this.isRejected && !this.#client.isAbandoned(this.#key)) {
      if (this.#lastEventId === undefined)
        return void (this.problem = "the connection broke before the first event id");
      if (Date.now() >= deadline) return this.#reject("no response came in time", undefined);
      await sleep(this.#client.random() * 150);
      await this.#resume(cuts);
    }
    return this.#response;
  }

  async #resume(cuts: { left: number }): Promise<void> {
    const lastEventId = this.#lastEventId ?? "";
    const line = { op: "resume", id: this.#key, value: lastEventId } as const;
    this.#client.write({ phase: "call", ...line });
    const response = await this.#client.send({
      method: "GET",
      lastEventId,
      cut: this.#client.takeCut(this.#key, cuts),
      signal: this.#client.signalOf(this.#key),
    });
    const isAccepted = response !== undefined && response.ok;
    const outcome = isAccepted ? "ok" : response ? "fail" : "unknown";
    this.#client.write({ phase: "return", ...line, outcome, ...(response && { status: response.status }) });
    if (isAccepted) return this.#read(response);
    const text = response ? await readBody(response) : "";
    if (response && !isTemporary(response)) this.#reject(`resumption was rejected: ${text}`, response.status);
  }

  async #read(response: HttpResponse): Promise<void> {
    const connection = this.#client.newConnection();
    await readStream(response, (id, data) => {
      if (id !== undefined) this.#client.noteEvent(this.#key, id);
      if (id !== undefined) this.#lastEventId = id;
      const event = id === undefined ? {} : { event: id };
      this.#client.write({ phase: "event", op: "event", id: this.#key, value: data, connection, ...event });
      const message = parseMessage(data);
      if (isResponse(message)) this.#response = message;
      else if (message?.id !== undefined) this.#options.onRequest?.(message);
    });
  }

  #reject(problem: string, status: number | undefined): undefined {
    this.problem = problem;
    this.status = status;
    this.isRejected = true;
    return undefined;
  }
}

function isStream(response: HttpResponse): boolean {
  return response.headers["content-type"]?.startsWith("text/event-stream") ?? false;
}

/** Reads the events of a response until its end, or until the connection breaks. */
export async function readStream(
  response: HttpResponse,
  onEvent: (id: string | undefined, data: string, retry: number | undefined) => void,
): Promise<void> {
  try {
    for await (const { id, data, retry } of readEvents(response.body)) onEvent(id, data, retry);
  } catch {
    // A broken connection is what the tests are about: what came before counts.
  }
}

/** Reads the message in the body of a response: that of the last event, if it is a stream. Empty when the connection breaks before. */
async function readMessage(response: HttpResponse): Promise<string> {
  if (!isStream(response)) return readBody(response);
  let last = "";
  await readStream(response, (_id, data) => (last = data));
  return last;
}

/** A connection may break before the response to a request, and a request may be rejected by an error with the status 200. */
function toOutcome(
  { ok }: HttpResponse,
  sent: object,
  response: Message | undefined,
): NonNullable<HistoryLine["outcome"]> {
  const isRequest = "id" in sent && "method" in sent;
  if (ok && isRequest && !isResponse(response)) return "unknown";
  return ok && response?.error === undefined ? "ok" : "fail";
}

/** Opens a session. Tries until a node accepts it. */
export async function openClient(options: ClientOptions): Promise<TestClient> {
  const { url, name: client, principal, log } = options;
  const params = {
    protocolVersion: sessionRevision,
    capabilities: { elicitation: { form: {} } },
    clientInfo: { name: client, version: "1" },
  };
  const deadline = Date.now() + patience;
  log.add({ phase: "call", op: "open", id: client, client, principal });
  while (Date.now() < deadline) {
    const message = { jsonrpc: "2.0", id: 0, method: "initialize", params };
    const response = await send({ url, method: "POST", principal, message });
    const session = response?.headers["mcp-session-id"];
    const text = response ? await readBody(response) : "";
    if (response?.ok && typeof session === "string") {
      log.add({ phase: "return", op: "open", id: client, client, principal, session, outcome: "ok", value: text });
      const opened = new TestClient(options, session);
      const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
      const accepted = await opened.send({ method: "POST", message: initialized });
      if (accepted) await readBody(accepted);
      return opened;
    }
    await sleep(pick([100, 200, 300], options.random));
  }
  throw new Error(`No node opened a session for ${client} within ${patience} ms; see the errors of the nodes`);
}
