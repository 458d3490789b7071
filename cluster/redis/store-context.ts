import { defaultEngineLimits, type EngineLimits } from "../engine-limits.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { RedisCommands } from "./commands.ts";
import type { Health } from "../engine/health.ts";
import { nameSession } from "../name-session.ts";
import { setLimited } from "../../runtime/internal/set-limited.ts";
import type { KeyRing } from "../engine/key-ring.ts";
import type { RedisNames } from "./names.ts";
import { toNumber } from "./replies.ts";

/** Limits of what the engine stores on Redis. */
export interface RedisLimits extends EngineLimits {
  /** Tasks at a time, including ended ones. One principal may hold half of them. Default 10,000. */
  readonly maxTasks: number;
  /** Tasks per owner. Default 1,000. */
  readonly maxTasksPerOwner: number;
  /** Characters of one task, or of the outcome of one of its steps. A larger outcome is not stored, and its task fails. Default 16 Mi. */
  readonly maxTaskSize: number;
  /** Milliseconds for which the steps of unfinished tasks are kept after the last one began. Default 24 h. */
  readonly ledgerTtl: number;
  /** Steps of one task. Default 10,000. */
  readonly maxSteps: number;
}

/** Limits of an engine whose user sets none. */
export const defaultRedisLimits: RedisLimits = {
  ...defaultEngineLimits,
  maxTasks: 10_000,
  maxTasksPerOwner: 1_000,
  maxTaskSize: 16 * 1024 * 1024,
  ledgerTtl: 86_400_000,
  maxSteps: 10_000,
};

/** Parts shared by all stores of one engine. */
export interface StoreContext {
  readonly commands: RedisCommands;
  readonly names: RedisNames;
  readonly ring: KeyRing;
  readonly limits: RedisLimits;
  readonly health: Health;
  readonly sessionTags: SessionTags;
}

/** Finds the tags of sessions. While keys are replaced a session may have the tag of an older one. */
export class SessionTags {
  readonly #context: Pick<StoreContext, "commands" | "names" | "ring">;
  /** Tags by the name of their session. */
  readonly #known = new Map<string, string>();

  constructor(context: Pick<StoreContext, "commands" | "names" | "ring">) {
    this.#context = context;
  }

  async find(session: SessionKey): Promise<string> {
    const name = nameSession(session);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const { commands, names, ring } = this.#context;
    const tags = ring.tags("session", session.id, session.owner);
    const [current] = tags;
    const found = tags.length === 1 ? current : await findExisting(commands, tags, (tag) => names.session(tag)[0]);
    // A session that does not exist may be created with another key.
    if (found !== undefined) setLimited(this.#known, [name, found], mostTags);
    return found ?? current;
  }
}

/** Returns the first of several tags whose key exists. */
export async function findExisting(
  commands: RedisCommands,
  tags: readonly string[],
  toKey: (tag: string) => string,
): Promise<string | undefined> {
  for (const tag of tags) {
    const key = toKey(tag);
    if (toNumber(await commands.send(key, ["EXISTS", key])) > 0) return tag;
  }
  return undefined;
}

const mostTags = 10_000;
