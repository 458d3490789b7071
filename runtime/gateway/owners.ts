import type { CallContext } from "../protocol/incoming-call.ts";
import { readAuth } from "../server/context.ts";

/** Caller whose calls without a session may use a connection to the server one after the other: the server may keep state by it. */
export interface Owner {
  readonly key: string;
  /** No call of it can come any more. */
  readonly isOver: boolean;
}

/** Options of telling owners apart. */
export interface OwnersOptions {
  /** Callers that are not authenticated are one owner. Default: each connection is one of its own. */
  readonly areShared: boolean;
  /** Called when no call of an owner can come any more. */
  onOver(owner: Owner): void;
}

/**
 * Tells owners apart: by the authenticated principal, or else by the connection that a call came on. Over HTTP a request without a session is a
 * connection of its own.
 */
export class Owners {
  readonly #options: OwnersOptions;
  /** By the promise of their end, which is the same for all requests of a connection. */
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
