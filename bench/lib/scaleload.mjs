// Load driver of W13, a process of its own: opens sessions and streams, keeps them, and makes calls. Driven over IPC: { do: "sessions", count: 100 }.
// argv[2]: { port, path, source }; `source` is the third byte of the loopback addresses from which streams are opened.
import { Conn, ACCEPT, openSession, request } from "./httpload.mjs";
import { MODERN_META } from "./corpus.mjs";
import { quantile } from "./stats.mjs";

const o = JSON.parse(process.argv[2]);
const LANES = 16;
const sessions = [];
const streams = [];
let closed = 0;

const stateless = { "MCP-Protocol-Version": "2026-07-28" };

async function openConns(count) {
  const conns = Array.from({ length: count }, () => new Conn(o.port));
  await Promise.all(conns.map((conn) => conn.ready()));
  return conns;
}

/** Runs a task `count` times, as many at a time as there are lanes. */
async function inLanes(count, run) {
  let next = 0;
  const lane = async (_, index) => {
    while (next < count) await run(next++, index);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function openSessions({ count }) {
  const conns = await openConns(LANES);
  await inLanes(count, async (_, lane) => void sessions.push(await openSession(conns[lane], o)));
  for (const conn of conns) conn.close();
}

/** Opens a stream. A loopback address as the source has some 28,000 ports: several addresses allow for as many streams as wanted. */
async function openStream(bytes) {
  const conn = new Conn(o.port, "127.0.0.1", `127.0.${o.source}.${1 + (streams.length % 8)}`);
  await conn.ready();
  const { status, text } = await conn.send(bytes, true);
  if (status !== 200) throw new Error(`stream: ${text.slice(0, 300)}`);
  conn.wait = { resolve() {}, reject: () => (closed += 1) };
  streams.push(conn);
}

const openGets = ({ count }) =>
  inLanes(count, (index) => {
    const headers = { ...sessions[index].headers, Accept: "text/event-stream" };
    return openStream(request("GET", o.path, o.port, headers));
  });

const openListens = ({ count }) =>
  inLanes(count, (index) => {
    const params = { notifications: { toolsListChanged: true }, _meta: MODERN_META };
    const body = JSON.stringify({ jsonrpc: "2.0", id: index, method: "subscriptions/listen", params });
    const headers = { ...ACCEPT, ...stateless, "Mcp-Method": "subscriptions/listen" };
    return openStream(request("POST", o.path, o.port, headers, body));
  });

/** A call of a session that is chosen at random, so that memory of most sessions is not in a cache of the processor. */
function call(conn) {
  const { headers } = sessions[Math.floor(Math.random() * sessions.length)];
  const params = { name: "echo", arguments: { text: "hello world" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params });
  return conn.send(request("POST", o.path, o.port, headers, body)).then(({ status, body: text }) => {
    if (status !== 200 || !text.includes("hello world")) throw new Error(`${status} ${text.slice(0, 300)}`);
  });
}

/** Calls one after the other in each lane. */
async function callAll({ count }) {
  const conns = await openConns(LANES);
  await inLanes(count, (_, lane) => call(conns[lane]));
  for (const conn of conns) conn.close();
}

/** Begins calls at a steady rate. A call waits for a free connection, and its time begins when it is due. */
async function callSteadily({ rate, ms }) {
  const free = await openConns(LANES);
  const times = [];
  const waiting = [];
  const began = performance.now();
  const run = async (conn, due) => {
    await call(conn);
    times.push(performance.now() - due);
    const next = waiting.shift();
    if (next === undefined) free.push(conn);
    else await run(conn, next);
  };
  const running = [];
  for (let due = began; due < began + ms; due += 1_000 / rate) {
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
    const conn = free.pop();
    if (conn) running.push(run(conn, due));
    else waiting.push(due);
  }
  await Promise.all(running);
  for (const conn of free) conn.close();
  times.sort((one, other) => one - other);
  return { calls: times.length, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

const commands = {
  sessions: openSessions,
  gets: openGets,
  listens: openListens,
  calls: callAll,
  steady: callSteadily,
  state: () => ({ sessions: sessions.length, streams: streams.length, closed }),
};

process.on("message", async (message) => {
  try {
    process.send({ done: (await commands[message.do](message)) ?? {} });
  } catch (error) {
    process.send({ error: String(error.stack ?? error) });
  }
});
process.send({ done: {} });
