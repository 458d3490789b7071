import { setTimeout as sleep } from "node:timers/promises";
import { revisions } from "../../generated/revisions.ts";
import type { Declarations } from "../../generated/2025-11-25/index.ts";
import { isObject } from "../../generated/support.ts";
import { connectHttp } from "../../runtime/client/connect-http.ts";
import { connectStdio } from "../../runtime/client/connect-stdio.ts";
import { createClient } from "../../runtime/client/create-client.ts";
import { connect } from "../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";
import type { ClientSession } from "../../runtime/client/session/client-session.ts";
import { createTcpTransport } from "../../runtime/transport/tcp/tcp.ts";
import { createWsTransport } from "../../runtime/transport/websocket/ws-package.ts";
import { createRandom, pick, type Random } from "../kit/random.ts";
import { describeFigure, exactly, startRun, type CampaignResult, type Figure, type PartOptions } from "./result.ts";
import type { ServerSettings } from "./server/commands.ts";
import { buildProgram, ServerProcess, toArguments, type ServerProgram } from "./server/server-process.ts";
import { Failures } from "./soak/failures.ts";

/*
 * Servers that are killed under calls in flight. Every call ends, with a result or an error, and the same client is served again by the next process.
 */

type TransportName = Exclude<ServerSettings["transport"], "memory">;

const transports: readonly TransportName[] = ["stdio", "http", "websocket", "tcp"];

/** Calls in flight at each kill. */
const callsAtOnce = 12;

/** Milliseconds after a kill in which every call has to end. */
const mostTime = 20_000;

type Session = ClientSession<Declarations>;

/** What happened to the calls over one transport. */
interface Counts {
  kills: number;
  results: number;
  errors: number;
  pending: number;
  longest: number;
}

export async function run(options: PartOptions): Promise<CampaignResult> {
  const { seed, isShort, count = isShort ? 8 : 1_000, transport } = options;
  const chosen = transports.filter((name) => transport === undefined || name === transport);
  if (chosen.length === 0)
    throw new Error(`The transport ${transport} has no process; give one of ${transports.join(", ")}`);
  const started = startRun("kill", options);
  const program = await buildProgram();
  const failures = new Failures();
  const share = Math.ceil(count / chosen.length);
  try {
    const all = await Promise.all(
      chosen.map(async (name, index) => {
        const random = createRandom(seed + index);
        return toFigures(name, await killOften(name, { program, count: share, random, failures }));
      }),
    );
    return started.finish(all.flat(), failures.describe());
  } finally {
    program.remove();
  }
}

function toFigures(name: string, { kills, results, errors, pending, longest }: Counts): readonly Figure[] {
  return [
    describeFigure(`${name}: kills under calls in flight`, kills, ""),
    describeFigure(`${name}: calls with a result`, results, ""),
    describeFigure(`${name}: calls with an error`, errors, ""),
    exactly(`${name}: calls that did not end`, pending, { limit: 0, unit: "" }),
    describeFigure(`${name}: longest time from the kill to the end of a call`, longest, "ms"),
  ];
}

interface KillOptions {
  readonly program: ServerProgram;
  readonly count: number;
  readonly random: Random;
  readonly failures: Failures;
}

async function killOften(name: TransportName, { program, count, random, failures }: KillOptions): Promise<Counts> {
  const counts: Counts = { kills: 0, results: 0, errors: 0, pending: 0, longest: 0 };
  const host = await (name === "stdio" ? createStdioHost(program) : createListeningHost(name, program));
  // Half of the clients reconnect to sessions, half have none.
  const ids = ["2025-11-25", "2026-07-28"];
  const clients = await Promise.all(ids.map((id) => openSession(host.connect, id)));
  try {
    for (; counts.kills < count; counts.kills += 1) {
      const session = clients[counts.kills % clients.length];
      if (session) await killOnce(session, { host, counts, random });
    }
  } catch (error) {
    failures.add(`${name}, kill ${counts.kills + 1}`, error);
  } finally {
    await Promise.all(clients.map((session) => session.close()));
    await host.close();
  }
  return counts;
}

interface Killing {
  readonly host: Host;
  readonly counts: Counts;
  readonly random: Random;
}

async function killOnce(session: Session, { host, counts, random }: Killing): Promise<void> {
  const pid = await findPid(session);
  const calls = Array.from({ length: callsAtOnce }, () => begin(session, random));
  const pending = new Set(calls);
  let killedAt = 0;
  for (const call of calls) {
    const end = (outcome: "results" | "errors"): void => {
      counts[outcome] += 1;
      pending.delete(call);
      if (killedAt > 0) counts.longest = Math.max(counts.longest, performance.now() - killedAt);
    };
    call.then(
      () => end("results"),
      () => end("errors"),
    );
  }
  await sleep(random() * 30);
  process.kill(pid, "SIGKILL");
  killedAt = performance.now();
  await host.restart();
  while (pending.size > 0 && performance.now() - killedAt < mostTime) await sleep(5);
  counts.pending += pending.size;
}

/** The client is served again, if necessary after some attempts. */
async function findPid(session: Session): Promise<number> {
  const deadline = performance.now() + mostTime;
  for (;;) {
    try {
      const { content } = await session.callTool("pid", {}, { timeout: 5_000 });
      const [block] = content;
      if (isObject(block) && Number(block.text) > 0) return Number(block.text);
      throw new Error(`The tool pid has the result ${JSON.stringify(content)}`);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(20);
    }
  }
}

/** Begins a call of any kind. */
function begin(session: Session, random: Random): Promise<unknown> {
  const kinds: readonly (() => Promise<unknown>)[] = [
    () => session.callTool("echo", { text: "x".repeat(Math.floor(random() * 1e5)) }),
    () => session.callTool("hang"),
    () => session.callTool("hang", {}, { onProgress: () => {} }),
    () => session.callTool("count", { key: "1", to: 1_000, pause: 1 }),
    () => session.callTool("text", { size: 1e6 }),
    () => session.listTools({ refresh: true }),
    () => session.subscribe(`campaign://item/${Math.floor(random() * 1e9)}`, () => {}),
    () => session.readResource("campaign://item/1"),
  ];
  return pick(kinds, random)();
}

function openSession(source: ConnectionFactory, id: string): Promise<Session> {
  const client = createClient<Declarations>({
    info: { name: "kill", version: "1.0.0" },
    revisions: revisions.filter((revision) => revision.id === id),
    // Every connection is short here: each starts the count of attempts again.
    reconnect: { initialDelay: 5, maxDelay: 200, attempts: 1_000, stableAfter: 0 },
  });
  return client.connect(source);
}

/** Starts servers, and connects to them. */
interface Host {
  readonly connect: ConnectionFactory;
  /** Starts the server again, unless its client does so. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Each client starts its own server, and starts it again. */
async function createStdioHost(program: ServerProgram): Promise<Host> {
  const args = toArguments(program, { transport: "stdio" });
  return {
    connect: (options) => connectStdio({ command: process.execPath, args, stderr: "ignore" }, options),
    restart: async () => {},
    close: async () => {},
  };
}

/** One server for all clients, always at the same port. */
async function createListeningHost(transport: Exclude<TransportName, "stdio">, program: ServerProgram): Promise<Host> {
  let server = await ServerProcess.start(program, { transport });
  const { url } = server;
  const port = Number(new URL(url).port);
  const reconnect = { initialDelay: 5, maxDelay: 200, attempts: 20 };
  const connectTo: Readonly<Record<typeof transport, ConnectionFactory>> = {
    http: (options) => connectHttp(url, { ...options, reconnect }),
    websocket: (options) => connect(createWsTransport(url), options),
    tcp: (options) => connect(createTcpTransport({ port }), options),
  };
  return {
    connect: connectTo[transport],
    async restart() {
      // The port is free once the killed process has ended.
      await server.kill();
      server = await ServerProcess.start(program, { transport, port });
    },
    close: () => server.kill(),
  };
}
