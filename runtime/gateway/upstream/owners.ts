import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { readAuth } from "../../server/context.ts";

/** Caller whose calls without a session may use a connection to the server one after the other: the server may keep state per connection. */
export interface Owner {
  readonly key: string;
  /** True if no further call of the owner can arrive. */
  readonly isOver: boolean;
}

/** Options for distinguishing owners of calls. */
export interface OwnersOptions {
  /** True if callers that are not authenticated are one owner. Otherwise, each connection is an owner of its own. */
  readonly areShared: boolean;
  /** Called when no further call of an owner can arrive. */
  onOver(owner: Owner): void;
}

/**
 * Distinguishes owners by the authenticated principal, or else by the connection of a call. Over HTTP, a request without a session is a
 * connection of its own.
 */
export class Owners {
  readonly #options: OwnersOptions;
  /** Owners by the promise of the end of their connection, which is the same for all requests of a connection. */
  readonly #connections = new WeakMap<Promise<unknown>, ConnectionOwner>();
  #count = 0;

  constructor(options: OwnersOptions) {
    this.#options = options;
  }

  /** Returns the owner of a call. */
  of({ origin, connection: { closed } }: CallContext): Owner {
    const principal = readAuth(origin)?.principal;
    if (principal !== undefined) return { key: `principal ${principal}`, isOver: false };
    if (this.#options.areShared) return everyone;
    return this.#connections.get(closed) ?? this.#add(closed);
  }

  #add(closed: Promise<unknown>): Owner {
    this.#count += 1;
    const owner: ConnectionOwner = { key: `connection ${this.#count}`, isOver: false };
    this.#connections.set(closed, owner);
    void closed.then(() => {
      owner.isOver = true;
      this.#options.onOver(owner);
    });
    return owner;
  }
}

interface ConnectionOwner {
  readonly key: string;
  isOver: boolean;
}

const everyone: Owner = { key: "everyone", isOver: false };
