import { expect, test } from "vitest";
import { RedisCommands } from "../../../cluster/redis/commands.ts";
import type { RedisLink } from "../../../cluster/redis/connection/link.ts";
import { createNames } from "../../../cluster/redis/names.ts";
import { defaultRedisLimits, SessionTags } from "../../../cluster/redis/store-context.ts";
import { Watches } from "../../../cluster/redis/watches.ts";
import { Health } from "../../../cluster/engine/health.ts";
import { KeyRing } from "../../../cluster/engine/key-ring.ts";

/** Link whose subscriptions wait for `settle`. */
interface SlowLink extends RedisLink {
  settle: (error?: Error) => void;
  readonly calls: string[];
}

function createLink(): SlowLink {
  const calls: string[] = [];
  const link: SlowLink = {
    publishCommand: "PUBLISH",
    generation: 1,
    calls,
    settle: () => {},
    open: () => Promise.resolve(),
    close: () => {},
    command: () => Promise.resolve("OK"),
    subscribe: () =>
      new Promise((resolve, reject) => {
        calls.push("subscribe");
        link.settle = (error) => (error ? reject(error) : resolve());
      }),
    unsubscribe: () => Promise.resolve(void calls.push("unsubscribe")),
    renew: () => {},
    check: () => {},
  };
  return link;
}

function createWatches(link: RedisLink): Watches {
  const health = new Health("Redis");
  health.connected();
  const commands = new RedisCommands({ link, health, timeout: 10_000 });
  const names = createNames("shop");
  const ring = new KeyRing([new Uint8Array(32).fill(7)], { prefix: "shop", encrypt: false });
  const sessionTags = new SessionTags({ commands, names, ring });
  return new Watches({ commands, names, ring, limits: defaultRedisLimits, health, sessionTags }, link, () => {});
}

const session = { id: "s", owner: undefined };

test("two watches of a stream at the same time wait for one subscription", async () => {
  const link = createLink();
  const watches = createWatches(link);
  const ready: string[] = [];
  const adding = ["first", "second"].map(async (name) => {
    const unwatch = await watches.add(session, "a");
    ready.push(name);
    return unwatch;
  });
  await expect.poll(() => link.calls).toEqual(["subscribe"]);
  expect(ready).toEqual([]);
  link.settle();
  for (const unwatch of await Promise.all(adding)) unwatch();
  expect(ready).toEqual(["first", "second"]);
  expect(link.calls).toEqual(["subscribe", "unsubscribe"]);
});

test("a subscription that fails is an error for both, and a later one is new", async () => {
  const link = createLink();
  const watches = createWatches(link);
  const adding = Promise.allSettled(["first", "second"].map(() => watches.add(session, "a")));
  await expect.poll(() => link.calls).toEqual(["subscribe"]);
  link.settle(new Error("no reply"));
  expect((await adding).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const third = watches.add(session, "a");
  await expect.poll(() => link.calls).toEqual(["subscribe", "unsubscribe", "subscribe"]);
  link.settle();
  (await third)();
  watches.close();
});
