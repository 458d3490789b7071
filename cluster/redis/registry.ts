import type { RedisCommands } from "./commands.ts";
import { toNumber } from "./replies.ts";
import { admit, dismiss, extend } from "./scripts/registry.ts";

/** Entry of a registry. All members are pseudonyms. */
export interface RegistryEntry {
  readonly name: string;
  readonly owner: string;
  /** Holder with a share of its own; empty without. */
  readonly holder: string;
  /** Lifetime of the entry in milliseconds; 0: without end. */
  readonly ttl: number;
}

/** Limits the number of entries, and divides it among holders. */
export class Registry {
  readonly #commands: RedisCommands;
  readonly #keys: readonly [string, string, string];
  readonly #max: number;

  constructor(commands: RedisCommands, keys: readonly [string, string, string], max: number) {
    this.#commands = commands;
    this.#keys = keys;
    this.#max = max;
  }

  /** Adds an entry. `"full"`: there is no room, or another owner has the entry. */
  async admit({ name, owner, holder, ttl }: RegistryEntry): Promise<"added" | "known" | "full"> {
    const args = [name, owner, holder, String(Math.ceil(ttl)), String(this.#max)];
    const outcome = toNumber(await this.#commands.run(admit, this.#keys, args));
    if (outcome === 0) return "full";
    return outcome === 1 ? "added" : "known";
  }

  async extend(name: string, ttl: number): Promise<void> {
    await this.#commands.run(extend, this.#keys, [name, String(Math.ceil(ttl))]);
  }

  async dismiss(names: readonly string[]): Promise<void> {
    if (names.length > 0) await this.#commands.run(dismiss, this.#keys, names);
  }
}
