import type { RequestId } from "../jsonrpc/message.ts";
import type { SessionKey } from "../stores/session-store.ts";

/**
 * Attempts of accesses that reserve request ids. An access whose outcome is unknown may have reserved its ids: when the client sends the requests
 * again, the access is repeated as the same attempt, so that its own reservations do not count as used.
 */
export class AccessAttempts {
  /** Attempts whose outcome is unknown, the oldest first. */
  readonly #unknown = new Map<string, string>();
  #count = 0;

  /** Performs an access as a new attempt, or as the one that failed before. */
  async perform<Found>(
    key: SessionKey,
    reserve: readonly RequestId[],
    access: (attempt: string | undefined) => Promise<Found>,
  ): Promise<Found> {
    if (reserve.length === 0) return access(undefined);
    const attempt = this.#take(key, reserve);
    try {
      return await access(attempt);
    } catch (thrown) {
      this.#unknown.set(nameOf(key, reserve), attempt);
      if (this.#unknown.size > mostUnknown) this.#unknown.delete(this.#unknown.keys().next().value ?? "");
      throw thrown;
    }
  }

  /** Returns an attempt that no other access has at the same time. */
  #take(key: SessionKey, reserve: readonly RequestId[]): string {
    this.#count += 1;
    const fresh = this.#count.toString(36);
    if (this.#unknown.size === 0) return fresh;
    const name = nameOf(key, reserve);
    const known = this.#unknown.get(name);
    this.#unknown.delete(name);
    return known ?? fresh;
  }
}

function nameOf({ id, owner }: SessionKey, reserve: readonly RequestId[]): string {
  return JSON.stringify([id, owner, reserve]);
}

/** Maximum number of attempts that are remembered. */
const mostUnknown = 1_000;
