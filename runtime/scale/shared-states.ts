import { isObject } from "../../generated/support.ts";
import { errorCodes } from "../jsonrpc/errors.ts";
import type { ErrorObject } from "../jsonrpc/message.ts";
import { rejectionCodes } from "../jsonrpc/rejection-codes.ts";
import { listChanged } from "../protocol/methods/list-kinds.ts";
import { findRow } from "../protocol/methods/method-rows.ts";
import type { Engine } from "../stores/engine.ts";
import type { SessionKey } from "../stores/session-store.ts";
import type { SessionChange, SharedSession } from "../stores/shared-session-store.ts";
import type { LiveSession, ServedClients, StateRequest, StoreChange } from "../transport/http-server/cluster.ts";

/** Dependencies of the states of sessions. */
export interface SharedStatesOptions {
  readonly engine: Engine;
  readonly clients: ServedClients;
  /** Returns the name of this node. */
  nodeName(): string;
  fail(thrown: unknown): void;
}

/** State that a node has applied to a session. */
interface KnownState {
  readonly version: number | undefined;
  readonly subscriptions: ReadonlySet<string>;
}

/** Log levels and resource subscriptions of the sessions of a node, which each node may change. */
export class SharedStates {
  readonly #options: SharedStatesOptions;
  readonly #known = new WeakMap<LiveSession, KnownState>();
  /** Reads in progress. */
  readonly #reads = new Set<Promise<void>>();

  constructor(options: SharedStatesOptions) {
    this.#options = options;
  }

  /** Resolves when the states that are being read are applied; `undefined` when none is. */
  get settled(): Promise<unknown> | undefined {
    return this.#reads.size > 0 ? Promise.all(this.#reads) : undefined;
  }

  versionOf(session: LiveSession | undefined): number | undefined {
    return session && this.#known.get(session)?.version;
  }

  /** Applies what an access has found. A session that was opened again in the meantime reads its state again. */
  update(session: LiveSession, { version, state }: SharedSession): void {
    const known = this.#known.get(session);
    if (!state && known?.version !== version) this.track(() => this.#read(session));
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

  /** Reads the state of a session again. */
  changed(session: LiveSession): void {
    this.track(() => this.#read(session));
  }

  /** Runs a read that broadcasts have to wait for. */
  track(run: () => Promise<void>): void {
    const read = run()
      .catch(this.#options.fail)
      .finally(() => this.#reads.delete(read));
    this.#reads.add(read);
  }

  /** Returns a function that stores what a request changes. */
  prepare(session: LiveSession, request: StateRequest): StoreChange | undefined {
    const change = toChange(request);
    return change && (() => this.#store(session, change));
  }

  /** Notifies the client of a session of every change that may have been missed. */
  notifyAll(session: LiveSession): void {
    const { connection } = session;
    const rows = connection.session?.revision.serverNotifications;
    if (!rows) return;
    for (const handler of Object.values(listChanged)) {
      const row = findRow(rows, handler);
      // Rejects for a list that the server has not declared.
      if (row) connection.notify(row, undefined).catch(() => {});
    }
    const updated = findRow(rows, "resourceUpdated");
    for (const uri of this.#known.get(session)?.subscriptions ?? []) {
      if (updated) connection.notify(updated, { uri }).catch(() => {});
    }
  }

  async #store(session: LiveSession, change: SessionChange): Promise<ErrorObject | undefined> {
    const { engine, fail } = this.#options;
    try {
      const version = await engine.sessions.change(session.key, change);
      if (version === undefined) return this.#undo(session, change, tooMany);
    } catch (thrown) {
      fail(thrown);
      return this.#undo(session, change, unavailable);
    }
    // The change is stored: a node that cannot be notified reads it with its next access.
    await Promise.all([this.#notifyOthers(session.key), this.#read(session)]).catch(fail);
    return undefined;
  }

  /** Restores the stored state of a session whose handler has applied a change that could not be stored. */
  #undo(session: LiveSession, { subscribe = [] }: SessionChange, error: ErrorObject): ErrorObject {
    const subscriptions = new Set([...(this.#known.get(session)?.subscriptions ?? []), ...subscribe]);
    this.#known.set(session, { version: undefined, subscriptions });
    this.changed(session);
    return error;
  }

  async #read(session: LiveSession): Promise<void> {
    const { engine, nodeName } = this.#options;
    const version = this.versionOf(session);
    const access = { node: nodeName(), ...(version !== undefined && { version }) };
    const found = await engine.sessions.access(session.key, access);
    if (found?.state) this.update(session, found);
  }

  async #notifyOthers(key: SessionKey): Promise<void> {
    const { engine, nodeName } = this.#options;
    const nodes = await engine.sessions.findNodes(key);
    const others = nodes.filter((node) => node !== nodeName());
    await Promise.all(others.map(async (node) => engine.nodes.send(node, { kind: "changed", session: key })));
  }
}

function toChange({ method, params }: StateRequest): SessionChange | undefined {
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
