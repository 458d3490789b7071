import { EraCache } from "../lifecycle/era-cache.ts";
import { extendRevisions } from "../protocol/extend-revisions.ts";
import { DefaultClientSession } from "./session/default-session.ts";
import { toConnectionFactory, type Connectable } from "./connection-factory.ts";
import type { ClientOptions } from "./options.ts";
import type { ClientTypes, RootsOf } from "./protocol-types.ts";
import { createRoots, type Roots } from "./input/roots.ts";
import type { ClientSession } from "./session/session.ts";
import type { AnyClientOptions } from "./any-definition.ts";

/** A client: what it answers and how it behaves, for any number of servers. */
export interface Client<P extends ClientTypes> {
  /** Where servers may work. */
  readonly roots: RootsOf<P>;
  /** Opens a session with a server. */
  connect(source: Connectable, options?: { readonly signal?: AbortSignal }): Promise<ClientSession<P>>;
  /** Closes every session. */
  close(): Promise<void>;
}

/**
 * Makes a client for the declarations of a revision: `createClient<Declarations>({ info, revisions: [revision] })`.
 * What older servers answer is theirs: it fits the revision that was agreed on, which may lack what `P` has.
 */
export function createClient<P extends ClientTypes>(options: ClientOptions<P>): Client<P>;
export function createClient(source: AnyClientOptions): object {
  return createUntypedClient(source);
}

/** Connects to one server: `createClient(options).connect(source)`. */
export function connectClient<P extends ClientTypes>(
  source: Connectable,
  options: ClientOptions<P> & { readonly signal?: AbortSignal },
): Promise<ClientSession<P>> {
  const { signal } = options;
  return createClient<P>(options).connect(source, signal ? { signal } : {});
}

/** Makes a client whose types have been given up for those that every revision has. */
export function createUntypedClient(given: AnyClientOptions): UntypedClient {
  checkKeepAlive(given);
  const source = { ...given, revisions: extendRevisions(given.revisions, given.extensions ?? [], "client") };
  const sessions = new Set<DefaultClientSession>();
  const eras = new EraCache(source.clock);
  const roots = createRoots(source.roots, () => {
    for (const session of sessions) session.announceRoots();
  });
  return {
    roots,
    async connect(server, { signal } = {}) {
      if (source.reconnect && typeof server !== "function") {
        throw new Error("A client that reconnects needs a function that opens connections, not a transport.");
      }
      const session = new DefaultClientSession(source, roots, { open: toConnectionFactory(server), eras, signal });
      // From now on, so that closing the client ends a session that is still being opened.
      sessions.add(session);
      void session.closed.then(() => sessions.delete(session));
      try {
        await session.start();
        return session;
      } catch (error) {
        sessions.delete(session);
        throw error;
      }
    },
    async close() {
      await Promise.all([...sessions].map((session) => session.close()));
    },
  };
}

/** A client for which there are no types of a revision. */
export interface UntypedClient {
  readonly roots: Roots;
  connect(source: Connectable, options?: { readonly signal?: AbortSignal }): Promise<DefaultClientSession>;
  close(): Promise<void>;
}

function checkKeepAlive({ keepAlive }: AnyClientOptions): void {
  if (keepAlive && !(keepAlive.interval > 0))
    throw new Error("keepAlive.interval must be a number of milliseconds above 0.");
}
