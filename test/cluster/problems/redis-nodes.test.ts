import { describe, expect, onTestFinished, test, vi } from "vitest";
import { sealEnvelope } from "../../../cluster/engine/envelope.ts";
import { Broadcasts } from "../../../cluster/redis/broadcasts.ts";
import { RedisMessages } from "../../../cluster/redis/messages.ts";
import { RedisNodes } from "../../../cluster/redis/nodes.ts";
import type { Broadcast, NodeMessage } from "../../../cluster/stores/node-directory.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { createGate } from "../../kit/time.ts";
import { createScriptedRedis } from "./scripted-redis.ts";

/* What nodes send to Redis, and what they make of each reply. */

const key = { id: "s", owner: "ada" };

describe("leases of nodes on Redis", () => {
  test.each([
    [true, "OK", true, []],
    [false, "OK", true, ["XX"]],
    [false, null, false, ["XX"]],
  ])("a lease (new: %s) with the reply %j is held: %s", async (isNew, reply, isHeld, rest) => {
    const redis = createScriptedRedis(() => reply);
    const nodes = new RedisNodes(redis.context, redis.link);
    expect(await nodes.renew("n", { milliseconds: 0.5, isNew })).toBe(isHeld);
    const lease = redis.context.names.lease("n");
    expect(redis.sent).toEqual([["SET", lease, "1", "PX", "1", ...rest]]);
  });

  test.each([
    [1, true],
    [0, false],
  ])("a node with the reply %i is alive: %s", async (reply, isAlive) => {
    const redis = createScriptedRedis(() => reply);
    const nodes = new RedisNodes(redis.context, redis.link);
    expect(await nodes.isAlive("n")).toBe(isAlive);
    await nodes.leave("n");
    expect(redis.sent.at(-1)).toEqual(["DEL", redis.context.names.lease("n")]);
  });
});

describe("messages to nodes on Redis", () => {
  const ended: NodeMessage = { kind: "ended", session: key };
  const task: NodeMessage = { kind: "task", id: "t", owner: "ada" };
  const text: NodeMessage = { kind: "send", session: key, text: "{}" };

  test.each<readonly [string, NodeMessage, readonly number[], boolean, string, number]>([
    ["a node that receives it", ended, [1], false, "sent", 1],
    ["a node without a lease", text, [0], false, "absent", 1],
    ["a node with a lease, which keeps it", ended, [0], true, "absent", 1],
    ["a node that connects again", text, [0, 0, 1], true, "sent", 3],
    ["a node that does not connect again", text, [], true, "absent", 6],
  ])("a message to %s", async (_name, message, replies, isAlive, outcome, attempts) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const redis = createScriptedRedis((_command, count) => replies[count - 1] ?? 0);
    const sending = new RedisMessages(redis.context).send("n", message, async () => isAlive);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await sending, redis.sent.length]).toEqual([outcome, attempts]);
  });

  /** Reader of messages, some of which are not valid. */
  const read = (pages: readonly (readonly [last: string, entries: readonly string[]])[]) => {
    const received: NodeMessage[] = [];
    const redis = createScriptedRedis((_command, count) => pages[count - 1] ?? ["9-0", []]);
    const reader = new RedisMessages(redis.context).createReader("n", (message) => received.push(message));
    const positions = (): readonly (string | undefined)[] => redis.sent.map((command) => command.at(-3));
    return { redis, reader, received, positions };
  };
  const seal = (value: unknown, place?: string): string => {
    const { context } = createScriptedRedis(() => "OK");
    return sealEnvelope(context.ring, place ?? context.names.messages("n").channel, value);
  };

  test("messages after the last one are received in order, in several pages", async () => {
    const full = Array.from({ length: 256 }, (_one, index) => [
      `1-${index + 1}`,
      seal({ ...ended, session: { id: `${index}` } }),
    ]);
    const { reader, received, positions } = read([
      ["1-0", []],
      ["2-0", full.flat()],
      ["2-0", ["2-0", seal(task)]],
    ]);
    await reader.start();
    await reader.readAll();
    expect([received.length, received.at(0), received.at(-1)]).toMatchObject([257, { session: { id: "0" } }, task]);
    expect(positions()).toEqual(["0-0", "1-0", "1-256"]);
  });

  test("texts that do not verify are dropped and counted, but for the empty one that begins a stream", async () => {
    const other = seal(ended, "another place");
    const { redis, reader, received } = read([
      ["4-0", ["1-0", "", "2-0", other, "3-0", seal({ kind: "own" }), "4-0", seal(ended)]],
    ]);
    await reader.readAll();
    expect([received, redis.invalid()]).toEqual([[ended], 2]);
  });

  test("messages are read from the beginning when the store has lost its data", async () => {
    const { reader, received, positions } = read([
      ["5-0", []],
      ["1-0", []],
      ["1-0", ["1-0", seal(ended)]],
    ]);
    await reader.start();
    await reader.readAll();
    expect([received, positions()]).toEqual([[ended], ["0-0", "5-0", "0-0"]]);
  });

  test("a reader that is stopped receives nothing", async () => {
    const { reader, received } = read([["1-0", ["1-0", seal(ended)]]]);
    reader.stop();
    await reader.readAll();
    expect(received).toEqual([]);
  });
});

describe("broadcasts on Redis", () => {
  const broadcast: Broadcast = { kind: "updated", uris: ["a"], sender: "n" };
  const { context } = createScriptedRedis(() => "OK");
  const sealed = sealEnvelope(context.ring, "broadcasts", broadcast);

  test("a broadcast has a position in its epoch", async () => {
    const { sent, context: own } = createScriptedRedis(() => ["5-1", "ab"]);
    expect(await new Broadcasts(own).add(broadcast)).toBe("5-1-ab");
    const { keys, channel } = own.names.broadcasts;
    const limits = [own.limits.broadcastTtl, own.limits.maxBroadcasts].map(String);
    const text = expect.stringContaining('"mac"');
    expect(sent[0]?.slice(2)).toEqual(["2", ...keys, text, expect.any(String), ...limits, "PUBLISH", channel]);
  });

  test.each([[["5-1"]], [[]], ["OK"], [null]])("a broadcast with the reply %j is an error", async (reply) => {
    const { context: own } = createScriptedRedis(() => reply);
    await expect(new Broadcasts(own).add(broadcast)).rejects.toThrow("Redis responded with unexpected broadcasts");
    await expect(new Broadcasts(own).findLast()).rejects.toThrow("Redis responded with unexpected broadcasts");
  });

  test.each<readonly [string, readonly unknown[], unknown]>([
    [
      "follow",
      ["ab", "1-0", "5-3", ["5-2", sealed, "5-3", "{}"]],
      [
        { broadcast, position: "5-2-ab" },
        { broadcast: undefined, position: "5-3-ab" },
      ],
    ],
    ["do not follow", ["ab", "5-1", "5-1", []], []],
    ["were removed", ["ab", "5-2", "5-3", ["5-3", sealed]], undefined],
    ["are of another epoch", ["cd", "1-0", "5-3", ["5-2", sealed]], undefined],
    ["were lost", ["ab", "0-0", "5-0", []], undefined],
  ])("broadcasts after a position that %s", async (_name, reply, expected) => {
    const { context: own } = createScriptedRedis(() => reply);
    expect(await new Broadcasts(own).after("5-1-ab")).toEqual(expected);
  });

  test("broadcasts are read in several pages", async () => {
    const full = Array.from({ length: 256 }, (_one, index) => [`5-${index + 2}`, sealed]).flat();
    const redis = createScriptedRedis((_command, count) => ["ab", "1-0", "6-0", count === 1 ? full : ["6-0", sealed]]);
    expect(await new Broadcasts(redis.context).after("5-1-ab")).toHaveLength(257);
    expect(redis.sent.map((command) => command.at(-2))).toEqual(["5-1", "5-257"]);
  });

  test("an invalid position is unknown to an engine that works, and an error of one that does not", async () => {
    const working = createScriptedRedis(() => ["ab", "1-0", "5-3", []]);
    expect(await new Broadcasts(working.context).after("5-1")).toBeUndefined();
    const lost = createScriptedRedis(() => new Error("closed"));
    await expect(new Broadcasts(lost.context).after("5-1")).rejects.toThrow(EngineError);
  });
});

test("a node on Redis finds later messages without a notice while another one of its process leaves", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const redis = createScriptedRedis((command) =>
    command.includes(redis.context.names.broadcasts.channel) || command.includes(redis.context.names.broadcasts.keys[0])
      ? ["ab", "0-0", "0-0", []]
      : ["0-0", []],
  );
  const nodes = new RedisNodes(redis.context, redis.link);
  const ignore = (): void => {};
  const receiver = { message: ignore, broadcastReceived: ignore, missed: ignore, changed: ignore };
  const [leave, leaveLast] = [await nodes.receive("n", receiver), await nodes.receive("m", receiver)];
  await leave();
  const reads = async (): Promise<boolean> => {
    redis.sent.length = 0;
    await vi.advanceTimersByTimeAsync(2_500);
    return redis.sent.some((command) => command.includes(redis.context.names.messages("m").key));
  };
  expect(await reads()).toBe(true);
  await leaveLast();
  expect([await reads(), redis.sent]).toEqual([false, []]);
});

test("a node on Redis receives what comes while it subscribes, and nothing after it has left", async () => {
  const gate = createGate();
  const message: NodeMessage = { kind: "ended", session: key };
  const { context } = createScriptedRedis(() => "OK");
  const text = sealEnvelope(context.ring, context.names.messages("n").channel, message);
  const redis = createScriptedRedis((command, count) => {
    if (command[0] === "DEL") return 1;
    if (command.includes(context.names.messages("n").key)) return count === 1 ? ["0-0", []] : ["1-0", ["1-0", text]];
    return ["ab", "0-0", "0-0", []];
  });
  const channels: string[] = [];
  const link = {
    ...redis.link,
    subscribe: (channel: string) => (channels.push(channel), gate.opened),
    unsubscribe: async (channel: string) => void channels.push(`no ${channel}`),
  };
  const nodes = new RedisNodes(redis.context, link);
  const received: unknown[] = [];
  const ignore = (): void => {};
  const receiver = {
    message: (one: unknown) => received.push(one),
    broadcastReceived: ignore,
    missed: ignore,
    changed: ignore,
  };
  const receiving = nodes.receive("n", receiver);
  await settle();
  expect(received).toEqual([]);
  gate.open();
  const leave = await receiving;
  await expect.poll(() => received).toEqual([message]);
  await leave();
  nodes.resume();
  await settle();
  const { channel } = context.names.messages("n");
  expect([received.length, channels]).toEqual([1, [channel, context.names.broadcasts.channel, `no ${channel}`]]);
  expect(redis.sent.at(-1)).toEqual(["DEL", context.names.messages("n").key]);
});
