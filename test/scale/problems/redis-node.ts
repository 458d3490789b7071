import type { OnTestFinishedHandler } from "vitest";
import { createRedisEngine, type RedisEngineOptions } from "../../../runtime/adapters/redis/index.ts";
import { joinCluster } from "../../../runtime/scale/cluster.ts";
import type { Engine } from "../../../runtime/stores/engine.ts";
import { start, type Answer, type Rig, type Tool } from "../../runtime/transport/http-server/http-rig.ts";
import { startRedis, type RedisProcess } from "../cluster/redis-process.ts";

/** Node with a Redis server of its own. Both end with the test. */
export interface RedisNode {
  readonly redis: RedisProcess;
  readonly engine: Engine;
  readonly rig: Rig;
  /** Returns the state that `/ready` reports. */
  readState(): Promise<unknown>;
  /** Sends a command to Redis that has to succeed. */
  command(...words: readonly string[]): Promise<void>;
}

/** Options of a node. */
export interface RedisNodeOptions extends Partial<RedisEngineOptions> {
  /** Registers what happens at the end of the test. */
  readonly onTestFinished: (end: OnTestFinishedHandler) => void;
  /** ACL rules of the account that the node uses. Default: the account that may do everything. */
  readonly permissions?: readonly string[];
}

export const password = "canary-password";

/** ACL rules that the guide gives. */
export const guideRules: readonly string[] = [
  ...["~shop:*", "&shop:*"],
  ...["+@read", "+@write", "+@scripting", "+@pubsub", "+@connection", "+time", "+wait"],
];

/** Starts Redis, and a node with these tools that uses it. */
export async function startRedisNode(
  tools: Record<string, Tool>,
  { onTestFinished, permissions, ...options }: RedisNodeOptions,
): Promise<RedisNode> {
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  if (permissions) await addUser(redis, permissions);
  const url = permissions ? redis.url.replace("//", `//app:${password}@`) : redis.url;
  const engine = createRedisEngine({ url, keys: [new Uint8Array(32).fill(7)], prefix: "shop", ...options });
  const cluster = await joinCluster(engine, { lease: 1_000, onError: () => {} });
  onTestFinished(() => cluster.close());
  const rig = await start(tools, { retry: 20, ready: "/ready", cluster });
  onTestFinished(() => rig.close());
  return {
    redis,
    engine,
    rig,
    readState: async () => readStatus(await rig.send({ method: "GET", path: "/ready" })),
    async command(...words) {
      const reply = await redis.command(...words);
      if (reply.startsWith("-")) throw new Error(`Redis rejects ${words[0]}: ${reply}`);
    },
  };
}

/** Creates the account `app`, or replaces its rules. */
export async function addUser(redis: RedisProcess, permissions: readonly string[]): Promise<void> {
  const reply = await redis.command("ACL", "SETUSER", "app", "reset", "on", `>${password}`, ...permissions);
  if (!reply.startsWith("+OK")) throw new Error(`Redis rejects the rules: ${reply}`);
}

function readStatus({ json }: Answer): unknown {
  return json !== null && typeof json === "object" && "status" in json ? json.status : undefined;
}
