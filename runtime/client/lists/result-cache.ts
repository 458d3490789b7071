import { isObject } from "../../../generated/support.ts";
import { setLimited } from "../../internal/set-limited.ts";
import { systemClock, type Clock } from "../../internal/timers.ts";

/** Options of the cache for results, as far as servers allow clients to keep them. */
export interface CacheOptions {
  /** Maximum age in milliseconds, regardless of what a server states. Default 24 h. */
  readonly maxAge?: number;
  /** Maximum number of results of one session; the oldest are dropped first. Default 1000. */
  readonly maxEntries?: number;
  /** True to cache the contents of resources, too: treat them as read-only. Default `true`. */
  readonly reads?: boolean;
  /**
   * Returns the user of the requests, if one session acts for several users in turn: private results of one are not returned to another.
   * Default: one user.
   */
  readonly principal?: () => string;
}

/** End of the freshness of a new result, and its audience. */
export interface Freshness {
  /** Milliseconds in the time of the clock; 0 if the result may not be cached. */
  readonly until: number;
  readonly isPublic: boolean;
}

/** State of the cache at the time of a request. */
export interface CacheState {
  /** Increases whenever something is dropped: an earlier request may have an outdated result when it arrives. */
  readonly version: number;
  readonly principal: string;
}

/**
 * Cache of results by request and user, for as long as the server allows.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export class ResultCache {
  readonly #clock: Clock;
  readonly #options: CacheOptions;
  readonly #entries = new Map<string, Entry>();
  #version = 0;

  constructor(options: CacheOptions & { readonly clock: Clock | undefined }) {
    this.#clock = options.clock ?? systemClock;
    this.#options = options;
  }

  /** Current state of the cache, for the next request. */
  get asking(): CacheState {
    return { version: this.#version, principal: this.#principal };
  }

  /** Reads the freshness of a result. Without a time, or with an invalid one, the result may not be cached. */
  readFreshness(result: unknown): Freshness {
    const { ttlMs, cacheScope } = isObject(result) ? result : {};
    const { maxAge = 24 * 60 * 60 * 1000 } = this.#options;
    const isKept = typeof ttlMs === "number" && ttlMs > 0;
    return { until: isKept ? this.#clock.now() + Math.min(ttlMs, maxAge) : 0, isPublic: cacheScope === "public" };
  }

  /** Returns the value of a key if it is still fresh. */
  find(key: string): unknown {
    const entry = this.#entries.get(this.#toPrivate(key)) ?? this.#entries.get(toPublic(key));
    return entry && this.#clock.now() < entry.until ? entry.value : undefined;
  }

  /**
   * Caches a value, unless it may not be cached or anything was dropped since it was requested. A private value is not cached either if the user
   * has changed since then: its owner is not known. Returns true if the value is cached.
   */
  keep(key: string, value: unknown, { until, isPublic, version, principal }: Freshness & CacheState): boolean {
    if (until <= this.#clock.now() || version !== this.#version) return false;
    if (!isPublic && principal !== this.#principal) return false;
    const { maxEntries = 1_000 } = this.#options;
    const place = isPublic ? toPublic(key) : this.#toPrivate(key);
    setLimited(this.#entries, [place, { key, value, until }], maxEntries);
    return true;
  }

  /** Drops every value with a matching key, for all users. */
  forget(isMeant: (key: string) => boolean): void {
    this.#version += 1;
    for (const [place, { key }] of [...this.#entries]) if (isMeant(key)) this.#entries.delete(place);
  }

  #toPrivate(key: string): string {
    return `private ${JSON.stringify([this.#principal, key])}`;
  }

  get #principal(): string {
    return this.#options.principal?.() ?? "";
  }
}

interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly until: number;
}

function toPublic(key: string): string {
  return `public ${key}`;
}
