import { isObject } from "../../generated/support.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { SharedValueStore, ValueLease } from "../../runtime/stores/shared-value-store.ts";
import { mostAttempts, type NatsContext } from "./nats-context.ts";
import { NatsRecords, type NatsRecord } from "./records.ts";

/** Secret values on NATS, always encrypted. */
export class NatsValues implements SharedValueStore {
  readonly #context: NatsContext;
  readonly #values: NatsRecords;
  readonly #locks: NatsRecords;
  /** Removal of expired values in progress. */
  #removal: Promise<void> | undefined;

  constructor(context: NatsContext) {
    this.#context = context;
    this.#values = new NatsRecords(context, context.names.streams.values);
    this.#locks = new NatsRecords(context, context.names.streams.locks);
  }

  async get(key: string): Promise<string | undefined> {
    for (const subject of this.#subjects(key)) {
      const found = await this.#values.find(subject);
      if (found) return this.#open(subject, found);
    }
    return undefined;
  }

  #open(subject: string, found: NatsRecord): string | undefined {
    const stored = this.#parse(subject, found);
    if (!stored) this.#context.health.countInvalid();
    return stored && found.age < stored.milliseconds ? stored.value : undefined;
  }

  #parse(subject: string, { text }: NatsRecord): StoredValue | undefined {
    const clear = text.length > maxSize ? undefined : this.#context.ring.decrypt(subject, text);
    const stored = clear === undefined ? undefined : parseLimited(clear, maxSize);
    if (!isObject(stored) || typeof stored.value !== "string" || typeof stored.milliseconds !== "number")
      return undefined;
    return { value: stored.value, milliseconds: stored.milliseconds };
  }

  /** Removes expired values, some with each stored value. */
  async #removeExpired(): Promise<void> {
    await this.#values.removeExpired(this.#context.names.values, readsOfEach, (found, subject) => {
      const stored = found && this.#parse(subject, found);
      return stored !== undefined && found !== undefined && found.age >= stored.milliseconds;
    });
  }

  async set(key: string, value: string, milliseconds: number): Promise<void> {
    const [subject, ...older] = this.#subjects(key);
    const text = this.#context.ring.encrypt(subject, JSON.stringify({ value, milliseconds }));
    if (text.length > maxSize)
      throw new EngineError(`A value has ${text.length} characters; at most ${maxSize} are stored`);
    await this.#values.put(subject, text);
    for (const other of older) await this.#values.remove(other);
    // What cannot be removed now is removed later.
    this.#removal ??= this.#removeExpired()
      .catch(() => {})
      .finally(() => (this.#removal = undefined));
  }

  async delete(key: string): Promise<void> {
    for (const subject of this.#subjects(key)) await this.#values.remove(subject);
  }

  async lock(key: string, lease: ValueLease): Promise<boolean> {
    for (const subject of this.#locksOf(key)) {
      if (await this.#lock(subject, lease)) continue;
      await this.unlock(key, lease.holder);
      return false;
    }
    return true;
  }

  async unlock(key: string, holder: string): Promise<void> {
    for (const subject of this.#locksOf(key)) await this.#unlock(subject, holder);
  }

  async #lock(subject: string, lease: ValueLease): Promise<boolean> {
    for (let tries = 0; tries < mostAttempts; tries += 1) {
      const found = await this.#findLock(subject);
      if (found?.isHeld === true && found.holder !== lease.holder) return false;
      const text = JSON.stringify({ holder: lease.holder, milliseconds: lease.milliseconds });
      if ((await this.#locks.put(subject, text, found?.sequence ?? 0)) !== "conflict") return true;
    }
    return false;
  }

  async #unlock(subject: string, holder: string): Promise<void> {
    const found = await this.#findLock(subject);
    // A value is stored instead of removed: another holder may have locked the key meanwhile.
    if (found?.holder === holder)
      await this.#locks.put(subject, JSON.stringify({ holder, milliseconds: 0 }), found.sequence);
  }

  async #findLock(subject: string): Promise<FoundLock | undefined> {
    const found = await this.#locks.find(subject);
    if (!found) return undefined;
    const value = parseLimited(found.text, 10_000);
    const { holder, milliseconds } = isObject(value) ? value : {};
    const isValid = typeof holder === "string" && typeof milliseconds === "number";
    return {
      holder: isValid ? holder : "",
      sequence: found.sequence,
      isHeld: isValid && found.age < milliseconds,
    };
  }

  /** Returns the subjects of a value with each of the keys, the current key first. */
  #subjects(key: string): readonly [string, ...string[]] {
    const { names, ring } = this.#context;
    const [current, ...older] = ring.tags("value", key);
    return [names.value(current), ...older.map((tag) => names.value(tag))];
  }

  /** Returns the locks of a key, in an order independent of the order of the keys in the ring. */
  #locksOf(key: string): readonly string[] {
    const { names, ring } = this.#context;
    return ring
      .tags("value", key)
      .map((tag) => names.lock(tag))
      .sort();
  }
}

interface StoredValue {
  readonly value: string;
  /** Milliseconds after which the value has expired. */
  readonly milliseconds: number;
}

interface FoundLock {
  readonly holder: string;
  readonly sequence: number;
  readonly isHeld: boolean;
}

/** Characters of an encrypted value. */
const maxSize = 256 * 1024;

/** Number of values read with each stored one, to find expired ones: more than one, so that they do not grow in number. */
const readsOfEach = 4;
