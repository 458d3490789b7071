import type { ReplayStore } from "../../stores/replay-store.ts";
import { toText } from "./replies.ts";
import { addUse } from "./scripts/replays.ts";
import type { StoreContext } from "./store-context.ts";

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
