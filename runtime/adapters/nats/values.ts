import { isObject } from "../../../generated/support.ts";
import { parseLimited } from "../../scale/engine/parse-limited.ts";
import { EngineError } from "../../stores/engine.ts";
import type { SharedValueStore, ValueLease } from "../../stores/shared-value-store.ts";
import { mostAttempts, type NatsContext } from "./nats-context.ts";
import { NatsRecords } from "./records.ts";

/** Secret values on NATS, always encrypted. */
export class NatsValues implements SharedValueStore {
  readonly #context: NatsContext;
  readonly #values: NatsRecords;
  readonly #locks: NatsRecords;

  constructor(context: NatsContext) {
    this.#context = context;
    this.#values = new NatsRecords(context, context.names.streams.values.name);
    this.#locks = new NatsRecords(context, context.names.streams.locks.name);
  }

  async get(key: string): Promise<string | undefined> {
    const { ring, health } = this.#context;
    const { value: subject } = this.#subjects(key);
    const found = await this.#values.find(subject);
    if (!found) return undefined;
    const clear = found.text.length > maxSize ? undefined : ring.decrypt(subject, found.text);
    const stored = clear === undefined ? undefined : parseLimited(clear, maxSize);
    if (isObject(stored) && typeof stored.value === "string" && typeof stored.milliseconds === "number")
      return found.age < stored.milliseconds ? stored.value : undefined;
    health.countInvalid();
    return undefined;
  }

  async set(key: string, value: string, milliseconds: number): Promise<void> {
    const { value: subject } = this.#subjects(key);
    const text = this.#context.ring.encrypt(subject, JSON.stringify({ value, milliseconds }));
    if (text.length > maxSize)
      throw new EngineError(`A value has ${text.length} characters; at most ${maxSize} are stored`);
    await this.#values.put(subject, text);
  }

  delete(key: string): Promise<void> {
    return this.#values.remove(this.#subjects(key).value);
  }

  async lock(key: string, lease: ValueLease): Promise<boolean> {
    const { lock: subject } = this.#subjects(key);
    for (let tries = 0; tries < mostAttempts; tries += 1) {
      const found = await this.#findLock(subject);
      if (found?.isHeld === true && found.holder !== lease.holder) return false;
      const text = JSON.stringify({ holder: lease.holder, milliseconds: lease.milliseconds });
      if ((await this.#locks.put(subject, text, found?.sequence ?? 0)) !== "conflict") return true;
    }
    return false;
  }

  async unlock(key: string, holder: string): Promise<void> {
    const { lock: subject } = this.#subjects(key);
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

  #subjects(key: string): { readonly value: string; readonly lock: string } {
    const { names, ring } = this.#context;
    const [tag] = ring.tags("value", key);
    return { value: names.value(tag), lock: names.lock(tag) };
  }
}

interface FoundLock {
  readonly holder: string;
  readonly sequence: number;
  readonly isHeld: boolean;
}

/** Characters of an encrypted value. */
const maxSize = 256 * 1024;
