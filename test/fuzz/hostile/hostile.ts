import { setTimeout as delay } from "node:timers/promises";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import type { ClientConnection } from "../../../runtime/client/connect.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { connectStdio } from "../../../runtime/client/connect-stdio.ts";
import { createClient, type Client } from "../../../runtime/client/create-client.ts";
import type { ConnectServerOptions } from "../../../runtime/client/connection-factory.ts";
import type { ClientOptions } from "../../../runtime/client/options.ts";
import type { ClientSession } from "../../../runtime/client/session/client-session.ts";
import { isHit, pick } from "../../kit/random.ts";
import { fuzzedFeatures } from "../client-features.ts";
import { HostileServer } from "./server.ts";
import { used } from "../memory.ts";
import type { FuzzRevision } from "../revision.ts";
import type { Revision } from "../../../generated/support.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";

/** Functions of a client under test: those of the sources, or of a bundle. */
export interface ClientLayer {
  createClient(options: ClientOptions<Declarations>): Client<Declarations>;
  readonly connectHttp: typeof connectHttp;
  readonly connectStdio: typeof connectStdio;
  /** Revisions, of which those of an attack are chosen by id. */
  readonly revisions: readonly Revision[];
}

/** The client of the sources. */
export const sourceClient: ClientLayer = { createClient, connectHttp, connectStdio, revisions: handshakeRevisions };

/** Makes hostile servers that clients reach by a transport. */
export interface OpenHostile {
  open(server: HostileServer): {
    readonly source: (options: ConnectServerOptions) => Promise<ClientConnection>;
    close(): void;
  };
  close(): Promise<void>;
}

/** Size and seed of a run. */
export interface AttackOptions {
  readonly revisions: readonly FuzzRevision[];
  readonly messages: number;
  readonly seed: number;
  /** Conversations at a time. */
  readonly atOnce: number;
  /** Default: that of the sources. */
  readonly layer?: ClientLayer;
}

/** Figures of an attack. */
export interface Attack {
  readonly problems: readonly string[];
  readonly messages: number;
  readonly conversations: number;
  /** Conversations whose handshake succeeded. */
  readonly opened: number;
  /** Calls of clients; each has ended. */
  readonly calls: number;
  /** Bytes that are in use after it, more than after its first part. */
  readonly grown: number;
}

/** Sends a number of messages of hostile servers to clients, and returns the problems of the clients. */
export async function attack(hostile: OpenHostile, options: AttackOptions): Promise<Attack> {
  const tally = { messages: 0, conversations: 0, opened: 0, calls: 0 };
  const problems: string[] = [];
  const note = (reason: unknown): void => void problems.push(`unhandled rejection: ${String(reason)}`);
  process.on("unhandledRejection", note);
  const work = async (limit: number): Promise<void> => {
    while ((tally.messages < limit || tally.opened < fewestOpened) && problems.length < mostProblems) {
      const seed = (options.seed + tally.conversations) % 2 ** 31;
      tally.conversations += 1;
      const outcome = await converse(hostile, { layer: sourceClient, ...options }, seed);
      tally.messages += outcome.server.said;
      tally.calls += outcome.calls;
      if (outcome.isOpened) tally.opened += 1;
      problems.push(...outcome.problems.map((problem) => `${problem} (seed ${seed})`));
    }
  };
  const run = async (limit: number): Promise<number> => {
    await Promise.all(Array.from({ length: options.atOnce }, () => work(limit)));
    await delay(50);
    return used();
  };
  try {
    const before = await run(options.messages / 5);
    const grown = (await run(options.messages)) - before;
    return { problems, ...tally, grown };
  } finally {
    process.removeListener("unhandledRejection", note);
    await hostile.close();
  }
}

const mostProblems = 10;

/** Conversations that must get beyond their handshake. */
const fewestOpened = 3;

interface Outcome {
  readonly server: HostileServer;
  readonly problems: readonly string[];
  readonly isOpened: boolean;
  readonly calls: number;
}

type Conversation = Required<Pick<AttackOptions, "layer" | "revisions">>;

async function converse(hostile: OpenHostile, options: Conversation, seed: number): Promise<Outcome> {
  const { revisions } = options;
  const fuzz = revisions[seed % revisions.length];
  if (!fuzz) throw new Error("There is no revision to fuzz.");
  const server = new HostileServer(fuzz, seed);
  const { source, close } = hostile.open(server);
  const problems: string[] = [];
  let calls = 0;
  // Ends a handshake without a response before its timeout.
  const timer = setTimeout(() => server.calm(), 3_000);
  try {
    const session = await within("the handshake", createFuzzedClient(server, options).connect(source)).catch(
      (error: unknown) => problems.push(...findForeign(error)),
    );
    clearTimeout(timer);
    if (typeof session === "number") return { server, problems, isOpened: false, calls };
    calls = await use(session, server, problems);
    await within("the end", session.close()).catch((error: unknown) => problems.push(...findForeign(error)));
    return { server, problems, isOpened: true, calls };
  } finally {
    clearTimeout(timer);
    server.calm();
    for (const [name, count] of server.calls) if (count > 1) problems.push(`${name} was called ${count} times`);
    close();
  }
}

function createFuzzedClient(server: HostileServer, { layer, revisions }: Conversation): Client<Declarations> {
  const isStubborn = isHit(0.5, server.random);
  const ids = new Set(revisions.map(({ revision }) => revision.id));
  return layer.createClient({
    info: { name: "fuzzed", version: "1" },
    revisions: layer.revisions.filter(({ id }) => ids.has(id)),
    timeouts: { initialize: 10_000, request: 10_000, work: 10_000, wait: 10_000, total: 15_000, drain: 0 },
    ...fuzzedFeatures,
    ...(isStubborn && { reconnect: { retry: "safe", initialDelay: 1, maxDelay: 20, attempts: 2 } }),
  });
}

/** Calls all the while, and lets every call end. Every tool is called once, by a name that no list has. */
async function use(session: ClientSession<Declarations>, server: HostileServer, problems: string[]): Promise<number> {
  const calls: Promise<unknown>[] = [];
  const call = (name: string, run: () => Promise<unknown>): void => {
    const ended = Promise.resolve()
      .then(run)
      .catch((error: unknown) => void problems.push(...findForeign(error)));
    calls.push(within(name, ended).catch((error: unknown) => void problems.push(String(error))));
  };
  for (let round = 0; round < rounds; round += 1) {
    const name = `tool-${round}`;
    call(name, () => session.callTool(name, { a: 1 }, { onProgress() {} }));
    const [used, run] = pick(uses, server.random);
    call(used, () => run(session));
    await delay(isHit(0.9, server.random) ? 0 : 10);
  }
  server.calm();
  await Promise.all(calls);
  return calls.length;
}

const rounds = 40;

const uses: readonly (readonly [name: string, run: (session: ClientSession<Declarations>) => Promise<unknown>])[] = [
  ["listTools", (session) => session.listTools({ refresh: true })],
  ["listResources", (session) => session.listResources({ refresh: true })],
  ["listResourceTemplates", (session) => session.listResourceTemplates({ refresh: true })],
  ["listPrompts", (session) => session.listPrompts({ refresh: true })],
  ["readResource", (session) => session.readResource("file:///a")],
  ["getPrompt", (session) => session.getPrompt("greet", { whom: "me" })],
  ["ping", (session) => session.ping()],
  ["setLogLevel", (session) => session.setLogLevel("error")],
  ["subscribe", (session) => session.subscribe("file:///a", () => {})],
];

/** Milliseconds, more than any timeout: a client that takes longer hangs. */
const patience = 50_000;

async function within<Result>(name: string, promise: Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const late = delay(patience, undefined, { signal: controller.signal }).then(() => {
    throw new Hang(`${name} never ended`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    controller.abort();
  }
}

class Hang extends Error {}

/** Errors that a client must never report. */
function findForeign(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [`rejected with ${String(error)}`];
  const isBug =
    error instanceof Hang || ["TypeError", "RangeError", "ReferenceError", "SyntaxError"].includes(error.name);
  return isBug ? [error.stack ?? error.message] : [];
}
