import { isObject } from "../../generated/support.ts";
import type { Clock } from "../../runtime/internal/timers.ts";
import type { SessionValues } from "../../runtime/jsonrpc/channel.ts";
import { SetupError } from "../../runtime/jsonrpc/errors.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { SharedValueStore } from "../../runtime/stores/shared-value-store.ts";
import { parseLimited } from "./parse-limited.ts";
import { runLocked, type Locking } from "./run-locked.ts";

/** Dependencies of the values of a session. */
export interface SharedSessionValuesOptions {
  /** Store of the engine, if it has one. */
  readonly values: SharedValueStore | undefined;
  readonly clock: Clock;
  fail(thrown: unknown): void;
}

/** Values of one session on the engine, as one record. The key contains the owner: no other session or owner finds it. */
export class SharedSessionValues implements SessionValues {
  readonly #key: string;
  readonly #options: SharedSessionValuesOptions;
  /** Updates so far, which run one after another. */
  #last: Promise<unknown> = Promise.resolve();
  /** Time at which this node has last extended the lifetime of the record, in the milliseconds of the clock. */
  #extendedAt = -Infinity;

  constructor(key: SessionKey, options: SharedSessionValuesOptions) {
    this.#key = toName(key);
    this.#options = options;
  }

  async get(name: string): Promise<string | undefined> {
    const known = await this.#read();
    if (known.size > 0) this.#extend();
    return known.get(name);
  }

  update(name: string, change: (text: string | undefined) => string): Promise<string> {
    return this.#inTurn(() => this.#change(name, change));
  }

  /** Runs a function after those before it, while no other node changes the record. */
  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => runLocked(this.#key, run, this.#locking));
    // The caller receives the failure; the next function runs all the same.
    this.#last = result.catch(() => {});
    return result;
  }

  /** Extends the lifetime of the record from time to time, in the background: a session may be used for longer than this without a change. */
  #extend(): void {
    const { clock, fail } = this.#options;
    if (clock.now() - this.#extendedAt < lifetime / 4) return;
    this.#extendedAt = clock.now();
    this.#inTurn(() => this.#storeAgain()).catch(fail);
  }

  async #storeAgain(): Promise<void> {
    const text = await this.#store.get(this.#key);
    if (text !== undefined) await this.#store.set(this.#key, text, lifetime);
  }

  async #change(name: string, change: (text: string | undefined) => string): Promise<string> {
    const known = await this.#read();
    const text = change(known.get(name));
    const record = JSON.stringify(Object.fromEntries(known.set(name, text)));
    const bytes = new TextEncoder().encode(record).length;
    if (bytes > maxBytes)
      throw new Error(
        `The states of a session have ${bytes} bytes of at most ${maxBytes}; store large values elsewhere`,
      );
    await this.#store.set(this.#key, record, lifetime);
    this.#extendedAt = this.#options.clock.now();
    return text;
  }

  async #read(): Promise<Map<string, string>> {
    const text = await this.#store.get(this.#key);
    const record: unknown = text === undefined ? {} : parseLimited(text, maxBytes);
    const entries = Object.entries(isObject(record) ? record : {});
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  }

  get #store(): SharedValueStore {
    const { values } = this.#options;
    if (values) return values;
    throw new SetupError("The engine stores no values of sessions; use an engine with values");
  }

  get #locking(): Locking {
    const { clock, fail } = this.#options;
    return { values: this.#store, lease: 10_000, clock, fail };
  }
}

/** Removes the values of an ended session. */
export async function removeSessionValues(values: SharedValueStore | undefined, key: SessionKey): Promise<void> {
  await values?.delete(toName(key));
}

function toName({ id, owner }: SessionKey): string {
  return JSON.stringify(["session", owner ?? null, id]);
}

/** Bytes of all values of a session at most. */
const maxBytes = 128 * 1024;

/** Milliseconds to keep values after their last use, where the end of the session reaches no node. */
const lifetime = 24 * 3_600_000;
