// Calls of seven principals through a gateway, without and with an eighth that attacks it: open calls, large subscription requests, many
// subscriptions, and states, tasks, cursors and sessions of others. The server is a process of its own, and the attacker a thread: the times are
// those of the gateway, not of what the others compute. From ../dist (run `npm run build` there first).
// Run: node bench/gateway-attack.mjs [--seconds 5] [--only http|stdio] [--era 2025-11-25|2026-07-28]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    only: { type: "string" },
    era: { type: "string" },
    serve: { type: "string" },
    transport: { type: "string" },
  },
});
const own = new URL("../dist/", import.meta.url);
const load = (path) => import(new URL(path, own).href);
const { revisions } = await load("generated/revisions.js");

const legacy = "2025-11-25";
const modern = "2026-07-28";
const form = { message: "Go on?", requestedSchema: { type: "object", properties: {} } };

/** The server behind the gateway. */
async function createUpstream(era) {
  const { createServer } = await load("runtime/server/create-server.js");
  const wait = (_args, { signal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const tools = [
    { name: "quick", execute: () => "done" },
    { name: "endless", execute: wait },
    { name: "asks", execute: async (_args, { elicit }) => String((await elicit(form)).action) },
    { name: "task", task: { support: "required" }, execute: wait },
  ];
  const definition = { name: "target", version: "1", tools, pageSize: 2, subscribe: true, onError: () => {} };
  return createServer(
    { ...definition, resources: [{ uri: "x://a", name: "a", read: () => "a" }] },
    revisions.filter(({ id }) => id === era),
  );
}

async function main() {
  let strangers = 0;
  for (const transport of ["http", "stdio"].filter((name) => (options.only ?? name) === name))
    for (const era of [legacy, modern].filter((id) => (options.era ?? id) === id))
      strangers += await run(transport, era);
  return strangers === 0 ? 0 : 1;
}

/** Measures one combination. Returns the number of tokens and events that a stranger could use. */
async function run(transport, era) {
  const { createGateway, serveGatewayHttp } = await load("runtime/gateway/index.js");
  const { requireApiKey } = await load("runtime/auth/server/api-key.js");
  const args = [new URL(import.meta.url).pathname, "--serve", era, "--transport", transport];
  const upstream = transport === "http" ? await startUpstream(args) : undefined;
  const place = upstream ? { kind: "url", url: upstream.url } : { kind: "command", command: process.execPath, args };
  const gateway = await createGateway(place, { revisions, maxConnections: 32 });
  const names = ["mallory", ...Array.from({ length: 7 }, (_, index) => `user${index}`)];
  const keys = names.map((principal) => ({ principal, key: keyOf(principal) }));
  const listener = await serveGatewayHttp(gateway, { port: 0, authenticate: requireApiKey({ keys }) });
  const others = await Promise.all(names.slice(1).map((name) => openClient(listener.url, era, name)));
  // Connections and programs are opened first.
  await Promise.all(others.map((client) => client.request("tools/call", { name: "quick", arguments: {} })));
  const before = await measure(others);
  const data = { url: listener.url, era, stolen: await steal(others[0]) };
  // `fetch` warns of the many requests that share a signal.
  const own = { workerData: data, argv: process.argv.slice(2), execArgv: ["--no-warnings"] };
  const attack = new Worker(new URL(import.meta.url), own);
  await once(attack, "message");
  const during = await measure(others);
  attack.postMessage("stop");
  const [{ found, attempts }] = await once(attack, "message");
  await listener.close();
  await gateway.close();
  upstream?.process.kill();
  const strangers = Object.values(found).reduce((sum, count) => sum + count, 0);
  const figures = [
    `${before.toFixed(1)} ms alone`,
    `${during.toFixed(1)} ms attacked`,
    `ratio ${(during / before).toFixed(2)}`,
  ];
  console.log(
    `${transport.padEnd(5)} ${era}  p99 ${figures.join(", ")}; usable by a stranger in ${attempts} attempts: ${JSON.stringify(found)}`,
  );
  return strangers;
}

/** Starts the server over HTTP. */
async function startUpstream(args) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [url] = await once(createInterface({ input: child.stdout }), "line");
  return { url, process: child };
}

const keyOf = (principal) => `${principal}-`.padEnd(40, "0");
const seconds = Number(options.seconds);

/** Calls a quick tool for each client, one call after the other. Returns the 99th percentile of the times in milliseconds. */
async function measure(clients) {
  const times = [];
  const end = performance.now() + seconds * 1_000;
  const one = async (client) => {
    while (performance.now() < end) {
      const began = performance.now();
      const { result, error } = await client.request("tools/call", { name: "quick", arguments: {} });
      if (!result) throw new Error(`A call of ${client.name} failed: ${JSON.stringify(error)}`);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(clients.map(one));
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1];
}

async function openClient(url, era, name) {
  const capabilities = { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } };
  const clientInfo = { name, version: "1" };
  const isModern = era === modern;
  let session;
  let count = 0;
  const send = async (method, params, { signal, id, as = session } = {}) => {
    const reserved = "io.modelcontextprotocol/";
    const meta = {
      [`${reserved}protocolVersion`]: era,
      [`${reserved}clientInfo`]: clientInfo,
      [`${reserved}clientCapabilities`]: capabilities,
    };
    const named = params.name ?? params.uri ?? params.taskId;
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "x-api-key": keyOf(name),
      ...((isModern || as) && { "mcp-protocol-version": era }),
      ...(as && { "mcp-session-id": as }),
      ...(isModern && { "mcp-method": method, ...(named !== undefined && { "mcp-name": String(named) }) }),
    };
    const sent = isModern ? { ...params, _meta: { ...params._meta, ...meta } } : params;
    const body = JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params: sent });
    return fetch(url, { method: "POST", headers, body, signal });
  };
  const request = async (method, params = {}, more = {}) => {
    const id = (count += 1);
    const response = await send(method, params, { ...more, id });
    const text = await response.text();
    session ??= response.headers.get("mcp-session-id") ?? undefined;
    const bodies = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, data]) => data);
    const messages = (bodies.length > 0 ? bodies : [text || "{}"]).map((one) => JSON.parse(one));
    return messages.find((message) => message.id === id) ?? { error: { status: response.status }, messages };
  };
  const open = async (method, params, signal, onText = () => {}) => {
    const response = await send(method, params, { signal, id: (count += 1) });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) onText(decoder.decode(chunk, { stream: true }));
  };
  if (!isModern) {
    await request("initialize", { protocolVersion: era, capabilities: { elicitation: {} }, clientInfo });
    await send("notifications/initialized", {});
  }
  return { name, isModern, request, open, sessionId: () => session };
}

/** Collects what belongs to a principal. */
async function steal(victim) {
  const { result: list } = await victim.request("tools/list");
  const call = (name, more = {}) => victim.request("tools/call", { name, arguments: {}, ...more });
  const started = victim.isModern ? await call("task") : await call("task", { task: { ttl: 60_000 } });
  const asked = victim.isModern ? await call("asks") : {};
  return {
    cursor: list?.nextCursor,
    taskId: started.result?.task?.taskId ?? started.result?.taskId,
    asked: asked.result,
    session: victim.sessionId(),
  };
}

class Attack {
  #stopped = new AbortController();
  #found = { states: 0, tasks: 0, cursors: 0, sessions: 0, events: 0 };
  #attempts = 0;
  #mallory;

  constructor(mallory) {
    this.#mallory = mallory;
  }

  stop() {
    this.#stopped.abort();
  }

  /** Attacks until it is stopped. Returns how often something of a stranger could be used. */
  async run(stolen) {
    const forever = async (attempt) => {
      while (!this.#stopped.signal.aborted) {
        await attempt().catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const { signal } = this.#stopped;
    const call = (name) => () => this.#mallory.open("tools/call", { name, arguments: {} }, signal);
    const uris = (count, length) =>
      Array.from({ length: count }, () => `x://${crypto.randomUUID()}${"a".repeat(length)}`);
    const listen = (count, length) => () =>
      this.#mallory.open(
        "subscriptions/listen",
        { notifications: { resourceSubscriptions: uris(count, length) } },
        signal,
      );
    const subscribe = () =>
      Promise.all(uris(50, 1_000).map((uri) => this.#mallory.request("resources/subscribe", { uri }, { signal })));
    const subscriptions = this.#mallory.isModern ? [listen(500, 50), listen(20, 50_000)] : [subscribe];
    await Promise.all([
      ...Array.from({ length: 20 }, () => forever(call("endless"))),
      ...Array.from({ length: 4 }, () => forever(call("asks"))),
      ...subscriptions.map(forever),
      forever(() => this.#use(stolen)),
    ]);
    return { found: this.#found, attempts: this.#attempts };
  }

  async #use({ cursor, taskId, asked, session }) {
    const { signal } = this.#stopped;
    const mallory = this.#mallory;
    const count = (name, { result }) => {
      this.#attempts += 1;
      this.#found[name] += result ? 1 : 0;
    };
    const keys = Object.keys(asked?.inputRequests ?? {});
    const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: "accept", content: {} }]));
    const retry = { name: "asks", arguments: {}, requestState: asked?.requestState, inputResponses };
    const uses = [
      [cursor, "cursors", "tools/list", { cursor }],
      [taskId, "tasks", "tasks/get", { taskId }],
      [session, "sessions", "tools/list", {}, session],
      [asked, "states", "tools/call", retry],
    ];
    const use = async ([given, name, method, params, as]) => {
      if (given) count(name, await mallory.request(method, params, { signal, ...(as && { as }) }));
    };
    await Promise.all([...uses.map(use), ...(taskId && mallory.isModern ? [this.#listen(taskId)] : [])]);
  }

  async #listen(taskId) {
    const brief = new AbortController();
    const timer = setTimeout(() => brief.abort(), 200);
    let text = "";
    const filter = { notifications: { taskIds: [taskId] } };
    await this.#mallory.open("subscriptions/listen", filter, brief.signal, (part) => (text += part)).catch(() => {});
    clearTimeout(timer);
    this.#attempts += 1;
    if (text.includes("notifications/tasks")) this.#found.events += 1;
  }
}

async function serveUpstream(era) {
  const server = await createUpstream(era);
  if (options.transport === "stdio") {
    const { serveStdio } = await load("runtime/server/run/serve-stdio.js");
    return serveStdio(server);
  }
  const { serveHttp } = await load("runtime/server/run/serve-http.js");
  console.log((await serveHttp(server, { port: 0 })).url);
}

/** Attacks in this thread until the main thread says so. */
async function attackFromHere({ url, era, stolen }) {
  const attack = new Attack(await openClient(url, era, "mallory"));
  parentPort.once("message", () => attack.stop());
  parentPort.postMessage("started");
  parentPort.postMessage(await attack.run(stolen));
}

if (!isMainThread) await attackFromHere(workerData);
else if (options.serve !== undefined) await serveUpstream(options.serve);
else process.exitCode = await main();
