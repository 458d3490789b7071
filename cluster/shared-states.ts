import { isObject } from "../generated/support.ts";
import { pause, type Clock } from "../runtime/internal/timers.ts";
import { errorCodes } from "../runtime/jsonrpc/errors.ts";
import type { ErrorObject, Incoming } from "../runtime/jsonrpc/message.ts";
import { rejectionCodes } from "../runtime/jsonrpc/rejection-codes.ts";
import { listChanged } from "../runtime/protocol/methods/list-kinds.ts";
import { findRow } from "../runtime/protocol/methods/method-rows.ts";
import { EngineError } from "../runtime/stores/engine-error.ts";
import type { Engine } from "./stores/engine.ts";
import type { SessionKey } from "../runtime/stores/session-store.ts";
import type { SessionChange, SessionListener, SharedSession } from "./stores/shared-session-store.ts";
import type { ServedClients } from "../runtime/transport/http-server/served-clients.ts";
import type { HttpSession } from "../runtime/transport/http-server/session/session.ts";
import type { StoreChange } from "../runtime/transport/http-server/session/session-streams.ts";

/** Dependencies of the states of sessions. */
export interface SharedStatesOptions {
  readonly engine: Engine;
  readonly clients: ServedClients;
  readonly clock: Clock;
  /** Returns the name of this node. */
  nodeName(): string;
  /** Returns a session of this node. */
  findLive(key: SessionKey): HttpSession | undefined;
  /** Ends a session, as another node has done, in the background. */
  end(session: HttpSession): void;
  fail(thrown: unknown): void;
}

/** Read of the state of a session. */
interface StateRead {
  readonly session: HttpSession;
  run(): Promise<void>;
  /** True if the read is still of use. Default: as long as this node serves the session. */
  isNeeded?(): boolean;
}

/** Log levels and resource subscriptions of the sessions of a node, which each node may change. */
export class SharedStates {
  readonly #options: SharedStatesOptions;
  readonly #known = new WeakMap<
    HttpSession,
    { readonly version: number | undefined; readonly subscriptions: ReadonlySet<string> }
  >();
  /** Reads and other work in progress. */
  readonly #reads = new Set<Promise<void>>();

  constructor(options: SharedStatesOptions) {
    this.#options = options;
  }

  /** Resolves when the reads in progress have been applied, and other work has ended; `undefined` when there is none. */
  get settled(): Promise<unknown> | undefined {
    return this.#reads.size > 0 ? Promise.all(this.#reads) : undefined;
  }

  /** Makes broadcasts wait for work which decides the clients to notify. */
  hold(work: Promise<unknown>): void {
    const held: Promise<void> = work.catch(() => {}).then(() => void this.#reads.delete(held));
    this.#reads.add(held);
  }

  versionOf(session: HttpSession | undefined): number | undefined {
    return session && this.#known.get(session)?.version;
  }

  /** Applies the state found by an access. If the session was opened again in the meantime, its state is read again. */
  update(session: HttpSession, { version, state }: SharedSession): void {
    const known = this.#known.get(session);
    if (!state && known?.version !== version) this.changed(session);
    if (!state || (known?.version !== undefined && known.version > version)) return;
    const { clients, fail } = this.#options;
    const { session: agreed } = session.connection;
    if (!agreed) return;
    const { logLevel, subscriptions = [] } = state;
    const wanted = new Set(subscriptions);
    try {
      if (logLevel !== undefined) clients.setLogLevel(agreed, logLevel);
      const ended = [...(known?.subscriptions ?? [])].filter((uri) => !wanted.has(uri));
      const added = subscriptions.filter((uri) => !known?.subscriptions.has(uri));
      for (const audience of clients.audiences) {
        for (const uri of ended) audience.unsubscribe?.(agreed, uri);
        for (const uri of added) audience.subscribe?.(agreed, uri);
      }
    } catch (thrown) {
      fail(thrown);
    }
    this.#known.set(session, { version, subscriptions: wanted });
  }

  /** Reads the state of a session again, in the background. */
  changed(session: HttpSession): void {
    this.#track({ session, run: () => this.#read(session) });
  }

  /** Registers a node as the writer of the stream opened by GET, in the background. */
  registerListener(key: SessionKey, listener: SessionListener): void {
    const { engine, findLive, fail } = this.#options;
    const session = findLive(key);
    const register = async (): Promise<void> => void (await engine.sessions.change(key, { listener }));
    if (!session) return void register().catch(fail);
    this.#track({
      session,
      run: async () => {
        await register();
        // Other nodes report changes of the state from now on: earlier ones are read.
        await this.#read(session);
      },
      // A client without a connection here may have a newer stream at another node, which a late registration would replace.
      isNeeded: () => session.isListening(listener.stream),
    });
  }

  /** Notifies the client of a session of every change it may have missed. */
  notifyAll(key: SessionKey): void {
    const session = this.#options.findLive(key);
    const rows = session?.connection.session?.revision.serverNotifications;
    if (!session || !rows) return;
    for (const handler of Object.values(listChanged)) {
      const row = findRow(rows, handler);
      // Rejects for a list that the server has not declared, which the connection handles.
      if (row) void session.connection.notify(row, undefined);
    }
    this.#notifyUpdated(session, this.#known.get(session)?.subscriptions);
  }

  /** Returns a function to store the changes of a request. */
  prepare(session: HttpSession, request: Incoming & { readonly kind: "request" }): StoreChange | undefined {
    const change = toChange(request);
    return change && (() => this.#store(session, change));
  }

  /** Runs a read, which broadcasts wait for. A failed one is repeated. */
  #track(stateRead: StateRead): void {
    const read = stateRead
      .run()
      .catch((thrown: unknown) => {
        this.#options.fail(thrown);
        if (thrown instanceof EngineError) this.#repeat(stateRead).catch(this.#options.fail);
      })
      .finally(() => this.#reads.delete(read));
    this.#reads.add(read);
  }

  /**
   * Repeats a read until it succeeds. Broadcasts are for other sessions too and do not wait this long: instead, the client is notified of each
   * resource it has subscribed to meanwhile.
   */
  async #repeat({ session, run, isNeeded = () => true }: StateRead): Promise<void> {
    const { clock, findLive } = this.#options;
    const before = this.#known.get(session)?.subscriptions;
    for (let isRead = false; !isRead;) {
      await pause(repetitionDelay, clock);
      if (findLive(session.key) !== session || !isNeeded()) return;
      isRead = await succeeds(run);
    }
    const after = this.#known.get(session)?.subscriptions ?? [];
    this.#notifyUpdated(
      session,
      [...after].filter((uri) => !before?.has(uri)),
    );
  }

  async #read(session: HttpSession): Promise<void> {
    const { engine, nodeName, end } = this.#options;
    const version = this.versionOf(session);
    const access = { node: nodeName(), ...(version !== undefined && { version }) };
    const found = await engine.sessions.access(session.key, access);
    // A node that has no requests and no streams in the store receives no message at the end of a session.
    if (!found) return end(session);
    if (found.state) this.update(session, found);
  }

  #notifyUpdated({ connection }: HttpSession, uris: Iterable<string> = []): void {
    const updated = findRow(connection.session?.revision.serverNotifications ?? {}, "resourceUpdated");
    if (!updated) return;
    for (const uri of uris) void connection.notify(updated, { uri });
  }

  async #store(session: HttpSession, change: SessionChange): Promise<ErrorObject | undefined> {
    const { engine, fail } = this.#options;
    try {
      const version = await engine.sessions.change(session.key, change);
      if (version === undefined) return this.#undo(session, change, tooMany);
      // The client may rely on the change as soon as it has the response, whichever node its next request or its stream is at.
      await Promise.all([this.#notifyOthers(session.key), this.#read(session)]);
      return undefined;
    } catch (thrown) {
      fail(thrown);
      return this.#undo(session, change, unavailable);
    }
  }

  /** Restores the stored state of a session. Its handler has already applied a change which could not be stored. */
  #undo(session: HttpSession, { subscribe = [] }: SessionChange, error: ErrorObject): ErrorObject {
    const subscriptions = new Set([...(this.#known.get(session)?.subscriptions ?? []), ...subscribe]);
    this.#known.set(session, { version: undefined, subscriptions });
    this.changed(session);
    return error;
  }

  async #notifyOthers(key: SessionKey): Promise<void> {
    const { engine, nodeName } = this.#options;
    const nodes = await engine.sessions.findNodes(key);
    const others = nodes.filter((node) => node !== nodeName());
    await Promise.all(others.map(async (node) => engine.nodes.send(node, { kind: "changed", session: key })));
  }
}

/** True when an operation of the engine succeeds, and false while the engine fails. */
function succeeds(operate: () => Promise<void>): Promise<boolean> {
  return operate().then(
    () => true,
    (thrown: unknown) => {
      if (thrown instanceof EngineError) return false;
      throw thrown;
    },
  );
}

/** Milliseconds between two attempts to read a state. */
const repetitionDelay = 500;

function toChange({
  method,
  params,
}: Pick<Incoming & { readonly kind: "request" }, "method" | "params">): SessionChange | undefined {
  if (!isObject(params)) return undefined;
  const { level, uri } = params;
  if (method === "logging/setLevel" && typeof level === "string") return { logLevel: level };
  if (method === "resources/subscribe" && typeof uri === "string") return { subscribe: [uri] };
  if (method === "resources/unsubscribe" && typeof uri === "string") return { unsubscribe: [uri] };
  return undefined;
}

const tooMany: ErrorObject = {
  code: rejectionCodes.tooMany,
  message: "Too many subscriptions in the session; unsubscribe from some",
};

const unavailable: ErrorObject = {
  code: errorCodes.internalError,
  message: "The session store cannot be reached; retry later",
};
