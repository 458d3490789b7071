import { isObject } from "../../../generated/support.ts";
import { systemClock, type Clock } from "../../internal/timers.ts";

/** How long results are kept that servers let clients keep. */
export interface CacheOptions {
  /** Longest time in milliseconds, whatever a server says. Default 24 h. */
  readonly maxAge?: number;
  /** Most results of one session; the oldest go first. Default 1000. */
  readonly maxEntries?: number;
  /** Keep what reading a resource gave, too. Treat it as read-only then. Default `true`. */
  readonly reads?: boolean;
  /**
   * Whose the requests are, where one session acts for several users in turn: what is private to one is not given to another.
   * Default: one user.
   */
  readonly principal?: () => string;
}

/** When a result that was just received stops being fresh, and whom it is for. */
export interface Freshness {
  /** In the time of the clock; 0 for what may not be kept. */
  readonly until: number;
  readonly isPublic: boolean;
}

/** What held when a result was asked for. */
export interface Asking {
  /** Grows whenever something is forgotten: what was asked for before may be old by the time it comes. */
  readonly version: number;
  readonly principal: string;
}

/**
 * Results that the server lets us keep, for as long as it says, by what was asked for and who asked.
 *
 * @see https://modelcontextprotocol.io/specification/latest/server/utilities/caching
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

  /** What holds now, for what is being asked for. */
  get asking(): Asking {
    return { version: this.#version, principal: this.#principal };
  }

  /** Reads what a result says about being kept; without a time, or with one that makes no sense, it may not be. */
  readFreshness(result: unknown): Freshness {
    const { ttlMs, cacheScope } = isObject(result) ? result : {};
    const { maxAge = 24 * 60 * 60 * 1000 } = this.#options;
    const isKept = typeof ttlMs === "number" && ttlMs > 0;
    return { until: isKept ? this.#clock.now() + Math.min(ttlMs, maxAge) : 0, isPublic: cacheScope === "public" };
  }

  /** What is kept under a key and still fresh. */
  find(key: string): unknown {
    const entry = this.#entries.get(this.#toPrivate(key)) ?? this.#entries.get(toPublic(key));
    return entry && this.#clock.now() < entry.until ? entry.value : undefined;
  }

  /**
   * Keeps a value, unless it may not be kept, or anything was forgotten since it was asked for. Where another user's turn has come
   * meanwhile, nobody knows whose private value it is.
   */
  keep(key: string, value: unknown, { until, isPublic, version, principal }: Freshness & Asking): boolean {
    if (until <= this.#clock.now() || version !== this.#version) return false;
    if (!isPublic && principal !== this.#principal) return false;
    const { maxEntries = 1_000 } = this.#options;
    const place = isPublic ? toPublic(key) : this.#toPrivate(key);
    this.#entries.delete(place);
    this.#entries.set(place, { key, value, until });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
    return true;
  }

  /** Drops what has a key of this kind, whoever asked for it. */
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
