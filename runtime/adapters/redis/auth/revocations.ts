import { renewRevocations, type FoundRevocation } from "../../../scale/engine/renew-revocations.ts";
import type { RevocationStore, StoredRevocation } from "../../../stores/revocation-store.ts";
import { toTexts } from "../replies.ts";
import { addRevocation, listRevocations } from "../scripts/revocations.ts";
import type { StoreContext } from "../store-context.ts";

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
