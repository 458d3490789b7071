import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../kit/random.ts";
import { describeViolations, findViolations } from "../checker.ts";
import type { TestClient } from "../client/client.ts";
import { startListener, type Listener } from "../client/listener.ts";
import type { Message } from "../client/message.ts";
import { startCluster, type Cluster } from "../processes/cluster.ts";
import { HistoryLog, type HistoryLine } from "../history.ts";
import { createNonce, openSession, readNonce, type WorkloadContext } from "../workloads/workload.ts";

/*
 * Three times each node is ended by SIGTERM and started again, one after the other, while clients call and listen:
 * `npm run test:scale -- deploy --engine redis`.
 */

const { SCALE_SEED = "1", SCALE_NODES = "3" } = process.env;
const size = Number(SCALE_NODES);
const rounds = 3;
const listeners = 1_000;
const callers = 20;
const fewestCalls = 200;

/** What the clients have seen. */
interface Deploys {
  readonly exitCodes: readonly (number | null)[];
  readonly lines: readonly HistoryLine[];
  readonly violations: string;
  /** Milliseconds until every listener had been notified of a change, after the last restart. */
  readonly notified: number;
}

describe(`deploys of ${size} nodes, one after the other`, () => {
  let cluster: Cluster;
  let deploys: Deploys;

  beforeAll(async () => {
    cluster = await startCluster({ nodes: size, engine: "redis", drainDelay: 1_000 });
    deploys = await runDeploys(cluster);
    const calls = returnsOf(deploys.lines, "call").length;
    const resumed = returnsOf(deploys.lines, "resume").length;
    console.log(JSON.stringify({ calls, listeners, resumed, notified: deploys.notified }));
  }, 600_000);
  afterAll(() => cluster?.close());

  it("every node ends with exit code 0", () => {
    expect(deploys.exitCodes).toEqual(Array.from({ length: rounds * size }, () => 0));
  });

  it("every call has its response, none an error", () => {
    const calls = returnsOf(deploys.lines, "call");
    expect(calls.length).toBeGreaterThanOrEqual(fewestCalls);
    expect(
      calls.filter(({ outcome, value }) => outcome !== "ok" || /"error"|"isError":true/.test(value ?? "")),
    ).toEqual([]);
  });

  it("every stream continues, with one connection for each node that ends at most", () => {
    const opened = deploys.lines.filter(({ phase, op }) => phase === "event" && op === "listen");
    expect(opened).toHaveLength(listeners);
    const connections = new Map<string, number>();
    for (const { id, value } of returnsOf(deploys.lines, "resume")) {
      // Streams of calls are resumed under the keys of the calls.
      if (id.includes("/")) continue;
      expect(value).not.toBe("");
      connections.set(id, (connections.get(id) ?? 0) + 1);
    }
    expect(Math.max(...connections.values())).toBeLessThanOrEqual(rounds * size);
  });

  it("all invariants hold, and every listener is notified of the change after the last restart", () => {
    expect(deploys.violations).toBe("");
  });
});

async function runDeploys(cluster: Cluster): Promise<Deploys> {
  const log = new HistoryLog();
  const context: WorkloadContext = { url: cluster.url, log, random: createRandom(Number(SCALE_SEED)) };
  const { clients, open } = await openListeners(context);
  let isOver = false;
  const calling = Promise.all(
    Array.from({ length: callers }, async () => {
      const client = await openSession(context);
      while (!isOver) await callBoth(client);
    }),
  );
  const exitCodes: (number | null)[] = [];
  for (let turn = 0; turn < rounds * size; turn += 1) {
    exitCodes.push(await cluster.terminate(turn % size));
    await cluster.restart(turn % size);
  }
  isOver = true;
  await calling;
  const [toggling] = clients;
  await toggling?.call("toggle", {});
  const changed = Date.now();
  const notified = await untilNotified(log, changed);
  await Promise.all(open.map((listener) => listener.stop()));
  const evidence = { history: log.lines, effects: await cluster.readEffects() };
  const violations = describeViolations(findViolations(evidence, { slack: 5_000 }));
  const errors = violations === "" ? "" : cluster.readErrors().slice(-2_000);
  return { exitCodes, lines: log.lines, violations: `${violations}${errors}`, notified };
}

/** Opens the streams, some at a time. */
async function openListeners(
  context: WorkloadContext,
): Promise<{ readonly clients: readonly TestClient[]; readonly open: readonly Listener[] }> {
  const clients: TestClient[] = [];
  const open: Listener[] = [];
  while (open.length < listeners) {
    const some = await Promise.all(Array.from({ length: 50 }, () => openSession(context)));
    const started = some.map((client) => startListener(client));
    await Promise.all(started.map(({ connected }) => connected));
    clients.push(...some);
    open.push(...started);
  }
  return { clients, open };
}

/** Calls a tool that sends events for a second, and one that waits for its user. */
async function callBoth(client: TestClient): Promise<void> {
  await client.call("count", { n: 20, delay: 50 });
  const id = client.takeId();
  const respond = async (request: Message): Promise<void> => {
    await sleep(500);
    await client.respond(client.keyOf(id), request, readNonce(request));
  };
  await client.call("ask", { nonce: createNonce() }, { id, onRequest: (request) => void respond(request) });
}

/** Returns the milliseconds until every listener has had a change of the tools since then. */
async function untilNotified(log: HistoryLog, since: number): Promise<number> {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    const notified = new Set(
      log.lines
        .filter(({ t, op, value }) => op === "event" && t >= since - 1_000 && value?.includes("tools/list_changed"))
        .map(({ id }) => id),
    );
    if (notified.size >= listeners) return Date.now() - since;
    await sleep(100);
  }
  throw new Error("Listeners were not notified of the change within 60 s");
}

function returnsOf(lines: readonly HistoryLine[], operation: HistoryLine["op"]): readonly HistoryLine[] {
  return lines.filter(({ phase, op }) => phase === "return" && op === operation);
}
