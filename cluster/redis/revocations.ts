import { renewRevocations, type FoundRevocation } from "../engine/renew-revocations.ts";
import type { RevocationStore, StoredRevocation } from "../stores/revocation-store.ts";
import { toTexts } from "./replies.ts";
import type { StoreContext } from "./store-context.ts";
import { defineScript, type RedisScript } from "./scripts/script.ts";

/** Revocations on Redis, encrypted. */
export class RedisRevocations implements RevocationStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  async add({ key, until }: StoredRevocation): Promise<void> {
    const { commands, names, ring } = this.#context;
    const milliseconds = Math.min(Math.ceil(until - Date.now()), longest);
    if (!(milliseconds > 0)) return;
    const [tag] = ring.tags("revocation", key);
    const args = [tag, ring.encrypt(place, key), String(milliseconds)];
    await commands.runDurably(addRevocation, names.revocations, args);
  }

  async list(): Promise<readonly StoredRevocation[]> {
    const { commands, names } = this.#context;
    const found: FoundRevocation[] = [];
    for (let skip = 0; ; skip += pageSize) {
      const page = toTexts(await commands.run(listRevocations, names.revocations, [String(skip), String(pageSize)]));
      for (let index = 0; index + 1 < page.length; index += 2) {
        const opened = this.#open(page[index] ?? "");
        if (opened) found.push({ ...opened, until: Date.now() + Number(page[index + 1]) });
      }
      if (page.length < 2 * pageSize) return renewRevocations(found, (one) => this.add(one));
    }
  }

  /** Returns the key of a revocation, if this application has stored it. */
  #open(value: string): Omit<FoundRevocation, "until"> | undefined {
    const { ring, health } = this.#context;
    const key = value.length > maxSize ? undefined : ring.decrypt(place, value);
    if (key !== undefined) return { key, isOutdated: ring.isOutdated(place, value) };
    health.countInvalid();
    return undefined;
  }
}

/** Place revocations are encrypted for. */
const place = "revocations";

/** Number of revocations read by one command. */
const pageSize = 1_000;

/** Characters of an encrypted revocation. */
const maxSize = 64 * 1024;

/** Milliseconds for which a revocation is kept: ten years. */
const longest = 10 * 365 * 24 * 3_600_000;

/*
 * KEYS[1]: hash of revocations by their tags
 * KEYS[2]: sorted set of the tags by the millisecond of expiry
 */

/** Keeps a revocation, and removes the expired ones. ARGV: tag, value, milliseconds */
const addRevocation: RedisScript = defineScript(
  "add-revocation",
  `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for _, tag in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%d', now), 'LIMIT', '0', '1000')) do
  redis.call('HDEL', KEYS[1], tag)
  redis.call('ZREM', KEYS[2], tag)
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], 'GT', string.format('%d', now + tonumber(ARGV[3])), ARGV[1])
local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
for _, key in ipairs(KEYS) do redis.call('PEXPIREAT', key, string.format('%d', tonumber(last[2]))) end
return 1
`,
);

/** Returns values and the milliseconds they have to live. ARGV: number to skip, largest number */
const listRevocations: RedisScript = defineScript(
  "list-revocations",
  `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local found = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. string.format('%d', now), '+inf', 'WITHSCORES', 'LIMIT', ARGV[1], ARGV[2])
local page = {}
for index = 1, #found, 2 do
  page[index] = redis.call('HGET', KEYS[1], found[index]) or ''
  page[index + 1] = string.format('%d', tonumber(found[index + 1]) - now)
end
return page
`,
);
