import type { ResultCache } from "../lists/result-cache.ts";
import { isAtOrBelow } from "../subscriptions/resource-subscriptions.ts";

/** How a resource is read. */
export interface ReadOptions {
  /** Ask the server even if the result has been kept. Default `false`. */
  readonly refresh?: boolean;
}

/** What reading resources gave, kept for as long as the server lets us. */
export class Reads {
  readonly #cache: ResultCache;
  readonly #isAnswered: (result: object) => boolean;

  /** @param isAnswered - whether a result rests on what was answered to the server in between: such a one is nobody else's */
  constructor(cache: ResultCache, isAnswered: (result: object) => boolean) {
    this.#cache = cache;
    this.#isAnswered = isAnswered;
  }

  /** Gives what is kept, or asks. */
  async read(
    uri: string,
    ask: () => Promise<Record<string, unknown>>,
    { refresh = false }: ReadOptions,
  ): Promise<object> {
    const kept = refresh ? undefined : this.#cache.find(toKey(uri));
    if (typeof kept === "object" && kept !== null) return kept;
    const { asking } = this.#cache;
    const result = await ask();
    if (this.#isAnswered(result)) return result;
    this.#cache.keep(toKey(uri), result, { ...this.#cache.readFreshness(result), ...asking });
    return result;
  }

  /** A resource changed: what it is part of did, too, and perhaps what is part of it. */
  forget(updated: string): void {
    this.#cache.forget((key) => {
      const uri = key.startsWith(mark) ? key.slice(mark.length) : undefined;
      return uri !== undefined && (isAtOrBelow(updated, uri) || isAtOrBelow(uri, updated));
    });
  }

  /** Resources came or went. */
  forgetAll(): void {
    this.#cache.forget((key) => key.startsWith(mark));
  }
}

const mark = "read ";

function toKey(uri: string): string {
  return `${mark}${uri}`;
}
