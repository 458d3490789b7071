import { once, type EventEmitter } from "node:events";
import { connect as connectSocket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { createRandom, pick, type Random } from "../kit/random.ts";
import { handshakeRevisions } from "../kit/revisions.ts";
import { openStream, send } from "../kit/http-exchange.ts";
import { initialize, initialized } from "../kit/messages.ts";
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
type Leave = (url: string, revision: string) => Promise<void>;

interface Case {
  readonly name: string;
  readonly transport: "http" | "websocket" | "tcp";
  readonly ways: readonly Leave[];
}

const cases: readonly Case[] = [
  { name: "HTTP", transport: "http", ways: [endHttp, dropHttp, abandonHttp, cutHttp] },
  { name: "HTTP with SSE", transport: "http", ways: [dropSse, dropSse, dropSse, abandonSse] },
  {
    name: "WebSocket",
    transport: "websocket",
    ways: [endWebSocket, endWebSocket, dropWebSocket, dropWebSocket, abandonWebSocket],
  },
  { name: "TCP", transport: "tcp", ways: [endTcp, endTcp, dropTcp, dropTcp, abandonTcp] },
];

/** Sessions that are opened at the same time. */
const atOnce = 100;

/** Milliseconds that an abandoned session lives, that a client has for its first message, and that a call may take. */
const limits = { sessionTtl: 10_000, handshakeTimeout: 5_000, handlerTimeout: 5_000 };

/** The short form opens all sessions at once, beside other parts of the campaign: their first messages take seconds. */
const shortLimits: typeof limits = { sessionTtl: 30_000, handshakeTimeout: 15_000, handlerTimeout: 1_000 };

export async function run(options: PartOptions): Promise<CampaignResult> {
  const { seed, isShort, count = isShort ? 60 : 10_000 } = options;
  const started = startRun("sessions", options);
  const program = await buildProgram();
  const failures = new Failures();
  try {
    const runOne = (each: Case): Promise<readonly Figure[]> =>
      runCase(each, { program, count, random: createRandom(seed), failures, isShort });
    // One after the other: this process has to keep up. A few sessions are no work.
    const figures = isShort ? await Promise.all(cases.map(runOne)) : await runInTurn(runOne);
    return started.finish(figures.flat(), failures.describe());
  } finally {
    program.remove();
  }
}

async function runInTurn(runOne: (each: Case) => Promise<readonly Figure[]>): Promise<readonly (readonly Figure[])[]> {
  const figures: (readonly Figure[])[] = [];
  for (const each of cases) figures.push(await runOne(each));
  return figures;
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
  const { sessionTtl: ttl, ...times } = isShort ? shortLimits : limits;
  const wait = isShort ? 0 : 2 * ttl + 6_000;
  const settings = { transport, sessionTtl: ttl, ...times, maxSessions: 2 * count + 1_000 };
  const server = await ServerProcess.start(program, settings);
  const url = name.endsWith("SSE") ? new URL("/sse", server.url).href : server.url;
  const leave = (): Promise<void> =>
    pick(ways, random)(url, pick(handshakeRevisions, random).id).catch((error: unknown) =>
      failures.add(`a session over ${name}`, error),
    );
  try {
    const other = await watchOther(server.url, (error) => failures.add(`another client over ${name}`, error));
    await repeat(Math.ceil(count / 20), leave);
    await sleep(wait);
    const before = await server.request({ kind: "measure" });
    await repeat(count, leave);
    const peak = await server.request({ kind: "measure" });
    await sleep(wait);
    const after = await server.request({ kind: "measure" });
    const calls = await other.stop();
    const grown = (later: typeof before): number => (later.heap + later.external - before.heap - before.external) / 1e6;
    return [
      describeFigure(`${name}: sessions`, count, ""),
      describeFigure(`${name}: memory more at the end of the last session`, grown(peak), "MB"),
      atMost(`${name}: memory more after their time`, grown(after), { limit: 10, unit: "MB" }),
      exactly(`${name}: descriptors more`, Math.max(0, after.descriptors - before.descriptors), {
        limit: 0,
        unit: "descriptors",
      }),
      describeFigure(`${name}: calls of another client meanwhile`, calls, ""),
    ];
  } finally {
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

/** Each request has a connection of its own: a kept one may be closed by the server while the next request is sent. */
async function openHttp(url: string, revision: string): Promise<Record<string, string>> {
  const { status, headers, text } = await send(url, undefined, { body: initialize(revision) });
  const id = headers["mcp-session-id"];
  if (status !== 200 || typeof id !== "string") throw new Error(`initialize has the response ${status} ${text}`);
  const fields = { "mcp-session-id": id, "mcp-protocol-version": revision };
  const confirmed = await send(url, undefined, { body: initialized, headers: fields });
  if (confirmed.status !== 202) throw new Error(`initialized has the response ${confirmed.status} ${confirmed.text}`);
  return fields;
}

async function endHttp(url: string, revision: string): Promise<void> {
  const headers = await openHttp(url, revision);
  const { status } = await send(url, undefined, { method: "DELETE", headers });
  if (status >= 300) throw new Error(`DELETE has the response ${status}`);
}

async function dropHttp(url: string, revision: string): Promise<void> {
  const headers = await openHttp(url, revision);
  const stream = await openStream(url, { method: "GET", headers });
  if (stream.status !== 200) throw new Error(`GET has the response ${stream.status}`);
  stream.cut();
}

async function abandonHttp(url: string, revision: string): Promise<void> {
  await openHttp(url, revision);
}

/** Breaks off the connection in the middle of a call, and does not return. The call goes on to its time limit, and the session with it. */
async function cutHttp(url: string, revision: string): Promise<void> {
  const headers = await openHttp(url, revision);
  const params = { name: "hang", arguments: {}, _meta: { progressToken: 1 } };
  const stream = await openStream(url, { body: { jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers });
  await stream.next();
  stream.cut();
}

async function dropSse(url: string): Promise<void> {
  const stream = await openStream(url, { method: "GET" });
  const { data } = await stream.next();
  const { status, text } = await send(url, undefined, { path: data, body: initialize("2024-11-05") });
  if (status !== 202) throw new Error(`initialize has the response ${status} ${text}`);
  await stream.next();
  stream.cut();
}

/** Sends no message: the server ends the stream. */
async function abandonSse(url: string): Promise<void> {
  const stream = await openStream(url, { method: "GET" });
  await stream.end();
}

async function openWebSocket(url: string, revision: string): Promise<WebSocket> {
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

async function endWebSocket(url: string, revision: string): Promise<void> {
  const socket = await openWebSocket(url, revision);
  socket.close();
  await once(socket, "close");
}

async function dropWebSocket(url: string, revision: string): Promise<void> {
  (await openWebSocket(url, revision)).terminate();
}

/** Sends no message: the server closes the connection. */
async function abandonWebSocket(url: string): Promise<void> {
  await once(new WebSocket(url, ["mcp.v1"]), "close");
}

async function openTcp(url: string, revision: string): Promise<ReturnType<typeof connectSocket>> {
  const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
  socket.write(`${JSON.stringify(initialize(revision))}\n`);
  await arrive(socket, "data");
  return socket;
}

async function endTcp(url: string, revision: string): Promise<void> {
  const socket = await openTcp(url, revision);
  socket.end().resume();
  await once(socket, "close");
}

async function dropTcp(url: string, revision: string): Promise<void> {
  (await openTcp(url, revision)).resetAndDestroy();
}

/** Sends half of a message: the server closes the connection. */
async function abandonTcp(url: string): Promise<void> {
  const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
  socket.write('{"jsonrpc":');
  await once(socket.resume(), "close");
}
