import { once, type EventEmitter } from "node:events";
import { Agent } from "node:http";
import { connect as connectSocket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { createRandom, pick, type Random } from "../oracle/random.ts";
import { handshakeRevisions } from "../runtime/fixture-revision.ts";
import { openStream, send } from "../runtime/transport/http-server/http-rig.ts";
import { initialize, initialized } from "../runtime/wire.ts";
import {
  atMost,
  describeFigure,
  exactly,
  startRun,
  type CampaignResult,
  type Figure,
  type PartOptions,
} from "./result.ts";
import { buildProgram, ServerProcess, type ServerProgram } from "./server/server-process.ts";
import { Failures } from "./soak/failures.ts";
import { createUrlPlace } from "./soak/places.ts";
import { LoadSessions } from "./soak/sessions.ts";

/*
 * Sessions that end in every way: by their clients, by broken connections, or never. The memory of the server returns to its value before. A client
 * that behaves well is served all the time.
 */

/** Opens a session at a URL, and leaves it in some way. */
type Leave = (url: string, visit: Visit) => Promise<void>;

interface Visit {
  readonly revision: string;
  readonly agent: Agent;
}

interface Case {
  readonly name: string;
  readonly transport: "http" | "websocket" | "tcp";
  readonly ways: readonly Leave[];
}

const cases: readonly Case[] = [
  { name: "HTTP", transport: "http", ways: [endHttp, dropHttp, abandonHttp, cutHttp] },
  { name: "HTTP with SSE", transport: "http", ways: [dropSse, abandonSse] },
  { name: "WebSocket", transport: "websocket", ways: [endWebSocket, dropWebSocket, abandonWebSocket] },
  { name: "TCP", transport: "tcp", ways: [endTcp, dropTcp, abandonTcp] },
];

/** Sessions that are opened at the same time. */
const atOnce = 200;

/** Milliseconds that an abandoned session lives. For its first message a client has a fourth of it. */
const sessionTtl = 20_000;

export async function run({ seed, isShort, count = isShort ? 150 : 10_000 }: PartOptions): Promise<CampaignResult> {
  const started = startRun("sessions", seed);
  const program = await buildProgram();
  const failures = new Failures();
  try {
    const figures = await Promise.all(
      cases.map((each) => runCase(each, { program, count, random: createRandom(seed), failures, isShort })),
    );
    return started.finish(figures.flat(), failures.describe());
  } finally {
    program.remove();
  }
}

interface CaseOptions {
  readonly program: ServerProgram;
  readonly count: number;
  readonly random: Random;
  readonly failures: Failures;
  readonly isShort: boolean;
}

async function runCase(
  { name, transport, ways }: Case,
  { program, count, random, failures, isShort }: CaseOptions,
): Promise<readonly Figure[]> {
  const ttl = isShort ? 2_000 : sessionTtl;
  const settings = { transport, sessionTtl: ttl, handshakeTimeout: ttl / 4, maxSessions: 2 * count + 1_000 };
  const server = await ServerProcess.start(program, settings);
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const url = name.endsWith("SSE") ? new URL("/sse", server.url).href : server.url;
  const leave = (): Promise<void> =>
    pick(ways, random)(url, { revision: pick(handshakeRevisions, random).id, agent }).catch((error: unknown) =>
      failures.add(`a session over ${name}`, error),
    );
  try {
    const other = await watchOther(server.url, (error) => failures.add(`another client over ${name}`, error));
    await repeat(Math.min(count, 500), leave);
    await sleep(2 * ttl);
    const before = await server.ask({ kind: "measure" });
    await repeat(count, leave);
    const peak = await server.ask({ kind: "measure" });
    await sleep(2 * ttl);
    agent.destroy();
    await sleep(isShort ? 0 : 6_000);
    const after = await server.ask({ kind: "measure" });
    const calls = await other.stop();
    const grown = (later: typeof before): number => (later.heap + later.external - before.heap - before.external) / 1e6;
    return [
      describeFigure(`${name}: sessions`, count, ""),
      describeFigure(`${name}: memory more at the end of the last session`, grown(peak), "MB"),
      atMost(`${name}: memory more after their time`, grown(after), { limit: 10, unit: "MB" }),
      // Connections that the agent keeps are closed in between.
      exactly(`${name}: descriptors more`, Math.max(0, after.descriptors - before.descriptors), { limit: 0, unit: "" }),
      describeFigure(`${name}: calls of another client meanwhile`, calls, ""),
    ];
  } finally {
    agent.destroy();
    await server.kill();
  }
}

/** Runs something so many times, some of them at once. */
async function repeat(count: number, run: () => Promise<void>): Promise<void> {
  let left = count;
  const next = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await run();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}

/** Calls the server every 50 ms in a session of its own. `stop` returns the number of calls. */
async function watchOther(
  url: string,
  fail: (error: unknown) => void,
): Promise<{ readonly stop: () => Promise<number> }> {
  const place = createUrlPlace(url);
  const session = await new LoadSessions(place).connect(place.connect, "2025-11-25");
  let isStopped = false;
  let calls = 0;
  const work = async (): Promise<void> => {
    for (; !isStopped; calls += 1) {
      await session.callTool("echo", { text: String(calls) }).catch(fail);
      await sleep(50);
    }
  };
  const done = work();
  return {
    async stop() {
      isStopped = true;
      await done;
      await session.close();
      return calls;
    },
  };
}

async function openHttp(url: string, { revision, agent }: Visit): Promise<Record<string, string>> {
  const { status, headers, text } = await send(url, agent, { body: initialize(revision) });
  const id = headers["mcp-session-id"];
  if (status !== 200 || typeof id !== "string") throw new Error(`initialize has the response ${status} ${text}`);
  const fields = { "mcp-session-id": id, "mcp-protocol-version": revision };
  const confirmed = await send(url, agent, { body: initialized, headers: fields });
  if (confirmed.status !== 202) throw new Error(`initialized has the response ${confirmed.status} ${confirmed.text}`);
  return fields;
}

async function endHttp(url: string, visit: Visit): Promise<void> {
  const headers = await openHttp(url, visit);
  const { status } = await send(url, visit.agent, { method: "DELETE", headers });
  if (status >= 300) throw new Error(`DELETE has the response ${status}`);
}

async function dropHttp(url: string, visit: Visit): Promise<void> {
  const headers = await openHttp(url, visit);
  const stream = await openStream(url, { method: "GET", headers });
  if (stream.status !== 200) throw new Error(`GET has the response ${stream.status}`);
  stream.cut();
}

async function abandonHttp(url: string, visit: Visit): Promise<void> {
  await openHttp(url, visit);
}

/** Breaks off the connection in the middle of a call, and does not return. */
async function cutHttp(url: string, visit: Visit): Promise<void> {
  const headers = await openHttp(url, visit);
  const params = { name: "hang", arguments: {}, _meta: { progressToken: 1 } };
  const stream = await openStream(url, { body: { jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers });
  await stream.next();
  stream.cut();
}

async function dropSse(url: string, { agent }: Visit): Promise<void> {
  const stream = await openStream(url, { method: "GET" });
  const { data } = await stream.next();
  const { status, text } = await send(url, agent, { path: data, body: initialize("2024-11-05") });
  if (status !== 202) throw new Error(`initialize has the response ${status} ${text}`);
  await stream.next();
  stream.cut();
}

/** Sends no message: the server ends the stream. */
async function abandonSse(url: string): Promise<void> {
  const stream = await openStream(url, { method: "GET" });
  await stream.end();
}

async function openWebSocket(url: string, { revision }: Visit): Promise<WebSocket> {
  const socket = new WebSocket(url, ["mcp.v1"]);
  await once(socket, "open");
  socket.send(JSON.stringify(initialize(revision)));
  await arrive(socket, "message");
  return socket;
}

/** Waits for an event. Rejects when the server closes the connection first. */
async function arrive(socket: EventEmitter, event: string): Promise<void> {
  const closed = new AbortController();
  socket.once("close", () => closed.abort(new Error(`The connection was closed before the event ${event}`)));
  await once(socket, event, { signal: closed.signal });
}

async function endWebSocket(url: string, visit: Visit): Promise<void> {
  const socket = await openWebSocket(url, visit);
  socket.close();
  await once(socket, "close");
}

async function dropWebSocket(url: string, visit: Visit): Promise<void> {
  (await openWebSocket(url, visit)).terminate();
}

/** Sends no message: the server closes the connection. */
async function abandonWebSocket(url: string): Promise<void> {
  await once(new WebSocket(url, ["mcp.v1"]), "close");
}

async function openTcp(url: string, { revision }: Visit): Promise<ReturnType<typeof connectSocket>> {
  const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
  socket.write(`${JSON.stringify(initialize(revision))}\n`);
  await arrive(socket, "data");
  return socket;
}

async function endTcp(url: string, visit: Visit): Promise<void> {
  const socket = await openTcp(url, visit);
  socket.end().resume();
  await once(socket, "close");
}

async function dropTcp(url: string, visit: Visit): Promise<void> {
  (await openTcp(url, visit)).resetAndDestroy();
}

/** Sends half of a message: the server closes the connection. */
async function abandonTcp(url: string): Promise<void> {
  const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
  socket.write('{"jsonrpc":');
  await once(socket.resume(), "close");
}
