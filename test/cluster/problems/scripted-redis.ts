import { Health } from "../../../cluster/engine/health.ts";
import { KeyRing } from "../../../cluster/engine/key-ring.ts";
import { RedisCommands } from "../../../cluster/redis/commands.ts";
import type { RedisLink } from "../../../cluster/redis/connection/link.ts";
import { createNames } from "../../../cluster/redis/names.ts";
import { defaultRedisLimits, SessionTags, type StoreContext } from "../../../cluster/redis/store-context.ts";

/** Redis with replies of a test. */
export interface ScriptedRedis {
  readonly context: StoreContext;
  readonly link: RedisLink & { generation: number };
  /** Commands that were sent, each as a list of words. A script has its hash in place of its text. */
  readonly sent: (readonly string[])[];
  /** Values that did not verify. */
  invalid(): number;
}

export interface ScriptedRedisOptions {
  readonly publishCommand?: "PUBLISH" | "SPUBLISH";
  /** Fills of the keys, the current one first. Default: one. */
  readonly keys?: readonly [number, ...number[]];
}

/** Creates the parts of stores on Redis whose commands get the replies of a function. An error is a rejection. */
export function createScriptedRedis(
  reply: (command: readonly string[], count: number) => unknown,
  { publishCommand = "PUBLISH", keys = [7] }: ScriptedRedisOptions = {},
): ScriptedRedis {
  const sent: (readonly string[])[] = [];
  const link = {
    publishCommand,
    generation: 1,
    open: () => Promise.resolve(),
    close: () => {},
    async command(_key: string, args: readonly string[]) {
      sent.push(args);
      const outcome = await reply(args, sent.length);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    subscribe: () => Promise.resolve(),
    unsubscribe: () => Promise.resolve(),
    renew: () => {},
    check: () => {},
  };
  const health = new Health("Redis");
  health.connected();
  const commands = new RedisCommands({ link, health, timeout: 1_000 });
  const names = createNames("shop");
  const ring = new KeyRing(
    keys.map((fill) => new Uint8Array(32).fill(fill)),
    { prefix: "shop", encrypt: true },
  );
  const sessionTags = new SessionTags({ commands, names, ring });
  const context = { commands, names, ring, limits: defaultRedisLimits, health, sessionTags };
  const invalid = (): number =>
    Number(/^(\d+) messages or values were dropped/m.exec(health.read().problems.join("\n"))?.[1] ?? 0);
  return { context, link, sent, invalid };
}
