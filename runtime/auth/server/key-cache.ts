/** When keys are fetched, in milliseconds. */
export interface KeyCacheOptions {
  readonly maxAge: number;
  readonly maxStale: number;
  readonly cooldown: number;
  readonly now: () => number;
}

/**
 * Keys that somebody else publishes. Who waits for them is the first to ask, and whoever asks when they have become too old; otherwise they are
 * fetched again in the background. However many tokens name keys that do not exist, and whether fetching goes well or not, it is done once in a
 * while.
 */
export class KeyCache<Keys> {
  readonly #load: () => Promise<Keys>;
  readonly #options: KeyCacheOptions;
  #keys: Keys | undefined;
  #loadedAt = -Infinity;
  #triedAt = -Infinity;
  #running: Promise<Keys> | undefined;
  #failure: unknown;

  constructor(load: () => Promise<Keys>, options: KeyCacheOptions) {
    this.#load = load;
    this.#options = options;
  }

  /** The keys to try first. Rejects when there are none, or none that are young enough. */
  async get(): Promise<Keys> {
    const { maxAge, maxStale, now } = this.#options;
    const age = now() - this.#loadedAt;
    if (this.#keys === undefined || age > maxStale) return this.#reload();
    // It is told to whoever waits for keys next; until then there are keys.
    if (age > maxAge && this.#isRested) this.#reload().catch(() => {});
    return this.#keys;
  }

  /** The keys after a token has named one that is not among these: the same ones if they were fetched just now. */
  async renew(tried: Keys): Promise<Keys> {
    if (this.#keys !== undefined && this.#keys !== tried) return this.#keys;
    return this.#running || this.#isRested ? this.#reload().catch(() => tried) : tried;
  }

  get #isRested(): boolean {
    return this.#options.now() - this.#triedAt >= this.#options.cooldown;
  }

  #reload(): Promise<Keys> {
    if (this.#running) return this.#running;
    if (this.#failure !== undefined && !this.#isRested) return Promise.reject(this.#failure);
    this.#triedAt = this.#options.now();
    this.#running = this.#fetch().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #fetch(): Promise<Keys> {
    try {
      const keys = await this.#load();
      this.#keys = keys;
      this.#loadedAt = this.#options.now();
      this.#failure = undefined;
      return keys;
    } catch (thrown) {
      this.#failure = thrown ?? new Error("The keys could not be fetched");
      throw thrown;
    }
  }
}
