import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import {
  call,
  initialize,
  log,
  textOf,
  type Answer,
  type Session,
  type Stream,
} from "../../runtime/transport/http-server/http-rig.ts";
import { addUser, guideRules, startRedisNode, type RedisNode, type RedisNodeOptions } from "./redis-node.ts";

/*
 * Redis that stops to accept writes, to respond, or to know what it had stored, while a node uses it: no response claims what was not stored, and
 * the node continues when Redis does.
 */

interface Fault {
  readonly name: string;
  begin(node: RedisNode): Promise<void>;
  end(node: RedisNode): Promise<void>;
}

const faults: readonly Fault[] = [
  {
    name: "is full",
    begin: ({ command }) => command("CONFIG", "SET", "maxmemory", "1"),
    end: ({ command }) => command("CONFIG", "SET", "maxmemory", "0"),
  },
  {
    name: "denies writes to the account",
    begin: ({ redis }) => addUser(redis, [...guideRules, "-@write"]),
    end: ({ redis }) => addUser(redis, guideRules),
  },
  {
    name: "has too few replicas for writes",
    begin: ({ command }) => command("CONFIG", "SET", "min-replicas-to-write", "3"),
    end: ({ command }) => command("CONFIG", "SET", "min-replicas-to-write", "0"),
  },
  {
    name: "does not respond",
    begin: async ({ redis }) => redis.suspend(),
    end: restart,
  },
  { name: "is not there", begin: ({ redis }) => redis.kill(), end: restart },
];

/** Starts Redis again, with its data. It keeps no accounts that were created by commands. */
async function restart({ redis }: RedisNode): Promise<void> {
  await redis.kill();
  await redis.restart();
  await addUser(redis, guideRules);
}

function expectUnavailable({ status, headers, text }: Answer): void {
  expect([status, text]).toEqual([503, expect.stringContaining("error")]);
  expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  expect(headers["mcp-session-id"]).toBeUndefined();
}

/** Repeats a request until it is accepted: the store may need some time after a fault. */
async function retry(request: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await request();
    if (answer.status !== 503 || attempt > 100) return answer;
    await sleep(100);
  }
}

test.concurrent.for(faults)(
  "Redis $name: requests are rejected with 503 and not executed, and accepted afterwards",
  async (fault, { onTestFinished }) => {
    let executed = 0;
    const tools = { count: () => (executed += 1) };
    const node = await startRedisNode(tools, { onTestFinished, permissions: guideRules });
    const session = await node.rig.open();
    expect(textOf((await session.post(call(1, "count"))).json)).toBe("1");
    await fault.begin(node);
    const from = performance.now();
    expectUnavailable(await session.post(call(2, "count")));
    // The deadline of an operation is 1 s; the rest is for a busy machine.
    expect(performance.now() - from).toBeLessThan(2_500);
    expectUnavailable(await node.rig.send({ body: initialize("2025-11-25") }));
    expect(await node.readState()).toBe("degraded");
    for (const problem of node.engine.status().problems) expect(problem.length).toBeLessThanOrEqual(120);
    expect(executed).toBe(1);
    await fault.end(node);
    expect(textOf((await retry(() => session.post(call(2, "count")))).json)).toBe("2");
    const opened = await retry(() => node.rig.send({ body: initialize("2025-11-25") }));
    expect(opened.headers["mcp-session-id"]).toBeDefined();
    await expect.poll(() => node.readState(), { timeout: 15_000 }).toBe("ok");
  },
);

/** Opens a stream again, and returns its messages. */
async function resume(session: Session, lastId: string | undefined): Promise<readonly unknown[]> {
  for (let attempt = 0; ; attempt += 1) {
    const stream = await session.listen(lastId);
    if (stream.status !== 503 || attempt > 100) {
      await stream.end();
      return stream.status === 200 ? stream.messages : [stream.status];
    }
    await sleep(100);
  }
}

/** Call that sends a message, waits, and sends another one and its result. */
interface Report {
  readonly node: RedisNode;
  readonly session: Session;
  readonly stream: Stream;
  /** Lets the call continue. */
  proceed(): void;
}

/** Starts a call and waits for its first message. */
async function startReport(onTestFinished: RedisNodeOptions["onTestFinished"]): Promise<Report> {
  let proceed = (): void => {};
  const waiting = new Promise<void>((resolve) => (proceed = resolve));
  const tools = {
    async report(context: CallContext) {
      await log(context, "before");
      await waiting;
      await log(context, "during").catch(() => log(context, "during"));
      return "result";
    },
  };
  const node = await startRedisNode(tools, { onTestFinished, permissions: guideRules });
  const session = await node.rig.open();
  const stream = await session.postStream(call(1, "report"));
  await stream.message();
  return { node, session, stream, proceed };
}

const [before, during] = [{ params: { data: "before" } }, { params: { data: "during" } }];

test.concurrent.for(faults)(
  "Redis $name while a call runs: its events arrive once and in order when it works again",
  async (fault, { onTestFinished }) => {
    const { node, session, stream, proceed } = await startReport(onTestFinished);
    await fault.begin(node);
    proceed();
    await sleep(1_500);
    expect(stream.messages.length, "messages that were not stored").toBe(1);
    await fault.end(node);
    await stream.end();
    const received = [...stream.messages];
    if (received.length < 3) received.push(...(await resume(session, stream.events.at(-1)?.id)));
    expect(received).toMatchObject([before, during, { id: 1, result: { content: [{ text: "result" }] } }]);
  },
);

describe("Redis that has lost its data", () => {
  test.concurrent("sessions are unknown, and new ones work", async ({ onTestFinished }) => {
    const node = await startRedisNode({ count: () => 1 }, { onTestFinished, permissions: guideRules });
    const session = await node.rig.open();
    await node.command("FLUSHALL");
    await restart(node);
    expect((await retry(() => session.post(call(1, "count")))).status).toBe(404);
    const next = await node.rig.open();
    expect(textOf((await next.post(call(1, "count"))).json)).toBe("1");
  });

  test.concurrent("a call that runs ends without a response, and its stream is unknown", async ({ onTestFinished }) => {
    const { node, session, stream, proceed } = await startReport(onTestFinished);
    await node.command("FLUSHALL");
    proceed();
    await stream.end();
    expect(stream.messages).toMatchObject([before]);
    expect(await resume(session, stream.events.at(-1)?.id)).toEqual([404]);
  });
});
