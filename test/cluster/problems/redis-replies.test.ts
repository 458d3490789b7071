import { describe, expect, onTestFinished, test, vi } from "vitest";
import { RedisLedger } from "../../../cluster/redis/ledger.ts";
import { RedisRates } from "../../../cluster/redis/rates.ts";
import { RedisReplays } from "../../../cluster/redis/replays.ts";
import { RedisRevocations } from "../../../cluster/redis/revocations.ts";
import { defineScript } from "../../../cluster/redis/scripts/script.ts";
import { RedisTaskLeases } from "../../../cluster/redis/task-leases.ts";
import { RedisValues } from "../../../cluster/redis/values.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import { createScriptedRedis, type ScriptedRedis } from "./scripted-redis.ts";

/* What the stores on Redis send, and what they make of each reply. */

const script = defineScript("write", "return redis.call('SET', KEYS[1], ARGV[1])");
const key = { id: "s", owner: "ada" };

/** Names of the commands that were sent; a script counts as EVALSHA. */
const namesOf = ({ sent }: ScriptedRedis): readonly (string | undefined)[] => sent.map(([name]) => name);

describe("scripts on Redis", () => {
  test("a script is sent by its hash, and by its text where Redis does not have it", async () => {
    const known = createScriptedRedis(() => "OK");
    expect(await known.context.commands.run(script, ["key"], ["value"])).toBe("OK");
    expect(known.sent).toEqual([["EVALSHA", script.hash, "1", "key", "value"]]);
    const unknown = createScriptedRedis(([name]) =>
      name === "EVALSHA" ? new Error("NOSCRIPT No matching script") : "OK",
    );
    expect(await unknown.context.commands.run(script, ["key"], ["value"])).toBe("OK");
    expect(unknown.sent.at(-1)).toEqual(["EVAL", script.text, "1", "key", "value"]);
  });

  test("a script that fails is not sent by its text", async () => {
    const redis = createScriptedRedis(() => new Error("OOM command not allowed"));
    await expect(redis.context.commands.run(script, ["key"])).rejects.toThrow(EngineError);
    expect(namesOf(redis)).toEqual(["EVALSHA"]);
  });
});

describe("confirmations by replicas of Redis", () => {
  const create = (confirmed: unknown, publishCommand?: "SPUBLISH"): ScriptedRedis => {
    const redis = createScriptedRedis(
      ([name]) => (name === "WAIT" ? confirmed : "OK"),
      publishCommand && { publishCommand },
    );
    redis.context.commands.setReplicas(2);
    return redis;
  };

  test("a durable write is confirmed within half of its time, and several at once by one command", async () => {
    const redis = create(2);
    const { commands } = redis.context;
    await Promise.all(["a", "b"].map((name) => commands.sendDurably(name, ["SET", name, "1"])));
    expect(redis.sent).toEqual([
      ["SET", "a", "1"],
      ["SET", "b", "1"],
      ["WAIT", "2", "500"],
    ]);
    await commands.runDurably(script, ["c"], ["1"]);
    expect(namesOf(redis).slice(3)).toEqual(["EVALSHA", "WAIT"]);
  });

  test("a durable write in a cluster is confirmed by the replicas of its server", async () => {
    const redis = create(3, "SPUBLISH");
    const { commands } = redis.context;
    await Promise.all(["a", "b"].map((name) => commands.sendDurably(name, ["SET", name, "1"])));
    expect(namesOf(redis).filter((name) => name === "WAIT")).toHaveLength(2);
  });

  test("a reading command is confirmed after a write", async () => {
    const redis = create(2);
    expect(await redis.context.commands.sendConfirmed("a", ["GET", "a"])).toBe("OK");
    expect(redis.sent).toEqual([
      ["GET", "a"],
      ["SET", "a:b", "", "PX", "1000"],
      ["WAIT", "2", "500"],
    ]);
    expect(await redis.context.commands.runConfirmed(script, ["b"])).toBe("OK");
    expect(namesOf(redis).slice(3)).toEqual(["EVALSHA", "SET", "WAIT"]);
  });

  test.each([1, "0", null])("a write that %j of 2 replicas have confirmed is an error", async (confirmed) => {
    const { commands } = create(confirmed).context;
    const problem = `Only ${Number(confirmed)} of 2 replicas have confirmed a write; repeat it`;
    await expect(commands.sendDurably("a", ["SET", "a", "1"])).rejects.toThrow(problem);
  });

  test("a write whose connection has ended before its confirmation is an error", async () => {
    const redis = createScriptedRedis(() => {
      redis.link.generation += 1;
      return "OK";
    });
    redis.context.commands.setReplicas(1);
    await expect(redis.context.commands.sendDurably("a", ["SET", "a", "1"])).rejects.toThrow(
      "The connection to Redis ended before the replicas confirmed a write; repeat it",
    );
    expect(namesOf(redis)).toEqual(["SET"]);
  });

  test("nothing is confirmed without replicas", async () => {
    const redis = createScriptedRedis(() => "OK");
    await redis.context.commands.sendDurably("a", ["SET", "a", "1"]);
    await redis.context.commands.sendConfirmed("a", ["GET", "a"]);
    expect(namesOf(redis)).toEqual(["SET", "GET"]);
  });
});

describe("values on Redis", () => {
  const stored = (redis: ScriptedRedis, value: string): string => {
    const [tag] = redis.context.ring.tags("value", "k");
    return redis.context.ring.encrypt(redis.context.names.value(tag)[0], value);
  };

  test("a value is stored encrypted, and read with each key", async () => {
    const former = createScriptedRedis(() => "OK", { keys: [1] });
    await new RedisValues(former.context).set("k", "secret", 0.5);
    const [, name = "", sealed = "", , time] = former.sent[0] ?? [];
    expect([time, sealed.includes("secret"), former.sent.length]).toEqual(["1", false, 1]);
    const redis = createScriptedRedis(([, asked]) => (asked === name ? sealed : null), { keys: [2, 1] });
    expect(await new RedisValues(redis.context).get("k")).toBe("secret");
    expect(redis.sent).toHaveLength(2);
  });

  test("a value is stored with the current key, and removed with the others", async () => {
    const redis = createScriptedRedis(() => "OK", { keys: [2, 1] });
    await new RedisValues(redis.context).set("k", "secret", 10);
    expect(namesOf(redis)).toEqual(["SET", "DEL"]);
    await new RedisValues(redis.context).delete("k");
    expect(new Set(redis.sent.map(([, name]) => name)).size).toBe(2);
    expect(namesOf(redis).slice(2)).toEqual(["DEL", "DEL"]);
  });

  test("a value that does not verify or is too large is not read, and counts", async () => {
    const values = ["forged", "x".repeat(256 * 1024 + 1)];
    const redis = createScriptedRedis((_command, count) => values[count - 1], { keys: [2, 1] });
    expect([await new RedisValues(redis.context).get("k"), redis.invalid()]).toEqual([undefined, 2]);
    const { context } = createScriptedRedis(() => stored(redis, "x"));
    expect(await new RedisValues(context).get("k")).toBeUndefined();
    await expect(new RedisValues(context).set("k", "x".repeat(256 * 1024), 1)).rejects.toThrow("A value has");
  });

  test("a lease of a value is one of each key, or of none", async () => {
    const free = createScriptedRedis(() => 1, { keys: [2, 1] });
    expect(await new RedisValues(free.context).lock("k", { holder: "h", milliseconds: 0.5 })).toBe(true);
    expect(free.sent.map((command) => command.slice(-2))).toEqual([
      ["h", "1"],
      ["h", "1"],
    ]);
    const held = createScriptedRedis((_command, count) => (count === 2 ? 0 : 1), { keys: [2, 1] });
    expect(await new RedisValues(held.context).lock("k", { holder: "h", milliseconds: 5 })).toBe(false);
    expect(held.sent[0]?.at(-1)).toBe("5");
    // Both leases end, as far as this holder has them.
    expect(held.sent.map((command) => command.length)).toEqual([6, 6, 5, 5]);
    const reversed = createScriptedRedis(() => 1, { keys: [1, 2] });
    await new RedisValues(reversed.context).lock("k", { holder: "h", milliseconds: 5 });
    expect(reversed.sent.map((command) => command[3])).toEqual(free.sent.map((command) => command[3]));
  });
});

describe("used keys, rates and revocations on Redis", () => {
  const now = 1_000_000;
  const setNow = (): void => {
    vi.spyOn(Date, "now").mockReturnValue(now);
    onTestFinished(() => void vi.restoreAllMocks());
  };

  test.each<readonly [string, readonly unknown[], boolean]>([
    ["is new", [1, null], true],
    ["was used", [0, null], false],
    ["was used with an earlier key", [1, String(now + 1)], false],
    ["was used with an earlier key, of an earlier version", [1, "1"], false],
    ["was used with an earlier key and has ended", [1, String(now)], true],
  ])("a key that %s", async (_name, replies, isNew) => {
    setNow();
    const redis = createScriptedRedis((_command, count) => replies[count - 1], { keys: [2, 1] });
    expect(await new RedisReplays(redis.context).add("k", now + 500)).toBe(isNew);
    expect(redis.sent[0]?.slice(4)).toEqual([String(now), String(now + 500), "600500"]);
  });

  test.each(["take", "check", "record"] as const)("a rate is counted by the clock of Redis: %s", async (use) => {
    const redis = createScriptedRedis(() => "2500");
    const rates = new RedisRates(redis.context);
    expect(await rates[use]("k", { burst: 3, perSecond: 2 })).toBe(use === "record" ? undefined : 2.5);
    expect(redis.sent[0]?.slice(4)).toEqual(["500000", "1500000", use]);
    await rates[use]("k", { burst: 1_000, perSecond: 1e-9 });
    expect(redis.sent[1]?.slice(4)).toEqual(["100000000000000", "100000000000000", use]);
  });

  test("revocations are kept until they end, and read in several pages", async () => {
    setNow();
    const redis = createScriptedRedis(() => 1);
    const revocations = new RedisRevocations(redis.context);
    for (const until of [now, now - 1, now + 1_000, Number.MAX_SAFE_INTEGER])
      await revocations.add({ key: "k", until });
    expect(redis.sent.map((command) => command.at(-1))).toEqual(["1000", "315360000000"]);
    const value = redis.sent[0]?.at(-2) ?? "";
    const page = Array.from({ length: 1_000 }, () => [value, "1000"]).flat();
    const listed = createScriptedRedis((_command, count) => (count === 1 ? page : [value, "2000", "forged", "1"]));
    const found = await new RedisRevocations(listed.context).list();
    // The one that ends last counts.
    expect([found, listed.invalid()]).toMatchObject([[{ key: "k", until: now + 2_000 }], 1]);
    expect(found).toHaveLength(1);
    expect(listed.sent.map((command) => command.slice(-2))).toEqual([
      ["0", "1000"],
      ["1000", "1000"],
    ]);
  });
});

describe("steps and leases of tasks on Redis", () => {
  const begin = (reply: unknown): Promise<unknown> =>
    new RedisLedger(createScriptedRedis(() => reply).context).begin("scope", "step", 1);

  test("a step is new, or fenced", async () => {
    expect([await begin([]), await begin(["token"])]).toEqual([{ state: "fenced" }, { state: "new", token: "token" }]);
  });

  test("a step that has ended has its outcome, which only this step can have", async () => {
    const redis = createScriptedRedis(() => 1);
    expect(await new RedisLedger(redis.context).finish("scope", "step", { attempt: 2, outcome: { a: 1 } })).toBe(
      "kept",
    );
    const sealed = redis.sent[0]?.at(-1);
    expect([sealed?.includes('"a"'), redis.sent[0]?.at(-2)]).toEqual([false, "2"]);
    const ledger = new RedisLedger(createScriptedRedis(() => ["token", sealed]).context);
    expect(await ledger.begin("scope", "step", 3)).toEqual({ state: "done", token: "token", outcome: { a: 1 } });
    await expect(ledger.begin("scope", "other step", 3)).rejects.toThrow("cannot be read; it is not run again");
  });

  test("a step that another attempt has taken is not finished", async () => {
    const { context, sent } = createScriptedRedis(() => 0, { keys: [2, 1] });
    const ledger = new RedisLedger(context);
    expect(await ledger.finish("scope", "step", { attempt: 1, outcome: undefined })).toBe("fenced");
    sent.length = 0;
    await ledger.remove("scope");
    expect([sent.map(([name]) => name), new Set(sent.map(([, name]) => name)).size]).toEqual([["DEL", "DEL"], 2]);
  });

  test("the outcome of a step may be as large as a task, and a larger one is not stored", async () => {
    const { context, sent } = createScriptedRedis(() => 1);
    const ledger = new RedisLedger({ ...context, limits: { ...context.limits, maxTaskSize: 10 } });
    expect(await ledger.finish("scope", "step", { attempt: 1, outcome: "12345678" })).toBe("kept");
    sent.length = 0;
    const finish = ledger.finish("scope", "step", { attempt: 1, outcome: "123456789" });
    await expect(finish).rejects.toThrow("The outcome of a step has 11 characters; return less");
    expect(sent).toEqual([]);
  });

  test("leases of no tasks need no command", async () => {
    const redis = createScriptedRedis(() => ["a"]);
    const leases = new RedisTaskLeases(redis.context.commands, redis.context.names.leases);
    await leases.remove([]);
    expect([await leases.renew([], "n", 5), redis.sent]).toEqual([[], []]);
    expect([await leases.renew(["a", "b"], "n", 5.5), await leases.take("n", 2)]).toEqual([["a"], ["a"]]);
    await leases.add("a", "n", 5.5);
    await leases.remove(["a"]);
    expect(redis.sent.map((command) => command.slice(5))).toEqual([
      ["n", "6", "a", "b"],
      ["n", "2", "6000"],
      ["n", "6", "a"],
      ["a"],
    ]);
  });
});

describe("the tag of a session on Redis", () => {
  test.each<readonly [string, readonly number[], 0 | 1]>([
    ["the current key", [1], 0],
    ["an earlier key", [0, 1], 1],
    ["no key", [0, 0, 0, 0], 0],
  ])("a session is found under %s, and looked up once", async (_name, replies, index) => {
    const redis = createScriptedRedis((_command, count) => replies[count - 1] ?? 0, { keys: [2, 1] });
    const { ring, sessionTags } = redis.context;
    const tag = ring.tags("session", key.id, key.owner)[index];
    expect([await sessionTags.find(key), await sessionTags.find(key)]).toEqual([tag, tag]);
    expect(namesOf(redis)).toEqual(replies.map(() => "EXISTS"));
  });

  test("a session needs no look-up with one key", async () => {
    const redis = createScriptedRedis(() => 0);
    expect(await redis.context.sessionTags.find(key)).toBe(redis.context.ring.tags("session", key.id, key.owner)[0]);
    expect(redis.sent).toEqual([]);
  });
});
