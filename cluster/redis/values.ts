import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { SharedValueStore, ValueLease } from "../../runtime/stores/shared-value-store.ts";
import { toText } from "./replies.ts";
import type { StoreContext } from "./store-context.ts";
import { defineScript, type RedisScript } from "./scripts/script.ts";

/** Secret values on Redis, always encrypted. */
export class RedisValues implements SharedValueStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  async get(key: string): Promise<string | undefined> {
    const { commands, names, ring, health } = this.#context;
    for (const tag of ring.tags("value", key)) {
      const [name] = names.value(tag);
      const value = toText(await commands.send(name, ["GET", name]));
      if (value === undefined) continue;
      const text = value.length > maxSize ? undefined : ring.decrypt(name, value);
      if (text !== undefined) return text;
      health.countInvalid();
    }
    return undefined;
  }

  async set(key: string, value: string, milliseconds: number): Promise<void> {
    const { commands, names, ring } = this.#context;
    const [current, ...older] = ring.tags("value", key);
    const [name] = names.value(current);
    const sealed = ring.encrypt(name, value);
    if (sealed.length > maxSize)
      throw new EngineError(`A value has ${sealed.length} characters; at most ${maxSize} are stored`);
    await commands.sendDurably(name, ["SET", name, sealed, "PX", String(Math.max(1, Math.ceil(milliseconds)))]);
    await this.#remove(older);
  }

  delete(key: string): Promise<void> {
    return this.#remove(this.#context.ring.tags("value", key));
  }

  async lock(key: string, { holder, milliseconds }: ValueLease): Promise<boolean> {
    const { commands } = this.#context;
    const time = String(Math.max(1, Math.ceil(milliseconds)));
    for (const name of this.#leases(key)) {
      if ((await commands.runDurably(lockValue, [name], [holder, time])) === 1) continue;
      await this.unlock(key, holder);
      return false;
    }
    return true;
  }

  async unlock(key: string, holder: string): Promise<void> {
    for (const name of this.#leases(key)) await this.#context.commands.run(unlockValue, [name], [holder]);
  }

  async #remove(tags: readonly string[]): Promise<void> {
    const { commands, names } = this.#context;
    for (const tag of tags) {
      const [name] = names.value(tag);
      await commands.sendDurably(name, ["DEL", name]);
    }
  }

  /** Returns the leases of a key, in an order independent of the order of the keys in the ring. */
  #leases(key: string): readonly string[] {
    const { names, ring } = this.#context;
    return ring
      .tags("value", key)
      .map((tag) => names.value(tag)[1])
      .sort();
  }
}

/** Characters of an encrypted value. */
const maxSize = 256 * 1024;

/** Begins or extends a lease. Returns 1; 0 while another holder has it. KEYS[1]: the lease. ARGV: holder, milliseconds */
const lockValue: RedisScript = defineScript(
  "lock-value",
  `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`,
);

/** Ends the lease of a holder. KEYS[1]: the lease. ARGV: holder */
const unlockValue: RedisScript = defineScript(
  "unlock-value",
  `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`,
);
