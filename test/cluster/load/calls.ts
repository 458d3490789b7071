import { setTimeout as sleep } from "node:timers/promises";
import { pick, type Random } from "../../kit/random.ts";
import type { TestClient } from "../client/client.ts";
import type { Message } from "../client/message.ts";
import { callAndCancel } from "../workloads/calls.ts";
import { createNonce, readNonce } from "../workloads/workload.ts";
import type { LoadSession } from "./sessions.ts";

/** Calls at a steady rate. */
export interface CallsOptions {
  /** Calls a second. */
  readonly rate: number;
  /** Milliseconds for which calls begin. */
  readonly milliseconds?: number;
  /** Calls begin until it resolves. Default: `milliseconds` decide. */
  readonly until?: Promise<unknown>;
  readonly random: Random;
}

/** Outcome of calls. Times are milliseconds of simple calls: from the request to the response. */
export interface CallTimes {
  readonly calls: number;
  /** Problems of the calls that have failed. */
  readonly failures: readonly string[];
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** Begins calls at a steady rate, however long each of them takes: 94 % simple ones, 5 % with a question, 1 % that are cancelled. */
export async function runCalls(sessions: readonly LoadSession[], options: CallsOptions): Promise<CallTimes> {
  const { rate, random } = options;
  const durations: number[] = [];
  const running = new Set<Promise<void>>();
  const failures: string[] = [];
  let isOver = false;
  const ended = options.until ?? sleep(options.milliseconds ?? 0);
  void ended.finally(() => (isOver = true));
  const startedAt = performance.now();
  let calls = 0;
  while (!isOver) {
    for (const due = ((performance.now() - startedAt) * rate) / 1_000; calls < due; calls += 1) {
      const { client } = pick(sessions, random);
      const call = callOnce(client, random(), durations)
        .then((problem) => void (problem === undefined || failures.push(problem)))
        .finally(() => running.delete(call));
      running.add(call);
    }
    await sleep(5);
  }
  await Promise.all(running);
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? NaN);
  return { calls, failures, p50: at(0.5), p99: at(0.99), longest: at(1) };
}

/** Makes one call, and returns its problem. */
async function callOnce(client: TestClient, kind: number, durations: number[]): Promise<string | undefined> {
  if (kind < 0.01) return (await callAndCancel(client)) ? undefined : "hang did not begin";
  if (kind < 0.06) return elicit(client);
  const start = performance.now();
  const response = await client.call("count", { n: 1 });
  durations.push(performance.now() - start);
  return describeProblem("count", response);
}

async function elicit(client: TestClient): Promise<string | undefined> {
  const id = client.takeId();
  const onRequest = (request: Message): void => void client.respond(client.keyOf(id), request, readNonce(request));
  return describeProblem("ask", await client.call("ask", { nonce: createNonce() }, { id, onRequest }));
}

function describeProblem(tool: string, response: Message | undefined): string | undefined {
  if (response === undefined) return `${tool} has no response`;
  const isError = response.result === undefined || response.result["isError"] === true;
  return isError ? `${tool} has the response ${JSON.stringify(response)}` : undefined;
}
