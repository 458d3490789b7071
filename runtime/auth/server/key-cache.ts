/** Times for fetching keys, in milliseconds. */
export interface KeyCacheOptions {
  readonly maxAge: number;
  readonly maxStale: number;
  readonly cooldown: number;
  readonly now: () => number;
}

/**
 * Cache of keys published by another party. Callers wait for keys only on the first request, or when the keys have become too old. Otherwise the
 * cache fetches them again in the background. It fetches at most once per `cooldown`, regardless of the number of tokens with unknown keys, and of
 * whether fetching succeeds.
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

  /** Returns the keys to try first. Rejects if there are no recent enough keys. */
  async get(): Promise<Keys> {
    const { maxAge, maxStale, now } = this.#options;
    const age = now() - this.#loadedAt;
    if (this.#keys === undefined || age > maxStale) return this.#reload();
    // An error is reported to the next caller that has to wait for keys. Until then, the cached keys remain valid.
    if (age > maxAge && this.#mayReload) this.#reload().catch(() => {});
    return this.#keys;
  }

  /**
   * Returns the keys after a token named one which is not among the tried ones. These are the same keys if they were fetched recently. Rejects if the
   * last attempt to fetch them has failed: then it is not known whether the named key exists.
   */
  async renew(tried: Keys): Promise<Keys> {
    if (this.#keys !== undefined && this.#keys !== tried) return this.#keys;
    const isRecent = !this.#running && !this.#mayReload && this.#failure === undefined;
    return isRecent ? tried : this.#reload();
  }

  get #mayReload(): boolean {
    return this.#options.now() - this.#triedAt >= this.#options.cooldown;
  }

  #reload(): Promise<Keys> {
    if (this.#running) return this.#running;
    if (this.#failure !== undefined && !this.#mayReload) return Promise.reject(this.#failure);
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
      throw this.#failure;
    }
  }
}
