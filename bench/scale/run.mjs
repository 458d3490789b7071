// `npm run bench:scale`: a node of a cluster on Redis compared with one that keeps its state in memory, in the same run and in turn.
// Needs redis-server. The engine, the nodes and the clients share the machine. `--quick`: a fast look, not for reporting.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@redis/client";
import { endProcess, startNode } from "../../test/cluster/processes/processes.ts";
import { startRedis } from "../../test/cluster/processes/redis-process.ts";
import { ACCEPT, Conn, request } from "../lib/httpload.mjs";
import { MODERN_META } from "../lib/corpus.mjs";
import { median, quantile, sorted } from "../lib/stats.mjs";

const known = ["--quick"];
const unknown = process.argv.slice(2).filter((word) => !known.includes(word));
if (unknown.length > 0) {
  console.error(`The option ${unknown[0]} is unknown; use --quick or none`);
  process.exit(2);
}
const isQuick = process.argv.includes("--quick");
const rounds = isQuick ? 2 : 5;
const milliseconds = isQuick ? 600 : 1_500;
const inFlight = 16;

const server = join(import.meta.dirname, "server.ts");
const closers = [];

/** Starts a node; without an engine its state is in memory. */
async function startServer(engine) {
  const env = engine ? { NODE_ENGINE: engine.url } : {};
  const node = await startNode({ args: ["--import", "tsx", server], env });
  closers.push(() => endProcess(node));
  return node;
}

function callBody(name, parameters, meta) {
  const params = { name, arguments: parameters, ...(meta && { _meta: meta }) };
  return JSON.stringify({ jsonrpc: "2.0", id: 11111111, method: "tools/call", params });
}

/** Opens a connection with a session of its own, at 2025-11-25. */
async function openSession(node, capabilities = {}) {
  const { port, pathname: path } = new URL(node.url);
  const conn = new Conn(Number(port));
  await conn.ready();
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "load", version: "1.0.0" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const { status, text } = await conn.send(request("POST", path, port, ACCEPT, body));
  const session = /\r\nmcp-session-id: *([^\r\n]+)/i.exec(text)?.[1];
  if (status !== 200 || !session) throw new Error(`initialize has status ${status}`);
  const headers = { ...ACCEPT, "MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": session };
  const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  await conn.send(request("POST", path, port, headers, initialized));
  return { conn, port, path, headers };
}

async function openStateless(node) {
  const { port, pathname: path } = new URL(node.url);
  const conn = new Conn(Number(port));
  await conn.ready();
  const names = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "echo" };
  return { conn, port, path, headers: { ...ACCEPT, ...names } };
}

/** Kinds of load: how a client is opened, and the body of its calls. */
const loads = {
  session: { open: openSession, body: callBody("echo", { text: "hello world" }) },
  stateless: { open: openStateless, body: callBody("echo", { text: "hello world" }, MODERN_META) },
  stream: { open: openSession, body: callBody("stream", { n: 20, delay: 0 }) },
};

let lastId = 20_000_000;

/** Calls in a loop on each client. Returns calls a second and latencies in milliseconds. */
async function measure(clients, body, time) {
  const latencies = [];
  const begin = performance.now();
  await Promise.all(
    clients.map(async ({ conn, port, path, headers }) => {
      const text = request("POST", path, port, headers, body);
      while (performance.now() - begin < time) {
        const sent = performance.now();
        const response = await conn.send(text.replace("11111111", String((lastId += 1))));
        if (response.status !== 200 || !response.body.includes("hello world"))
          throw new Error(`A call failed: ${response.status} ${response.body.slice(0, 200)}`);
        latencies.push(performance.now() - sent);
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1_000;
  const all = sorted(latencies);
  return { perSecond: latencies.length / seconds, p50: quantile(all, 0.5), p99: quantile(all, 0.99) };
}

/** Measures both nodes in turn, and returns the medians of the rounds. */
async function compare(kind, [memory, shared], count = inFlight) {
  const { open, body } = loads[kind];
  const clients = [];
  for (const node of [memory, shared]) {
    const opened = await Promise.all(Array.from({ length: count }, () => open(node)));
    clients.push(opened);
    await measure(opened, body, milliseconds);
  }
  const found = [[], []];
  for (let round = 0; round < rounds; round += 1)
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0])
      found[index].push(await measure(clients[index], body, milliseconds));
  for (const { conn } of clients.flat()) conn.close();
  const middle = (each, name) => median(each.map((one) => one[name]));
  const [of, by] = found.map((each) => ({
    perSecond: middle(each, "perSecond"),
    p50: middle(each, "p50"),
    p99: middle(each, "p99"),
  }));
  return { memory: of, shared: by, ratio: by.perSecond / of.perSecond };
}

/** Milliseconds from a response of a user, sent to one node, to the result of its call at another. */
async function measureResponses(first, second) {
  const caller = await openSession(first, { elicitation: { form: {} } });
  const { port, pathname: path } = new URL(second.url);
  const responder = new Conn(Number(port));
  await responder.ready();
  const times = [];
  for (let turn = 0; turn < (isQuick ? 30 : 200); turn += 1) {
    const body = callBody("ask", {}).replace("11111111", String((lastId += 1)));
    const headers = { ...caller.headers, "content-type": "application/json" };
    const stream = await fetch(first.url, { method: "POST", headers, body });
    let text = "";
    let sent = 0;
    for await (const chunk of stream.body) {
      text += Buffer.from(chunk).toString();
      const [, asked] = /"id":"([^"]+)","method":"elicitation\/create"/.exec(text) ?? [];
      if (sent > 0 || asked === undefined) continue;
      sent = performance.now();
      const response = JSON.stringify({ jsonrpc: "2.0", id: asked, result: { action: "decline" } });
      void responder.send(request("POST", path, port, caller.headers, response));
    }
    if (!text.includes('"text":"decline"')) throw new Error(`A call has no result: ${text.slice(-200)}`);
    times.push(performance.now() - sent);
  }
  caller.conn.close();
  responder.close();
  const all = sorted(times);
  return { p50: quantile(all, 0.5), p99: quantile(all, 0.99) };
}

/** Commands a second of the client library alone: what a node can do at most, if each call or event takes one command. */
async function measureLibrary({ url }) {
  const client = createClient({ url, RESP: 2, commandOptions: { timeout: 0 } });
  await client.connect();
  const script = await client.sendCommand(["SCRIPT", "LOAD", "return {ARGV[1], 0, {}}"]);
  const counts = [];
  for (let round = 0; round < rounds; round += 1) {
    const begin = performance.now();
    let count = 0;
    const send = async () => {
      while (performance.now() - begin < milliseconds) {
        await client.sendCommand(["EVALSHA", script, "1", "floor", "x".repeat(200), String((count += 1))]);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, send));
    counts.push(count / ((performance.now() - begin) / 1_000));
  }
  client.destroy();
  return median(counts);
}

async function readMemory(redis) {
  const [, bytes] = /used_memory:(\d+)/.exec(await redis.command("INFO", "memory")) ?? [];
  return Number(bytes);
}

/** Bytes of Redis for a session that is idle, and for an event of 256 bytes. */
async function measureMemory(node, redis) {
  const count = isQuick ? 500 : 2_000;
  const empty = await readMemory(redis);
  for (let opened = 0; opened < count; opened += 50) {
    const some = await Promise.all(Array.from({ length: 50 }, () => openSession(node)));
    for (const { conn } of some) conn.close();
  }
  const withSessions = await readMemory(redis);
  const client = await openSession(node);
  const before = await readMemory(redis);
  const text = request("POST", client.path, client.port, client.headers, callBody("stream", { n: 20, delay: 0 }));
  for (let turn = 0; turn < 100; turn += 1) await client.conn.send(text.replace("11111111", String((lastId += 1))));
  const after = await readMemory(redis);
  client.conn.close();
  return { session: (withSessions - empty) / count, event: (after - before) / 100 / 21 };
}

/** Seconds after which the clients of a node that was killed are served again: their streams, and the responses to their calls. */
async function measureLoss(nodes) {
  const [lost, ...others] = nodes;
  const count = isQuick ? 40 : 200;
  const clients = await Promise.all(Array.from({ length: count }, () => openSession(lost)));
  const time = { killed: 0, streams: [], calls: [] };
  const follow = async (client, index, isCall) => {
    let text = "";
    const read = async (node, init) => {
      const response = await fetch(node.url, { ...init, headers: { ...client.headers, ...init.headers } });
      if (!response.ok) throw new Error(`A stream was rejected: ${response.status}`);
      if (time.killed > 0 && !isCall) time.streams.push(performance.now() - time.killed);
      if (time.killed > 0 && !isCall) return;
      try {
        for await (const chunk of response.body) text += Buffer.from(chunk).toString();
      } catch {
        // The connection broke with its node.
      }
    };
    const body = callBody("stream", { n: 200, delay: 100 });
    const json = { "content-type": "application/json" };
    await read(lost, isCall ? { method: "POST", body, headers: json } : { method: "GET" });
    while (isCall ? !/"(result|error)":/.test(text) : time.streams.length < count) {
      const id = [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1];
      const retry = Number([...text.matchAll(/^retry: (\d+)$/gm)].at(-1)?.[1] ?? 1_000);
      await sleep(retry);
      const node = others[index % others.length];
      await read(node, { method: "GET", headers: id === undefined ? {} : { "last-event-id": id } });
      if (!isCall) return;
    }
    time.calls.push(performance.now() - time.killed);
  };
  const followed = clients.flatMap((client, index) => [follow(client, index, false), follow(client, index, true)]);
  await sleep(2_000);
  lost.child.kill("SIGKILL");
  time.killed = performance.now();
  await Promise.all(followed);
  for (const { conn } of clients) conn.close();
  return { streams: Math.max(...time.streams) / 1_000, calls: Math.max(...time.calls) / 1_000 };
}

/** Formats a row, and says whether a goal is met. */
function toRow({ figure, measured, unit = "", atLeast, atMost }) {
  const goal = atLeast === undefined ? (atMost === undefined ? "" : `≤ ${atMost}`) : `≥ ${atLeast}`;
  const isMet = (atLeast === undefined || measured >= atLeast) && (atMost === undefined || measured <= atMost);
  const digits = measured >= 100 ? 0 : 2;
  return {
    isMet,
    text: `| ${figure} | ${measured.toFixed(digits)}${unit} | ${goal} | ${goal === "" ? "" : isMet ? "yes" : "no"} |`,
  };
}

async function run() {
  const redis = await startRedis();
  closers.push(() => redis.close());
  const memory = await startServer(undefined);
  const shared = [await startServer(redis), await startServer(redis), await startServer(redis)];
  const usage = await measureMemory(shared[0], redis);
  const pair = [memory, shared[0]];
  const alone = await compare("session", pair, 1);
  const session = await compare("session", pair);
  const stateless = await compare("stateless", pair);
  const stream = await compare("stream", pair);
  const library = await measureLibrary(redis);
  const response = await measureResponses(shared[0], shared[1]);
  const loss = await measureLoss([shared[2], shared[0], shared[1]]);
  const rows = [
    { figure: "call in a session, ratio to memory", measured: session.ratio, atLeast: 0.5 },
    { figure: "call in a session, calls a second", measured: session.shared.perSecond },
    {
      figure: "added latency of a call alone, p50",
      measured: alone.shared.p50 - alone.memory.p50,
      unit: " ms",
      atMost: 1.5,
    },
    {
      figure: "added latency of a call alone, p99",
      measured: alone.shared.p99 - alone.memory.p99,
      unit: " ms",
      atMost: 5,
    },
    { figure: "stateless call, ratio to memory", measured: stateless.ratio, atLeast: 0.9 },
    { figure: "call with 20 events, ratio to memory", measured: stream.ratio, atLeast: 0.5 },
    { figure: "events a second", measured: stream.shared.perSecond * 21 },
    { figure: "commands a second of the client library alone", measured: library },
    { figure: "that many events, ratio to memory", measured: library / (stream.memory.perSecond * 21) },
    { figure: "response of a user at another node, p50", measured: response.p50, unit: " ms", atMost: 2 },
    { figure: "response of a user at another node, p99", measured: response.p99, unit: " ms", atMost: 20 },
    { figure: "Redis, bytes of an idle session", measured: usage.session, atMost: 1_024 },
    { figure: "Redis, bytes of an event of 256 bytes", measured: usage.event, atMost: 512 },
    { figure: "node killed: all GET streams are back", measured: loss.streams, unit: " s", atMost: 8 },
    { figure: "node killed: all calls have a response", measured: loss.calls, unit: " s", atMost: 8 },
  ].map(toRow);
  if (rows.some(({ isMet }) => !isMet)) process.exitCode = 1;
  console.log(
    `| figure | measured | goal | met |\n| --- | --- | --- | --- |\n${rows.map(({ text }) => text).join("\n")}`,
  );
}

try {
  await run();
} finally {
  for (const close of closers.reverse()) await close();
}
