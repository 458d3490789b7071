import { setLimited } from "../../internal/set-limited.ts";

/** Cache of verified tokens. A token is verified once per lifetime, and not with every request. */
export class TokenCache<Found> {
  readonly #found = new Map<string, { readonly value: Found; readonly until: number }>();
  readonly #running = new Map<string, Promise<Found>>();
  readonly #lifetime: number;

  /** @param lifetime - milliseconds for which a result is cached; no result is cached for 0 or less */
  constructor(lifetime: number) {
    this.#lifetime = lifetime;
  }

  /** Returns the cached result. @param now - monotonic clock in milliseconds */
  get(token: string, now: number): Found | undefined {
    const entry = this.#found.get(token);
    if (!entry || entry.until > now) return entry?.value;
    this.#found.delete(token);
    return undefined;
  }

  /** Runs `find` once for all concurrent callers with the same token. Failures are not cached, so invented tokens do not fill the cache. */
  async find(token: string, now: number, find: () => Promise<Found>): Promise<Found> {
    const running = this.#running.get(token);
    if (running) return running;
    const started = find();
    this.#running.set(token, started);
    try {
      const value = await started;
      if (this.#lifetime > 0) setLimited(this.#found, [token, { value, until: now + this.#lifetime }], mostTokens);
      return value;
    } finally {
      this.#running.delete(token);
    }
  }
}

const mostTokens = 5_000;
