import { createNames } from "../../../cluster/redis/names.ts";
import { KeyRing } from "../../../cluster/engine/key-ring.ts";
import { engineKey, enginePrefix } from "../processes/engine-keys.ts";
import type { RedisProcess } from "../processes/redis-process.ts";
import type { SentinelProcess } from "../processes/sentinel-process.ts";
import type { EngineState, HistoryLine } from "../history.ts";

/** Keys of the whole application: their entries are removed whenever they are used, or there is one of a kind. */
export const permanentKeys: RegExp = /:\{(sessions|tasks|a)\}:[xohl]$/;

/** What is known of a run at its end. */
export interface EndOfRun {
  readonly history: readonly HistoryLine[];
  readonly livingNodes: number;
}

/** Reads what Redis holds after everything has ended. */
export async function readEngineState(
  engine: RedisProcess | SentinelProcess,
  { history, livingNodes }: EndOfRun,
): Promise<EngineState> {
  const find = "local found = {} for _, key in ipairs(redis.call('KEYS', '*')) do";
  const readKeys = async (condition: string): Promise<readonly string[]> =>
    readReply(
      await engine.command("EVAL", `${find} if ${condition} then found[#found + 1] = key end end return found`, "0"),
    );
  const keys = await readKeys("true");
  return {
    keysWithoutExpiry: await readKeys("redis.call('PTTL', key) == -1"),
    leases: keys.filter((key) => key.includes(":n:")).length,
    livingNodes,
    keysOfEnded: findKeysOfEnded(keys, history),
  };
}

/** Returns the keys of sessions that their clients have ended. */
function findKeysOfEnded(keys: readonly string[], history: readonly HistoryLine[]): readonly string[] {
  const ring = new KeyRing([engineKey], { prefix: enginePrefix, encrypt: false });
  const names = createNames(enginePrefix);
  const starts = history
    .filter(({ op, phase, outcome }) => op === "end" && phase === "return" && outcome === "ok")
    .map(({ session = "", principal }) => names.streams(ring.tags("session", session, principal)[0]).slice(0, -1));
  const ended = new Set(starts);
  // The mark of a stream that is watched expires by itself, within a minute.
  return keys.filter((key) => !key.includes(":w:") && ended.has(/^[^{]*\{[^}]*\}:/.exec(key)?.[0] ?? ""));
}

/** Reads the strings of a reply that is an array (RESP2). */
function readReply(reply: string): readonly string[] {
  return reply.split("\r\n").filter((line) => line !== "" && !/^[*$+:-]/.test(line));
}
