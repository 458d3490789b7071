import { EraCache } from "../lifecycle/era-cache.ts";
import { extendRevisions } from "../protocol/revision/extend-revisions.ts";
import { orderMiddleware } from "../protocol/peer/message-middleware.ts";
import { isDefinedExtension } from "../protocol/revision/defined-extension.ts";
import { DefaultClientSession } from "./session/default-session.ts";
import { toConnectionFactory, type Connectable } from "./connection-factory.ts";
import type { ClientOptions, AnyClientOptions } from "./options.ts";
import type { ClientTypes, RootsOf, Roots } from "./protocol-types.ts";
import { createRoots } from "./input/roots.ts";
import type { ClientSession } from "./session/client-session.ts";
import { checkMethodOptions } from "./methods/method-handlers.ts";
import { checkNumbers, checkPositive } from "../jsonrpc/check-numbers.ts";

/** Client with its handlers and settings, for any number of servers. */
export interface Client<P extends ClientTypes> {
  /** Roots in which servers may work. */
  readonly roots: RootsOf<P>;
  /**
   * Opens a session with a server.
   *
   * @throws {Error} when the client reconnects and the source is a transport
   */
  connect(source: Connectable, options?: { readonly signal?: AbortSignal }): Promise<ClientSession<P>>;
  /** Closes every session of this client. */
  close(): Promise<void>;
}

/**
 * Creates a client for the declarations of a revision. Results of older servers fit the negotiated revision, which may lack what `P` has.
 *
 * @throws {Error} when `keepAlive.interval` is not above 0, or another number is negative or `NaN`
 * @throws {SetupError} when a handler by name has no method, or its method another handler
 * @example
 * ```ts
 * import { connectHttp, createClient } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const client = createClient<Declarations>({ info: { name: "my-client", version: "1.0.0" }, revisions });
 * const notes = await client.connect((options) => connectHttp("https://notes.example.com/mcp", options));
 * const result = await notes.callTool("search", { text: "MCP" });
 * await client.close(); // closes every session
 * ```
 */
export function createClient<P extends ClientTypes>(options: ClientOptions<P>): Client<P>;
export function createClient(source: AnyClientOptions): object {
  return createUntypedClient(source);
}

/**
 * Connects to one server; short for `createClient(options).connect(source)`.
 *
 * @example
 * ```ts
 * import { connectClient, connectStdio } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const client = await connectClient<Declarations>(
 *   (options) => connectStdio({ command: "node", args: ["dist/server.js"] }, options),
 *   { info: { name: "my-client", version: "1.0.0" }, revisions },
 * );
 * ```
 */
export function connectClient<P extends ClientTypes>(
  source: Connectable,
  options: ClientOptions<P> & { readonly signal?: AbortSignal },
): Promise<ClientSession<P>> {
  const { signal } = options;
  return createClient<P>(options).connect(source, signal ? { signal } : {});
}

/** Creates a client without the types of a particular revision. */
export function createUntypedClient(given: AnyClientOptions): UntypedClient {
  checkOptions(given);
  const { extensions = [] } = given;
  const revisions = extendRevisions(given.revisions, extensions, "client");
  checkMethodOptions({ ...given, revisions });
  const installed = extensions.find(isDefinedExtension)?.install(extensions, { end: "client" });
  const middleware = orderMiddleware(given.middleware, installed?.middleware);
  const source = { ...given, revisions, ...(middleware.length > 0 && { middleware }) };
  const sessions = new Set<DefaultClientSession>();
  const eras = new EraCache(source.clock);
  const roots = createRoots(source.roots, () => {
    for (const session of sessions) session.notifyRootsListChanged();
  });
  return {
    roots,
    async connect(server, { signal } = {}) {
      if (source.reconnect && typeof server !== "function") {
        throw new Error(
          "The option reconnect requires a function that creates transports; pass one instead of a transport",
        );
      }
      const session = new DefaultClientSession(source, roots, { open: toConnectionFactory(server), eras, signal });
      // Added before the start, so that closing the client also ends a session that is still being opened.
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
      try {
        await Promise.all([...sessions].map((session) => session.close()));
      } finally {
        await installed?.close();
      }
    },
  };
}

/** Client without the types of a revision. */
export interface UntypedClient {
  readonly roots: Roots;
  connect(source: Connectable, options?: { readonly signal?: AbortSignal }): Promise<DefaultClientSession>;
  close(): Promise<void>;
}

function checkOptions(options: AnyClientOptions): void {
  const { keepAlive, reconnect, cache } = options;
  checkNumbers(options, keepAlive, reconnect, cache);
  if (keepAlive) checkPositive("keepAlive.interval", keepAlive.interval);
}
