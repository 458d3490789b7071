import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import type { ClientSession } from "../../../runtime/client/session/client-session.ts";
import { createRandom } from "../../kit/random.ts";
import { atLeast, describeFigure, exactly, startRun, type CampaignResult, type PartOptions } from "../result.ts";
import { buildProgram, ServerProcess } from "../server/server-process.ts";
import { Failures } from "../soak/failures.ts";
import { startCuttingProxy, type CuttingProxy } from "./cutting-proxy.ts";

/*
 * Clients behind a proxy that cuts their streams. At the revisions with resumption, every call gets its events once and in order, and its result. At
 * the others, every call ends, and no event comes twice.
 */

const resumable: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];
const others: readonly string[] = ["2026-07-28", "2024-11-05"];

/** Clients of each revision at the same time. */
const clientsOfEach = 3;

/** Events of a call. The store of the server keeps more. */
const eventsOfCall = 400;

/** Milliseconds after which a call counts as one that does not end. */
const mostCallTime = 60_000;

/** What the clients of one run have seen. */
interface Counts {
  calls: number;
  failed: number;
  events: number;
  lost: number;
  doubled: number;
}

export async function run(options: PartOptions): Promise<CampaignResult> {
  const { seed, isShort, count = isShort ? 40 : 5_000 } = options;
  const started = startRun("cuts", options);
  const program = await buildProgram();
  const server = await ServerProcess.start(program, { transport: "http" });
  const failures = new Failures();
  const port = Number(new URL(server.url).port);
  const random = createRandom(seed);
  try {
    const needs = { cuts: count, events: count * 20 };
    const first = await startCuttingProxy({ port, random, mostBytes: 5_000, needsId: true });
    const resumed = await runClients(first, { ids: resumable, ...needs, failures, mayFail: false });
    const fewer = { cuts: Math.ceil(count / 10), events: 0 };
    const second = await startCuttingProxy({ port, random, mostBytes: 50_000, needsId: false });
    const broken = await runClients(second, { ids: others, ...fewer, failures, mayFail: true });
    const figures = [
      atLeast("cuts at revisions with resumption", first.cuts, { limit: needs.cuts, unit: "" }),
      atLeast("events of these streams", resumed.events, { limit: needs.events, unit: "" }),
      describeFigure("calls with these streams", resumed.calls, ""),
      exactly("events lost", resumed.lost, { limit: 0, unit: "" }),
      exactly("events doubled", resumed.doubled, { limit: 0, unit: "" }),
      exactly("calls without a result", resumed.failed, { limit: 0, unit: "" }),
      atLeast("cuts at revisions without resumption", second.cuts, { limit: fewer.cuts, unit: "" }),
      describeFigure("calls with these streams that ended with a result", broken.calls - broken.failed, ""),
      describeFigure("calls with these streams that ended with an error", broken.failed, ""),
      exactly("events doubled in these streams", broken.doubled, { limit: 0, unit: "" }),
    ];
    return started.finish(figures, failures.describe());
  } finally {
    await server.kill();
    program.remove();
  }
}

interface ClientsOptions {
  readonly ids: readonly string[];
  readonly cuts: number;
  readonly events: number;
  readonly failures: Failures;
  /** True where a cut call may end with an error. */
  readonly mayFail: boolean;
}

/** Runs clients until there were enough cuts and events. Closes the proxy. */
async function runClients(proxy: CuttingProxy, options: ClientsOptions): Promise<Counts> {
  const counts: Counts = { calls: 0, failed: 0, events: 0, lost: 0, doubled: 0 };
  const isEnough = (): boolean => proxy.cuts >= options.cuts && counts.events >= options.events;
  const url = `http://127.0.0.1:${proxy.port}/mcp`;
  const clients = options.ids.flatMap((id) => Array.from({ length: clientsOfEach }, () => id));
  try {
    await Promise.all(
      clients.map(async (id) => {
        const client = await CountingClient.connect(url, id);
        while (!isEnough()) await client.call(counts, options);
        await client.close();
      }),
    );
  } finally {
    await proxy.close();
  }
  return counts;
}

/** Client that notes the numbers of each call. */
class CountingClient {
  readonly #session: ClientSession<Declarations>;
  readonly #numbers: Map<string, number[]>;
  readonly #id: string;
  #last = 0;

  private constructor(session: ClientSession<Declarations>, numbers: Map<string, number[]>, id: string) {
    this.#session = session;
    this.#numbers = numbers;
    this.#id = id;
  }

  static async connect(url: string, id: string): Promise<CountingClient> {
    const numbers = new Map<string, number[]>();
    const client = createClient<Declarations>({
      info: { name: "cuts", version: "1.0.0" },
      revisions: revisions.filter((revision) => revision.id === id),
      logLevel: "info",
      onLog({ data }) {
        if (isObject(data)) numbers.get(String(data.key))?.push(Number(data.n));
      },
    });
    const reconnect = { initialDelay: 2, maxDelay: 20, attempts: 100 };
    const session = await retry(() => client.connect((options) => connectHttp(url, { ...options, reconnect })));
    return new CountingClient(session, numbers, id);
  }

  /** Makes a call, and compares what came with what the server has sent. */
  async call(counts: Counts, { failures, mayFail }: ClientsOptions): Promise<void> {
    this.#last += 1;
    const key = String(this.#last);
    const numbers: number[] = [];
    this.#numbers.set(key, numbers);
    const args = { key, to: eventsOfCall, pause: 1 };
    const startedAt = performance.now();
    let hasResult = true;
    try {
      await this.#session.callTool("count", args, { timeout: mostCallTime });
    } catch (error) {
      hasResult = false;
      if (!mayFail || performance.now() - startedAt > mostCallTime) failures.add(`a call at ${this.#id}`, error);
    }
    this.#numbers.delete(key);
    counts.calls += 1;
    if (!hasResult) counts.failed += 1;
    counts.events += numbers.length;
    const distinct = new Set(numbers);
    counts.doubled += numbers.length - distinct.size;
    if (hasResult) counts.lost += eventsOfCall - distinct.size;
    if (numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0)))
      failures.add(`a call at ${this.#id}`, "its events are not in order");
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

/** Connecting itself may be cut. */
async function retry<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = 20; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
