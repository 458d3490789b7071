import { createHash } from "node:crypto";
import type { Clock } from "../runtime/internal/timers.ts";
import type { RequestId } from "../runtime/jsonrpc/message.ts";
import type { SessionKey } from "../runtime/stores/session-store.ts";
import type { SessionAccess, SharedSession, SharedSessionStore } from "./stores/shared-session-store.ts";
import { nameSession } from "./name-session.ts";

/** Dependencies of the accesses of a node. */
export interface SessionAccessesOptions {
  readonly sessions: SharedSessionStore;
  readonly clock: Clock;
  /** Returns the name of the node. */
  readonly nodeName: () => string;
  fail(thrown: unknown): void;
}

/**
 * Accesses of a node to sessions. The end of a request is stored with the next access to its session, or after a moment. A client in constant use
 * costs one operation a call.
 */
export class SessionAccesses {
  readonly #options: SessionAccessesOptions;
  readonly #attempts = new AccessAttempts();
  /** Ended requests, by the name of their session. */
  readonly #ended = new Map<string, { readonly key: SessionKey; readonly ids: readonly RequestId[] }>();
  #cancel: (() => void) | undefined;

  constructor(options: SessionAccessesOptions) {
    this.#options = options;
  }

  async access(
    key: SessionKey,
    access: Pick<SessionAccess, "reserve" | "version"> & Partial<Pick<SessionAccess, "node">>,
  ): Promise<SharedSession | undefined> {
    const { sessions, nodeName } = this.#options;
    const own = nodeName();
    const node = access.node ?? own;
    const name = nameSession(key);
    const ended = this.#ended.get(name)?.ids;
    this.#ended.delete(name);
    const ids = new Map((access.reserve ?? []).map((id) => [toStoredId(id), id]));
    const reserve = [...ids.keys()];
    try {
      const found = await this.#attempts.perform(key, reserve, async (attempt) =>
        sessions.access(key, {
          ...access,
          node,
          reserve,
          ...(ended && { ended }),
          // Several nodes reserve ids for the node of a bound session, and each of them counts its own attempts.
          ...(attempt !== undefined && { attempt: node === own ? attempt : `${own}.${attempt}` }),
        }),
      );
      return found && { ...found, used: found.used.flatMap((id) => ids.get(id) ?? []) };
    } catch (thrown) {
      if (ended) this.#remember(key, ended);
      throw thrown;
    }
  }

  /** Ends requests of a session after this node has run them. */
  end(key: SessionKey, ids: readonly RequestId[]): void {
    this.#remember(key, ids.map(toStoredId));
  }

  #remember(key: SessionKey, ids: readonly RequestId[]): void {
    const name = nameSession(key);
    this.#ended.set(name, { key, ids: [...(this.#ended.get(name)?.ids ?? []), ...ids] });
    this.#cancel ??= this.#options.clock.after(endDelay, () => void this.flush());
  }

  /** Stores the ends of all requests. A failure is reported. */
  async flush(): Promise<void> {
    const { sessions, nodeName, fail } = this.#options;
    this.#cancel?.();
    this.#cancel = undefined;
    const all = [...this.#ended.values()];
    this.#ended.clear();
    try {
      await Promise.all(all.map(async ({ key, ids }) => sessions.release(key, { node: nodeName(), ids })));
    } catch (thrown) {
      fail(thrown);
    }
  }
}

/**
 * Returns the form in which an engine keeps a request id: a long one is replaced by its hash, because a session remembers many ids. A hash is longer
 * than any id kept as it is, and therefore never the id of another request.
 */
export function toStoredId(id: RequestId): RequestId {
  if (typeof id === "number" || id.length < hashLength) return id;
  // JSON escapes lone surrogates, which are all the same in UTF-8.
  return createHash("sha256").update(JSON.stringify(id)).digest("base64url");
}

/** Characters of a SHA-256 digest in base64url. */
const hashLength = 43;

/** Milliseconds after which the end of a request is stored without an access. */
const endDelay = 100;

/**
 * Attempts of accesses with reservations of request ids. If the outcome of an access is unknown, its ids may be reserved. When the client sends the
 * requests again, the access is repeated as the same attempt: its own reservations do not count as used then.
 */
export class AccessAttempts {
  /** Attempts whose outcome is unknown, the oldest first. */
  readonly #unknown = new Map<string, string>();
  /** Characters of their names. */
  #characters = 0;
  #count = 0;

  /** Performs an access as a new attempt, or as a repetition of the failed one. */
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
      this.#remember(nameOf(key, reserve), attempt);
      throw thrown;
    }
  }

  /** Returns an attempt not in use by another access at the same time. */
  #take(key: SessionKey, reserve: readonly RequestId[]): string {
    this.#count += 1;
    const fresh = this.#count.toString(36);
    if (this.#unknown.size === 0) return fresh;
    const name = nameOf(key, reserve);
    const known = this.#unknown.get(name);
    this.#forget(name);
    return known ?? fresh;
  }

  #remember(name: string, attempt: string): void {
    this.#forget(name);
    this.#unknown.set(name, attempt);
    this.#characters += name.length;
    for (const oldest of this.#unknown.keys()) {
      if (this.#unknown.size <= mostUnknown && this.#characters <= mostCharacters) return;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    if (this.#unknown.delete(name)) this.#characters -= name.length;
  }
}

function nameOf({ id, owner }: SessionKey, reserve: readonly RequestId[]): string {
  return JSON.stringify([id, owner, reserve]);
}

/** Maximum number of remembered attempts. */
const mostUnknown = 1_000;

/** Maximum characters of their names. A batch has many ids. */
const mostCharacters = 4 * 1024 * 1024;
