import type { ResultCache } from "../lists/result-cache.ts";
import { isAtOrBelow } from "../subscriptions/resource-subscriptions.ts";

/** Options for reading a resource through the cache. */
export interface ReadOptions {
  /** True to send the request even if the result is cached. Default `false`. */
  readonly refresh?: boolean;
}

/** Cache of the contents of resources, kept for as long as the server allows. */
export class ReadCache {
  readonly #cache: ResultCache;
  readonly #hasResponse: (result: object) => boolean;

  /** @param hasResponse - returns true if a result depends on responses to input requests: such a result is not cached */
  constructor(cache: ResultCache, hasResponse: (result: object) => boolean) {
    this.#cache = cache;
    this.#hasResponse = hasResponse;
  }

  /** Returns the cached result, or sends the request. */
  async read(
    uri: string,
    ask: () => Promise<Record<string, unknown>>,
    { refresh }: Required<ReadOptions>,
  ): Promise<object> {
    const kept = refresh ? undefined : this.#cache.find(toKey(uri));
    if (typeof kept === "object" && kept !== null) return kept;
    const { asking } = this.#cache;
    const result = await ask();
    if (this.#hasResponse(result)) return result;
    this.#cache.keep(toKey(uri), result, { ...this.#cache.readFreshness(result), ...asking });
    return result;
  }

  /** Drops a changed resource, with the resources which contain it and those inside of it. */
  forget(updated: string): void {
    this.#cache.forget((key) => {
      const uri = key.startsWith(mark) ? key.slice(mark.length) : undefined;
      return uri !== undefined && (isAtOrBelow(updated, uri) || isAtOrBelow(uri, updated));
    });
  }

  /** Drops all resources, because some were added or removed. */
  forgetAll(): void {
    this.#cache.forget((key) => key.startsWith(mark));
  }
}

const mark = "read ";

function toKey(uri: string): string {
  return `${mark}${uri}`;
}
