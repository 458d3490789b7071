import type { ReplayStore } from "../../stores/replay-store.ts";
import { findExisting, type StoreContext } from "./store-context.ts";

/** Used keys on Redis. An operation that fails throws, so that nothing is accepted twice. */
export class RedisReplays implements ReplayStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  async add(key: string, until: number): Promise<boolean> {
    const { commands, names, ring } = this.#context;
    const [current, ...older] = ring.tags("replay", key);
    const name = names.replay(current);
    const time = String(Math.max(1, Math.ceil(until - Date.now())));
    const reply = await commands.sendDurably(name, ["SET", name, "1", "PX", time, "NX"]);
    if (reply !== "OK") return false;
    // Nodes that still use the keys in the other order have recorded it under another name.
    return (await findExisting(commands, older, (tag) => names.replay(tag))) === undefined;
  }
}
