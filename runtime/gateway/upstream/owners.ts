import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { readAuth } from "../../server/context.ts";

/** Caller whose calls without a session may use a connection to the server one after the other: the server may keep state per connection. */
export interface Owner {
  readonly key: string;
  /** Authenticated principal, if any. */
  readonly principal: string | undefined;
  /** Client of the call: the authenticated principal, or else the connection of the call. */
  readonly client: unknown;
  /** True if calls of the owner may use the same connection one after the other although the server keeps state for it. */
  readonly sharesSessions: boolean;
  /** True if no further call of the owner can arrive. */
  readonly isOver: boolean;
}

/** Options for distinguishing owners of calls. */
export interface OwnersOptions {
  /** True if callers may share connections with state although they are not authenticated. */
  readonly shareSessions: boolean;
  /** True if requests to the server are stateless now. All callers without authentication are one owner then. */
  isStateless(): boolean;
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
    const { shareSessions, isStateless } = this.#options;
    if (principal !== undefined)
      return { key: `principal ${principal}`, principal, client: principal, sharesSessions: true, isOver: false };
    if (shareSessions || isStateless())
      return { key: "everyone", principal, client: closed, sharesSessions: shareSessions, isOver: false };
    return this.#connections.get(closed) ?? this.#add(closed);
  }

  #add(closed: Promise<unknown>): Owner {
    this.#count += 1;
    const owner: ConnectionOwner = {
      key: `connection ${this.#count}`,
      principal: undefined,
      client: closed,
      sharesSessions: true,
      isOver: false,
    };
    this.#connections.set(closed, owner);
    void closed.then(() => {
      owner.isOver = true;
      this.#options.onOver(owner);
    });
    return owner;
  }
}

interface ConnectionOwner extends Owner {
  isOver: boolean;
}
