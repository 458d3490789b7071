import { describe, expect, test } from "vitest";
import { RedisEvents } from "../../../cluster/redis/events.ts";
import { RedisSessions } from "../../../cluster/redis/sessions.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import { createRecord, key } from "../contract/cluster.ts";
import { createScriptedRedis, type ScriptedRedis } from "./scripted-redis.ts";

/* What sessions and their streams send to Redis, and what they make of each reply. */

/** Arguments of the scripts that were sent, without their hashes and keys. */
const argumentsOf = ({ sent }: ScriptedRedis): readonly (readonly string[])[] =>
  sent.map((command) => (command[0] === "EVALSHA" ? command.slice(3 + Number(command[2])) : command));

describe("sessions on Redis", () => {
  const record = createRecord(key.id, key.owner);
  /** Value of a record as Redis has it. */
  const seal = (value: unknown): string => {
    const { context } = createScriptedRedis(() => 1);
    const [tag] = context.ring.tags("session", key.id, key.owner);
    return context.ring.seal(context.names.session(tag)[0], JSON.stringify(value));
  };
  const value = seal({ agreement: record.agreement });

  test.each([
    ["adds", 1, true, 2],
    ["knows", 2, true, 2],
    ["has no room for", 0, false, 1],
  ])("a session that the registry %s (%i) is stored: %s", async (_name, outcome, isStored, commands) => {
    const redis = createScriptedRedis((_command, count) => (count === 1 ? outcome : 1));
    expect(await new RedisSessions(redis.context).add(record)).toBe(isStored);
    expect(redis.sent).toHaveLength(commands);
    if (isStored) expect(argumentsOf(redis).at(-1)).toEqual([expect.any(String), "1800000"]);
  });

  test("a session with a large record is not stored", async () => {
    const redis = createScriptedRedis(() => 1);
    const client = { info: { name: "x".repeat(64 * 1024), version: "1" }, capabilities: {} };
    const large = { ...record, agreement: { revision: "r", client } };
    await expect(new RedisSessions(redis.context).add(large)).rejects.toThrow("at most 65536 are stored");
    expect(redis.sent).toEqual([]);
  });

  test("an access sends what it reserves and ends, and has the ids that were used", async () => {
    const redis = createScriptedRedis(() => [value, "7", 0, ['"a"', "1"], null]);
    const access = { node: "n", reserve: ["a", 1, "b"], ended: [2, "c"], attempt: "x", version: 6 } as const;
    const found = await new RedisSessions(redis.context).access(key, access);
    expect(found).toEqual({ record, version: 7, used: ["a", 1] });
    expect(argumentsOf(redis)).toEqual([["n x", "x", "6", "1800000", "n", "1024", "2", "2", '"c"', '"a"', "1", '"b"']]);
    const plain = createScriptedRedis(() => [value, 7, 0, [], ["error", null, null, null, ["a", "b"]]]);
    expect(await new RedisSessions(plain.context).access(key, { node: "n" })).toEqual({
      record,
      version: 7,
      used: [],
      state: { logLevel: "error", subscriptions: ["a", "b"] },
    });
    expect(argumentsOf(plain)).toEqual([["n", "", "", "1800000", "n", "1024", "0"]]);
  });

  test.each([
    [0, 1],
    [1, 2],
  ])("an access extends the entry of its session if Redis says so (%i)", async (isTouched, commands) => {
    const redis = createScriptedRedis((_command, count) =>
      count === 1 ? [value, 7, isTouched, [], null] : new Error("OOM"),
    );
    await new RedisSessions(redis.context).access(key, { node: "n" });
    await expect.poll(() => redis.sent.length).toBe(commands);
  });

  test.each([
    [[1], ["EVALSHA", "WAIT"]],
    [[], ["EVALSHA", "SET", "WAIT"]],
  ])("an access that reserves %j is confirmed by the replicas", async (reserve, commands) => {
    const redis = createScriptedRedis(([name]) => (name === "WAIT" ? 1 : [value, 7, 0, [], null]));
    redis.context.commands.setReplicas(1);
    await new RedisSessions(redis.context).access(key, { node: "n", reserve, attempt: "x" });
    expect(redis.sent.map(([name]) => name)).toEqual(commands);
  });

  test.each<readonly [string, unknown, object | undefined, number]>([
    ["no record", null, undefined, 0],
    ["a forged record", "forged", undefined, 1],
    ["a record that is too large", "x".repeat(64 * 1024 + 1), undefined, 1],
    ["a record that is a text", seal("text"), undefined, 1],
    ["an agreement that is not valid", seal({ agreement: { revision: 1, client: {} } }), undefined, 1],
    ["no agreement", seal({}), { id: key.id, owner: key.owner }, 0],
  ])("an access to a session with %s", async (_name, stored, expected, invalid) => {
    const redis = createScriptedRedis(() => [stored, 1, 0, [], null]);
    expect((await new RedisSessions(redis.context).access(key, { node: "n" }))?.record).toEqual(expected);
    expect(redis.invalid()).toBe(invalid);
  });

  test("ids are released by a node, as used ones or not, and none need no command", async () => {
    const redis = createScriptedRedis(() => 1);
    const sessions = new RedisSessions(redis.context);
    await sessions.release(key, { node: "n", ids: [] });
    await sessions.release(key, { node: "n", ids: [1, "1"] });
    await sessions.release(key, { node: "n", ids: [1], isUnused: true });
    expect(argumentsOf(redis)).toEqual([
      ["n", "0", "1024", "1", '"1"'],
      ["n", "1", "1024", "1"],
    ]);
  });

  test.each([
    ["n x", "n"],
    ["n", "n"],
    [".", undefined],
    [null, undefined],
  ])("the node of a reservation %j is %s", async (reply, node) => {
    const redis = createScriptedRedis(() => reply);
    expect(await new RedisSessions(redis.context).findNode(key, "a")).toBe(node);
    expect(redis.sent[0]?.at(-1)).toBe('"a"');
  });

  test("the nodes of a session are named once, also at its end", async () => {
    const redis = createScriptedRedis((_command, count) => (count < 3 ? ["n", "m", "n"] : 1));
    const sessions = new RedisSessions(redis.context);
    expect([await sessions.findNodes(key), await sessions.end(key)]).toEqual([
      ["n", "m"],
      ["n", "m"],
    ]);
    expect(redis.sent).toHaveLength(3);
  });

  test("a change has its version, or is rejected", async () => {
    const redis = createScriptedRedis((_command, count) => (count === 1 ? "4" : null));
    const sessions = new RedisSessions(redis.context);
    const listener = { node: "n", stream: "s", fence: 2 };
    expect(await sessions.change(key, { logLevel: "error", listener, subscribe: ["a"], unsubscribe: ["b"] })).toBe(4);
    expect(await sessions.change(key, {})).toBeUndefined();
    expect(argumentsOf(redis)).toEqual([
      ["error", "n", "s", "2", expect.any(String), "1", "a", "b"],
      ["", "", "", "0", expect.any(String), "0"],
    ]);
  });

  test.each<readonly [unknown, object | undefined]>([
    [null, undefined],
    [[null, null, null, null, []], {}],
    [
      ["error", "n", "s", "3", ["a"]],
      { logLevel: "error", subscriptions: ["a"], listener: { node: "n", stream: "s", fence: 3 } },
    ],
    [[null, "n", null, "3", []], {}],
  ])("the state %j of a session is %j", async (reply, state) => {
    const { context } = createScriptedRedis(() => reply);
    expect(await new RedisSessions(context).readState(key)).toEqual(state);
  });
});

describe("streams on Redis", () => {
  const append = { stream: "s", owner: "n", fence: 2, first: 3, data: ["a", "b"], requests: [1, "1"], settled: [2] };

  test.each(["stored", "fenced", "gap", "full"] as const)("an append is %s", async (outcome) => {
    const redis = createScriptedRedis(() => outcome);
    expect(await new RedisEvents(redis.context).append(key, append)).toBe(outcome);
    const sent = argumentsOf(redis)[0] ?? [];
    expect(sent.slice(0, 1).concat(sent.slice(6, 9))).toEqual(["s", "n", "2", "3"]);
    expect(sent.slice(11, 16)).toEqual(["2", "1", "1", '"1"', "2"]);
    expect([sent.length, sent.includes("a")]).toEqual([18, false]);
  });

  test("an append with an unknown outcome is an error", async () => {
    const { context } = createScriptedRedis(() => 1);
    await expect(new RedisEvents(context).append(key, append)).rejects.toThrow(EngineError);
  });

  /** Reads a stream after the event 3, with texts that are sealed for it. */
  const read = async (reply: (texts: readonly string[]) => unknown, sequence = 3) => {
    const sealing = createScriptedRedis(() => "stored");
    await new RedisEvents(sealing.context).append(key, append);
    const redis = createScriptedRedis(() => reply(sealing.sent[0]?.slice(-2) ?? []));
    return { redis, part: await new RedisEvents(redis.context).read(key, { stream: "s", sequence }) };
  };

  test("a stream has the events after a position, and its open requests in their order", async () => {
    const fields = ["r:2", "9", 'r:"a"', "4", "owner", "n"];
    const { redis, part } = await read((texts) => ["n", "2", "6", "open", "2", fields, texts]);
    expect(part).toEqual({
      events: [
        { sequence: 4, data: "a" },
        { sequence: 5, data: "b" },
      ],
      next: 6,
      owner: "n",
      fence: 2,
      open: ["a", 2],
      isResponse: true,
      isEnded: false,
    });
    expect(argumentsOf(redis)).toEqual([["3", "256", "1048576"]]);
  });

  test("a position beyond the end of a stream is that of its last event", async () => {
    const { part } = await read(() => ["n", "2", "6", "ended", "0", [], []], 9);
    expect(part).toMatchObject({ events: [], next: 6, isResponse: false, isEnded: true });
  });

  test.each<readonly [string, (texts: readonly string[]) => unknown, number]>([
    ["a stream that is not known", () => [], 0],
    ["a forged event", () => ["n", "0", "1", "open", "0", [], ["forged"]], 1],
    ["a forged request", () => ["n", "0", "1", "open", "1", ["r:{}", "1"], []], 1],
    ["a request without a value", () => ["n", "0", "1", "open", "1", ["r:", "1"], []], 1],
  ])("nothing is read of %s", async (_name, reply, invalid) => {
    const { redis, part } = await read(reply);
    expect([part, redis.invalid()]).toEqual([undefined, invalid]);
  });

  test.each([-2, 0.5, NaN, 2 ** 53])("the position %d is unknown without a command", async (sequence) => {
    const { redis, part } = await read(() => ["n", "0", "1", "open", "0", [], []], sequence);
    expect([part, redis.sent]).toEqual([undefined, []]);
  });

  test("a stream is sealed, adopted and removed as Redis says", async () => {
    const replies = [1, 0, "7", null, 1];
    const redis = createScriptedRedis((_command, count) => replies[count - 1]);
    const events = new RedisEvents(redis.context);
    const seal = { stream: "s", fence: 1, node: "m", data: ["end"] };
    expect([await events.seal(key, seal), await events.seal(key, seal)]).toEqual([true, false]);
    const adoption = { stream: "s", fence: 1, node: "m" };
    expect([await events.adopt(key, adoption), await events.adopt(key, adoption)]).toEqual([
      { fence: 2, next: 7 },
      undefined,
    ]);
    await events.remove(key);
    const sent = argumentsOf(redis);
    expect(sent.map((one) => one[0])).toEqual(["s", "s", "s", "s", "PUBLISH"]);
    expect([sent[0]?.slice(6, 8), sent[2]?.slice(6)]).toEqual([
      ["1", "m"],
      ["1", "m"],
    ]);
  });
});
