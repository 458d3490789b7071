import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRedisEngine } from "../../../runtime/adapters/redis/index.ts";
import { EngineError, type Engine } from "../../../runtime/stores/engine.ts";
import { startRedis, type RedisProcess } from "../cluster/redis-process.ts";
import { engineKey, findCanaries, node, session, storeAll, stream, task } from "./canaries.ts";

/*
 * Values in Redis: secrets that must not be there, and values that this engine has not written.
 */

let redis: RedisProcess;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.close());

/** Opens an engine of its own keys in Redis. */
async function withEngine<Value>(
  options: { readonly prefix: string; readonly encrypt?: boolean },
  use: (engine: Engine) => Promise<Value>,
): Promise<Value> {
  const engine = createRedisEngine({ url: redis.url, keys: [engineKey], ...options });
  await engine.open();
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

/** Records all commands that Redis receives, with those of scripts. */
async function monitor(use: () => Promise<void>): Promise<string> {
  const socket = connect(Number(new URL(redis.url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.write("MONITOR\r\n");
  await expect.poll(() => text).toContain("+OK");
  await use();
  await redis.command("ECHO", "the end of the record");
  await expect.poll(() => text).toContain("the end of the record");
  socket.destroy();
  return text;
}

describe("secrets", () => {
  test("ids, principals, tokens and keys never reach Redis in clear", async () => {
    const text = await monitor(() => withEngine({ prefix: "clear" }, storeAll));
    expect(text.length).toBeGreaterThan(5_000);
    expect(findCanaries(text)).toContain("canary-content-event");
    expect(findCanaries(text).filter((found) => !found.startsWith("canary-content"))).toEqual([]);
  });

  test("contents of sessions, events, tasks, outcomes and messages are encrypted with `encrypt`", async () => {
    const text = await monitor(() => withEngine({ prefix: "sealed", encrypt: true }, storeAll));
    expect(text.length).toBeGreaterThan(5_000);
    expect(findCanaries(text)).toEqual([]);
  });
});

/** Replaces all values of all keys by a text. */
const corruptAll = `
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  local kind = redis.call('TYPE', key).ok
  if kind == 'string' then
    redis.call('SET', key, ARGV[2], 'KEEPTTL')
  elseif kind == 'hash' then
    for _, field in ipairs(redis.call('HKEYS', key)) do redis.call('HSET', key, field, ARGV[2]) end
  elseif kind == 'stream' then
    local entries = redis.call('XRANGE', key, '-', '+')
    redis.call('DEL', key)
    for _, entry in ipairs(entries) do redis.call('XADD', key, entry[1], 'd', ARGV[2]) end
  end
end
return 1`;

const garbage: readonly (readonly [string, string])[] = [
  ["nothing", ""],
  ["null", "null"],
  ["a number", "-1"],
  ["an array", "[]"],
  ["an empty object", "{}"],
  ["an object of another form", '{"agreement":{"revision":1},"id":7,"tasks":{},"status":"other"}'],
  ["broken JSON", '{"a":'],
  ["a broken encrypted value", "e1.AAAA"],
  ["deeply nested JSON", "[".repeat(200_000)],
  ["a long text", "x".repeat(2 * 1024 * 1024)],
  ["control characters", "\u0000\u001b[2J\r\n"],
];

describe("values of strangers", () => {
  const cases = garbage.flatMap(([name, text]) => [false, true].map((encrypt) => ({ name, text, encrypt })));

  test.each(cases)(
    "$name, encrypt: $encrypt: nothing is found, and operations end",
    async ({ name, text, encrypt }) => {
      const prefix = `stranger-${garbage.findIndex(([other]) => other === name)}-${encrypt}`;
      await withEngine({ prefix, encrypt }, async (engine) => {
        await storeAll(engine);
        expect(await redis.command("EVAL", corruptAll, "0", `${prefix}:*`, text)).toContain(":1");
        const key = { id: task.id, owner: task.owner };
        // A record without an agreement is that of a session of an earlier step: an empty object is one.
        if (text !== "{}" || encrypt) expect(await settle(engine.sessions.access(session, { node }))).toBe("nothing");
        expect(await settle(engine.events.read(session, { stream: "stream", sequence: -1 }))).toBe("nothing");
        expect(await settle(engine.tasks.find(key))).toBe("nothing");
        expect(await settle(engine.tasks.list(task.owner, { limit: 10 }))).toBe("nothing");
        expect(await settle(engine.tasks.change(key, { updatedAt: task.updatedAt, status: "completed" }))).toBe(
          "nothing",
        );
        expect(await settle(engine.tasks.takeOver?.("node000000001", 10))).toBe("nothing");
        expect(await settle(engine.values?.get("canary-id-value"))).toBe("nothing");
        for (const operate of others(engine)) expect(await settle(operate())).not.toBe("broken");
      });
    },
  );
});

/** Operations whose result may be anything of the right type. */
function others({
  sessions,
  events,
  nodes,
  ledger,
  replays,
  rates,
  revocations,
  values,
}: Engine): readonly (() => unknown)[] {
  return [
    () => sessions.readState(session),
    () => sessions.findNode(session, 1),
    () => sessions.findNodes(session),
    () => sessions.change(session, { logLevel: "debug" }),
    () => sessions.release(session, { node, ids: [1] }),
    () => events.append(session, { ...stream, first: 1, data: ["next"] }),
    () => events.seal(session, { stream: "stream", fence: 0, node, data: [] }),
    () => events.adopt(session, { stream: "stream", fence: 0, node }),
    () => nodes.renew(node, { milliseconds: 1_000, isNew: false }),
    () => nodes.isAlive(node),
    () => nodes.broadcastsAfter("1-0"),
    () => ledger.begin("canary-id-work", "step", 2),
    () => replays.add("canary-id-replay", Date.now() + 60_000),
    () => rates?.take("canary-id-rate", { burst: 5, perSecond: 1 }),
    () => revocations?.list(),
    () => values?.lock("canary-id-value", { holder: "a", milliseconds: 1_000 }),
    () => sessions.end(session),
  ];
}

/** Returns whether an operation has found something, or has ended with an error that is not one of an engine. */
async function settle(operation: unknown): Promise<"something" | "nothing" | "broken"> {
  try {
    const found: unknown = await operation;
    const isEmpty = found === undefined || (Array.isArray(found) && found.length === 0);
    return isEmpty || JSON.stringify(found) === '{"tasks":[]}' ? "nothing" : "something";
  } catch (error) {
    return error instanceof EngineError ? "nothing" : "broken";
  }
}
