import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { isObject } from "../../../generated/support.ts";
import { createRandom, isHit, type Random } from "../../kit/random.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { requestMetadata, meta } from "../../kit/messages.ts";
import { maxMessageBytes, toLine } from "../lines.ts";
import type { FuzzRevision } from "../revision.ts";
import { startRemote } from "./process.ts";
import { things, type RemoteServer } from "./subjects.ts";
import { parseJson } from "../parse-json.ts";

/* Hostile stateless requests to a server in a process of its own, over its standard streams or over HTTP. */

/** Size and seed of a run. */
export interface StatelessFuzzOptions {
  readonly fuzz: FuzzRevision;
  readonly messages: number;
  readonly seed: number;
}

/** One message of a hostile client. */
interface Message {
  /** One line, without its end. */
  readonly line: Uint8Array;
  /** The request in it, if a response must follow. */
  readonly request?: Request;
  /** The id of the request that it cancels. */
  readonly cancelled?: unknown;
}

interface Request {
  readonly id: string | number;
  readonly method: string;
  /** The value of the header `Mcp-Name`. */
  readonly name: unknown;
}

/** Sends messages over the standard streams of a new process, and returns every problem of its responses and of its end. */
export async function fuzzStatelessStdio(
  server: RemoteServer,
  { fuzz, messages, seed }: StatelessFuzzOptions,
): Promise<readonly string[]> {
  const remote = startRemote(server.args, server.env);
  // The end of the process is noticed when it is ended.
  remote.stdin.on("error", () => {});
  const inspector = new Inspector(fuzz);
  const random = createRandom(seed);
  const responses = new Map<unknown, () => void>();
  createInterface({ input: remote.stdout }).on("line", (line) => {
    const message = parseJson(line);
    inspector.see(message, line);
    if (isObject(message)) responses.get(message.id)?.();
  });
  const used: (string | number)[] = [];
  for (let sent = 0; sent < messages; sent += burst) {
    for (const { line, request, cancelled } of createMessages(Math.min(burst, messages - sent), {
      fuzz,
      random,
      used,
    })) {
      if (request) inspector.expect(request);
      if (cancelled !== undefined) inspector.excuse(cancelled);
      remote.stdin.write(Buffer.concat([line, lineFeed]));
    }
    const id = `barrier ${sent}`;
    inspector.expect({ id, method: "server/discover", name: undefined });
    const passed = new Promise<void>((resolve) => responses.set(id, resolve));
    // Begins with the end of a line that was never ended.
    remote.stdin.write(`\n${JSON.stringify(discover(id))}\n`);
    await Promise.race([passed, delay(patience)]);
  }
  for (let waits = 0; inspector.findMissing().length > 0 && waits < 100; waits += 1) await delay(50);
  return [...inspector.conclude(messages), ...(await remote.end())];
}

/** Sends each message as the body of a POST, and returns every problem of the responses. */
export async function fuzzStatelessHttp(
  url: string,
  { fuzz, messages, seed }: StatelessFuzzOptions,
): Promise<readonly string[]> {
  const inspector = new Inspector(fuzz);
  const random = createRandom(seed);
  const used: (string | number)[] = [];
  for (let sent = 0; sent < messages; sent += burst) {
    const made = createMessages(Math.min(burst, messages - sent), { fuzz, random, used });
    await Promise.all(made.map((message) => post(url, message, { inspector, isExact: isHit(0.9, random) })));
  }
  await post(url, toMessage(discover("last")), { inspector, isExact: true });
  return inspector.conclude(messages);
}

interface Posting {
  readonly inspector: Inspector;
  /** True if the headers repeat the members of the message. */
  readonly isExact: boolean;
}

async function post(url: string, { line, request }: Message, { inspector, isExact }: Posting): Promise<void> {
  if (request) inspector.expect(request);
  const text = Buffer.from(line).toString();
  const isListening = request?.method === "subscriptions/listen";
  const init = { method: "POST", headers: toHeaders(isExact ? request : undefined), body: Buffer.from(line) };
  const signal = AbortSignal.timeout(isListening ? 300 : patience);
  try {
    const response = await fetch(url, { ...init, signal });
    if (response.status >= 500) inspector.complain(`status ${response.status}`, text);
    if (request && response.status >= 400) inspector.excuse(request.id);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const body = await response.text();
    for (const message of isStream ? readEvents(body) : [body].filter((one) => one !== ""))
      inspector.see(parseJson(message), message);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? ` (${String(error.cause)})` : "";
    if (!isListening) inspector.complain(`no response, but ${String(error)}${cause}`, text);
  }
}

function toHeaders(request: Request | undefined): Readonly<Record<string, string>> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": statelessRevision.id,
  };
  if (!request) return headers;
  const { method, name } = request;
  const values = Object.entries({ "mcp-method": method, "mcp-name": name });
  return { ...headers, ...Object.fromEntries(values.filter((entry) => isHeaderValue(entry[1]))) };
}

function isHeaderValue(value: unknown): boolean {
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
}

/** Returns the data of each event that has some. */
function readEvents(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line) => line.slice("data: ".length)).filter((data) => data !== "");
}

/** Messages at a time. */
const burst = 20;

/** Milliseconds after which a server hangs. */
const patience = 20_000;

const lineFeed = Buffer.from("\n");

interface Making {
  readonly fuzz: FuzzRevision;
  readonly random: Random;
  /** Ids of earlier requests. */
  readonly used: (string | number)[];
}

function createMessages(count: number, making: Making): readonly Message[] {
  return Array.from({ length: count }, () => createMessage(making));
}

/** Mostly a message with the metadata of a stateless request; sometimes other bytes. */
function createMessage({ fuzz, random, used }: Making): Message {
  const step = { kind: "made", seed: Math.floor(random() * 2 ** 31) } as const;
  const line = toLine(step, { fuzz, role: "client", pending: new Map(), used, things }).subarray(0, -1);
  const value = parseJson(new TextDecoder().decode(line));
  if (!isObject(value)) return { line };
  const { id, method, params = {} } = value;
  if (isId(id)) used.push(id);
  used.splice(0, used.length - 50);
  if (method === "notifications/cancelled" && isObject(params)) return { line, cancelled: params.requestId };
  if (!isObject(params) || id === undefined) return { line };
  const capabilities = isHit(0.5, random) ? { roots: {}, sampling: {}, elicitation: {} } : {};
  return toMessage({ ...value, params: { ...params, _meta: requestMetadata({ [meta.capabilities]: capabilities }) } });
}

function toMessage(value: Readonly<Record<string, unknown>>): Message {
  const line = Buffer.from(JSON.stringify(value));
  const { jsonrpc, id, method, params } = value;
  const isRequest = jsonrpc === "2.0" && isId(id) && typeof method === "string" && method !== "";
  if (!isRequest || "result" in value || "error" in value || line.length > maxMessageBytes) return { line };
  const name = isObject(params) ? (params.name ?? params.uri) : undefined;
  return { line, request: { id, method, name } };
}

function discover(id: string): Readonly<Record<string, unknown>> {
  return { jsonrpc: "2.0", id, method: "server/discover", params: { _meta: requestMetadata() } };
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** Compares responses with requests, and collects problems. */
class Inspector {
  readonly problems: string[] = [];
  /** Number of valid results. */
  results = 0;
  readonly #fuzz: FuzzRevision;
  readonly #requests = new Map<unknown, Request[]>();
  readonly #responses = new Set<unknown>();
  readonly #excused = new Set<unknown>();

  constructor(fuzz: FuzzRevision) {
    this.#fuzz = fuzz;
  }

  expect(request: Request): void {
    this.#requests.set(request.id, [...(this.#requests.get(request.id) ?? []), request]);
  }

  /** Reads a message of the server. */
  see(message: unknown, text: string): void {
    if (Array.isArray(message)) return this.complain("a batch", text);
    if (!isObject(message) || message.jsonrpc !== "2.0") return this.complain("not a message", text);
    const { id, method, result, error } = message;
    if (method !== undefined)
      return id === undefined ? undefined : this.complain("a request of a stateless server", text);
    if ((result === undefined) === (error === undefined)) return this.complain("neither result nor error", text);
    if (isObject(error) && error.code === -32603) this.complain("an internal error", text);
    if (id === undefined || id === null) return;
    this.#responses.add(id);
    const requests = this.#requests.get(id) ?? [];
    if (result === undefined) return;
    if (requests.some((request) => this.#isValid(request, result))) this.results += 1;
    else this.complain("an invalid result", `${JSON.stringify(requests)} ${text}`);
  }

  /** Requests without a response. Streams of notifications have none while they are open. */
  findMissing(): readonly string[] {
    const missing = [...this.#requests.values()].flat().filter(({ id, method }) => {
      return method !== "subscriptions/listen" && !this.#responses.has(id) && !this.#excused.has(id);
    });
    return missing.map((request) => `no response: ${JSON.stringify(request)}`);
  }

  /** Returns every problem. A run in which hardly any request has a result is one, too. */
  conclude(messages: number): readonly string[] {
    const isVoid = this.results < messages / 20;
    return [...this.problems, ...this.findMissing(), ...(isVoid ? [`only ${this.results} results`] : [])];
  }

  /** Allows that a request gets no response under its id. */
  excuse(id: unknown): void {
    this.#excused.add(id);
  }

  #isValid({ method: name }: Request, result: unknown): boolean {
    const method = this.#fuzz.methods.find((one) => one.name === name && one.kind === "request");
    return method !== undefined && this.#fuzz.isValid(method, "result", result);
  }

  complain(problem: string, text: string): void {
    this.problems.push(`${problem}: ${text.slice(0, 1_500)}`);
  }
}
