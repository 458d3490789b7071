import { setImmediate as turn } from "node:timers/promises";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { createGateway, type Gateway } from "../../../runtime/gateway/gateway.ts";
import { createRandom, isHit, pick, type Random } from "../../kit/random.ts";
import { requestMetadata, initialize, initialized } from "../../kit/messages.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { FuzzWire } from "../fuzz-wire.ts";
import { createHostileServer, honestTool, type HostileServer } from "./upstream.ts";
import { toLine } from "../lines.ts";
import type { FuzzRevision } from "../revision.ts";
import { parseJson } from "../parse-json.ts";

/** Size and seed of a run through gateways. */
export interface GatewayFuzzOptions {
  readonly revisions: readonly FuzzRevision[];
  readonly messages: number;
  readonly seed: number;
}

/** Outcome of a run. */
export interface GatewayFuzzReport {
  /** Messages of hostile clients and servers. */
  readonly sent: number;
  readonly conversations: number;
  /** Calls of tools that have arrived at a server. */
  readonly calls: number;
  /** Everything that must not be. */
  readonly problems: readonly string[];
}

/** Sends so many messages of hostile clients and servers through gateways. */
export async function fuzzGateways({ revisions: all, messages, seed }: GatewayFuzzOptions): Promise<GatewayFuzzReport> {
  const report = { sent: 0, conversations: 0, calls: 0 };
  const problems: string[] = [];
  const note = (reason: unknown): void => void problems.push(`unhandled rejection: ${String(reason)}`);
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
  try {
    while (report.sent < messages && problems.length === 0) {
      const seeds = Array.from({ length: together }, (_, index) => seed + report.conversations + index);
      const conversations = await Promise.all(seeds.map((one) => converse(createRandom(one), all)));
      for (const [index, { sent, calls, problems: found }] of conversations.entries()) {
        report.sent += sent;
        report.calls += calls;
        problems.push(...found.map((problem) => `seed ${seeds[index]}: ${problem}`));
      }
      report.conversations += together;
    }
  } finally {
    process.removeListener("unhandledRejection", note);
    process.removeListener("uncaughtException", note);
  }
  return { ...report, problems };
}

interface Conversation {
  readonly sent: number;
  readonly calls: number;
  readonly problems: readonly string[];
}

async function converse(random: Random, all: readonly FuzzRevision[]): Promise<Conversation> {
  const isStateless = isHit(0.3, random);
  const fuzz = pick(all, random);
  const server = createHostileServer({ fuzz, random, isStateless });
  const gateway = await createGateway(server.open, { revisions, onError: () => {}, idleTimeout, maxConnections: 8 });
  const clients = Array.from({ length: 3 }, () => new HostileClient(gateway, pick(all, random), random));
  for (let round = 0; round < rounds; round += 1) {
    for (const client of clients) client.sendMessages(perRound);
    await turn();
  }
  for (const client of clients) if (isHit(0.5, random)) client.leave();
  const problems = [...(await findSilence(gateway)), ...findRepeated(server, isStateless)];
  if (!(await within(gateway.close(), longestWait))) problems.push("the gateway does not close");
  const calls = [...server.calls.values()].reduce((sum, count) => sum + count, 0);
  return { sent: 3 * rounds * perRound + server.written, calls, problems };
}

/** Conversations at a time: a gateway that closes waits a second for running calls. */
const together = 16;

/** Turns of the event loop in which clients send, and the messages of each client in one. */
const rounds = 12;
const perRound = 8;

/** Milliseconds after which the gateway gives up a request that its server passes over. */
const idleTimeout = 1_000;

/** Milliseconds after which a gateway counts as hanging. */
const longestWait = 60_000;

/** Maximum number of input required results for one call. */
const mostRounds = 10;

/** Client that opens a valid session, or none, and then sends anything. */
class HostileClient {
  readonly #wire = new FuzzWire();
  readonly #fuzz: FuzzRevision;
  readonly #random: Random;
  readonly #isStateless: boolean;
  #used: (string | number)[] = [];

  constructor(gateway: Gateway, fuzz: FuzzRevision, random: Random) {
    this.#fuzz = fuzz;
    this.#random = random;
    this.#isStateless = isHit(0.4, random);
    gateway.accept(this.#wire);
    const capabilities = { roots: {}, sampling: {}, elicitation: {} };
    if (!this.#isStateless) this.#wire.post(initialize(fuzz.revision.id, capabilities), initialized);
  }

  sendMessages(count: number): void {
    for (let said = 0; said < count; said += 1) this.#wire.write(this.#makeLine());
    this.#used = this.#used.slice(-50);
    this.#wire.sent.length = 0;
    this.#wire.related.length = 0;
  }

  leave(): void {
    this.#wire.end();
  }

  #makeLine(): Uint8Array {
    const step = { kind: "made", seed: Math.floor(this.#random() * 2 ** 31) } as const;
    const outlook = { fuzz: this.#fuzz, role: "client", pending: new Map(), used: this.#used, things: ["a"] } as const;
    const line = toLine(step, outlook);
    const message = parseJson(new TextDecoder().decode(line));
    if (!isObject(message)) return line;
    if (typeof message.id === "string" || typeof message.id === "number") this.#used.push(message.id);
    return new TextEncoder().encode(`${JSON.stringify(this.#mark(message))}\n`);
  }

  /** Numbers calls of tools, so that the server can count them, and adds request metadata to stateless requests. */
  #mark(message: Record<string, unknown>): object {
    if (!isObject(message.params)) return message;
    const { params } = message;
    const isCall = message.method === "tools/call" && isObject(params.arguments ?? {});
    marks += 1;
    return {
      ...message,
      params: {
        ...params,
        ...(isCall && { arguments: { ...(isObject(params.arguments) && params.arguments), mark: marks } }),
        ...(this.#isStateless && message.id !== undefined && { _meta: requestMetadata() }),
      },
    };
  }
}

let marks = 0;

/** Checks that valid clients get responses while others send anything. */
async function findSilence(gateway: Gateway): Promise<string[]> {
  const params = { name: honestTool, arguments: {} };
  const bySession = new FuzzWire();
  gateway.accept(bySession);
  bySession.post(initialize(revisions.find(({ lifecycle }) => lifecycle === "handshake")?.id ?? "", {}), initialized);
  bySession.post({ jsonrpc: "2.0", id: "honest", method: "tools/call", params });
  const byItself = new FuzzWire();
  gateway.accept(byItself);
  byItself.post({
    jsonrpc: "2.0",
    id: "honest",
    method: "tools/call",
    params: { ...params, _meta: requestMetadata() },
  });
  const waits = [bySession, byItself].map((wire) => within(untilResponded(wire), longestWait));
  const [first, second] = await Promise.all(waits);
  bySession.end();
  byItself.end();
  return [
    ...(first ? [] : ["a call in a session is not answered"]),
    ...(second ? [] : [`a call at ${statelessRevision.id} is not answered`]),
  ];
}

async function untilResponded(wire: FuzzWire): Promise<void> {
  while (!wire.isClosed && !wire.sent.some((message) => isObject(message) && message.id === "honest")) await turn();
}

function findRepeated({ calls }: HostileServer, isStateless: boolean): string[] {
  const most = isStateless ? mostRounds + 1 : 1;
  const repeated = [...calls].filter(([, count]) => count > most);
  return repeated.map(([mark, count]) => `call ${mark} has arrived ${count} times`);
}

async function within(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, milliseconds, false)));
  const isDone = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
