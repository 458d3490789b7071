import type { ReplayStore } from "../../runtime/stores/replay-store.ts";
import { toText } from "./replies.ts";
import type { StoreContext } from "./store-context.ts";
import { defineScript, type RedisScript } from "./scripts/script.ts";

/** Used keys on Redis. A failed operation throws, so that nothing is accepted twice. */
export class RedisReplays implements ReplayStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  async add(key: string, until: number): Promise<boolean> {
    const { commands, names, ring } = this.#context;
    const [current, ...older] = ring.tags("replay", key).map((tag) => names.replay(tag));
    if (current === undefined) return false;
    const now = Date.now();
    const milliseconds = Math.max(1, Math.ceil(until - now)) + margin;
    const added = await commands.runDurably(addUse, [current], [String(now), String(until), String(milliseconds)]);
    if (added !== 1) return false;
    // Nodes that still use the keys in the other order have recorded it under another name.
    const earlier = await Promise.all(older.map(async (name) => toText(await commands.send(name, ["GET", name]))));
    return earlier.every((known) => known === undefined || (known !== "1" && Number(known) <= now));
  }
}

/**
 * Milliseconds for which a key is kept longer. The clocks of the nodes differ, and another node may accept the key after this node no longer would.
 */
const margin = 600_000;

/**
 * Records the use of a key, unless it was used and may not be forgotten yet. Returns 1, or 0 when it was used. The value is the time after which it may
 * be forgotten; `1` in version 0.1.
 *
 * KEYS[1]: used key. ARGV: present, time after which the key may be forgotten, milliseconds to keep it
 */
const addUse: RedisScript = defineScript(
  "add-use",
  `
local known = redis.call('GET', KEYS[1])
local earlier = known and tonumber(known)
if known and (not earlier or earlier == 1 or earlier > tonumber(ARGV[1])) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`,
);
