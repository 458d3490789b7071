import { SetupError } from "../../runtime/jsonrpc/errors.ts";
import type { RedisLink } from "./connection/link.ts";
import type { RedisConnection } from "./connection/redis-client.ts";
import type { RedisNames } from "./names.ts";
import { toTexts } from "./replies.ts";

/** Settings of Redis as far as they matter here. */
export interface RedisSettings {
  /** Number of replicas following the primary now. */
  readonly replicas: number;
  /** Settings under which it may lose data, each in one sentence. */
  readonly weaknesses: readonly string[];
}

/** Server of which the settings are read. */
export type RedisServerConnection = Pick<RedisConnection, "command">;

/**
 * Checks the version of a server, and reads its settings.
 *
 * @param isStrict - true where every acknowledged write has to survive a crash of the machine
 * @throws {SetupError} when it cannot be used
 */
export async function readSettings(server: RedisServerConnection, isStrict: boolean): Promise<RedisSettings> {
  const info = await tryCommand(server, ["INFO"]);
  if (typeof info !== "string") return { replicas: 0, weaknesses: [unreadable] };
  const version = readField(info, "redis_version") ?? "0";
  if (!isSupported(version))
    throw new SetupError(`Redis ${version} is not supported; use Redis 6.2 or newer, or Valkey`);
  const replicas = Number(readField(info, "connected_slaves") ?? 0);
  const hasLimit = Number(readField(info, "maxmemory") ?? 0) > 0;
  const policy = readField(info, "maxmemory_policy") ?? "noeviction";
  const weaknesses: string[] = [];
  if (policy !== "noeviction" && hasLimit)
    weaknesses.push(`Redis removes data when it is full (maxmemory-policy ${policy}); set maxmemory-policy noeviction`);
  if (readField(info, "aof_enabled") !== "1")
    weaknesses.push("Redis loses data when it stops (appendonly no); set appendonly yes");
  weaknesses.push(...(await checkFsync(server, isStrict)));
  return { replicas, weaknesses };
}

/** Checks when writes reach the disk. `everysec`, the default of Redis, is a weakness only where the engine is strict. */
async function checkFsync(server: RedisServerConnection, isStrict: boolean): Promise<readonly string[]> {
  const fsync = toTexts(await tryCommand(server, ["CONFIG", "GET", "appendfsync"]))[1];
  if (fsync === undefined) return isStrict ? [unreadableFsync] : [];
  if (fsync === "always" || (fsync === "everysec" && !isStrict)) return [];
  return [`Redis may lose writes when its machine stops (appendfsync ${fsync}); set appendfsync always`];
}

const unreadableFsync = "The setting appendfsync cannot be read; permit CONFIG with the ACL rule +config|get";

const unreadable = "The settings of Redis cannot be read; permit INFO with the ACL rule +info";

/** Further commands an account needs, beyond the categories. */
const rules = "+@read +@write +@scripting +@pubsub +@connection +time +wait";

/** Names used by the application. */
export interface CheckedNames {
  readonly names: RedisNames;
  readonly prefix: string;
}

/**
 * Performs each kind of command once. A server passes even if it rejects writes for now.
 *
 * @throws {SetupError} when a permission is missing
 */
export async function checkCommands(
  command: (args: readonly string[]) => Promise<unknown>,
  publishCommand: string,
  { names: { probe }, prefix }: CheckedNames,
): Promise<void> {
  await withPermission(prefix, async () => {
    await command(["EVAL", probeScript, "1", probe, publishCommand]);
    await command(["WAIT", "0", "1"]);
  });
}

/**
 * Subscribes to a channel once.
 *
 * @throws {SetupError} when the permission is missing
 */
export async function checkChannels(
  { subscribe, unsubscribe }: Pick<RedisLink, "subscribe" | "unsubscribe">,
  { names: { probe }, prefix }: CheckedNames,
): Promise<void> {
  await withPermission(prefix, async () => {
    await subscribe(probe, () => {});
    await unsubscribe(probe);
  });
}

async function withPermission(prefix: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const text = error instanceof Error ? error.message : "";
    if (/OOM|MISCONF|NOREPLICAS/.test(text)) return;
    if (!/NOPERM|ACL|permission|user executing the script can't/i.test(text)) throw error;
    throw new SetupError(`The Redis user lacks permissions; give it ~${prefix}:* &${prefix}:* ${rules}`, {
      cause: error,
    });
  }
}

const probeScript = `
redis.call('TIME')
redis.call('HSET', KEYS[1], 'a', 1)
redis.call('PEXPIRE', KEYS[1], 1000)
redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1])
redis.call('XADD', KEYS[1], '*', 'a', 1)
redis.call('XRANGE', KEYS[1], '-', '+')
redis.call('DEL', KEYS[1])
redis.call('ZADD', KEYS[1], 1, 'a')
redis.call('ZRANGE', KEYS[1], 0, -1)
redis.call('DEL', KEYS[1])
redis.call('SADD', KEYS[1], 'a')
redis.call('RPUSH', KEYS[1] .. '2', 'a')
redis.call('DEL', KEYS[1], KEYS[1] .. '2')
redis.call(ARGV[1], KEYS[1], '')
return 1
`;

async function tryCommand(server: RedisServerConnection, args: readonly string[]): Promise<unknown> {
  try {
    return await server.command(args);
  } catch (error) {
    if (error instanceof Error && /^(NOPERM|ERR)/.test(error.message)) return undefined;
    throw error;
  }
}

/** Returns a field of the text returned by `INFO`. */
function readField(info: string, name: string): string | undefined {
  const line = info.split(/\r?\n/).find((candidate) => candidate.startsWith(`${name}:`));
  return line?.slice(name.length + 1);
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 6 || (major === 6 && minor >= 2);
}
