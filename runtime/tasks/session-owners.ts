import type { Connection } from "../protocol/session/connection.ts";
import { sha256, toHex } from "../internal/digest.ts";

/** Owners of the tasks of sessions. A session served by several processes has the same owner in all of them. */
export class SessionOwners {
  readonly #onEnd: (owner: string) => unknown;
  readonly #owners = new WeakMap<Connection, Promise<string>>();
  readonly #watched = new WeakSet<Connection>();
  readonly #ended = new WeakSet<Connection>();

  /** @param onEnd - Called with the owner when its session has ended */
  constructor(onEnd: (owner: string) => unknown) {
    this.#onEnd = onEnd;
  }

  /** Returns the owner of the session of a connection, which does not reveal the id of the session. */
  of(connection: Connection): Promise<string> {
    const known = this.#owners.get(connection);
    if (known) return known;
    const owner = toOwner(connection);
    this.#owners.set(connection, owner);
    this.watch(connection);
    return owner;
  }

  /** Watches the session of a connection for its end. */
  watch(connection: Connection): void {
    if (this.#watched.has(connection)) return;
    this.#watched.add(connection);
    const { transportSession, closed } = connection;
    void (transportSession?.ended ?? closed).then(async () => {
      this.#ended.add(connection);
      this.#onEnd(await this.of(connection));
    });
  }

  /** True if the session of a connection has ended. */
  hasEnded(connection: Connection): boolean {
    return this.#ended.has(connection);
  }
}

async function toOwner({ transportSession }: Connection): Promise<string> {
  if (!transportSession) return `session:${crypto.randomUUID()}`;
  // The prefix keeps the digest apart from digests of the id for other purposes.
  return `session:${toHex(await sha256(`task-owner:${transportSession.id}`))}`;
}
