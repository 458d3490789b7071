import type { ServeOptions } from "../../runtime/lifecycle/acceptor.ts";
import { listChanged } from "../../runtime/protocol/methods/list-kinds.ts";
import { SetupError } from "../../runtime/jsonrpc/errors.ts";
import type { TaskNode } from "../../runtime/stores/task-node.ts";
import type { CoreServer } from "../../runtime/server/server.ts";
import { findAddedCapabilities, findFixedChanges, hasSameRevisions } from "./definition-changes.ts";
import type { BuiltServer } from "./definition-slot.ts";
import { compareLists } from "./list-differences.ts";
import { SwappedAcceptor } from "./swapped-acceptor.ts";
import { createLiveGuard, findFixedOptions, readGuard, type ServedOptions } from "./swapped-options.ts";

/** Server which stays open while its definition is swapped. */
export class DevService {
  /** Server for any number of connections: each request reaches the current definition. */
  readonly server: CoreServer;
  readonly #acceptors: SwappedAcceptor[] = [];
  readonly #first: ServedOptions;
  readonly #onClose: () => void;
  #built: BuiltServer;
  #options: ServedOptions;

  /** @param onClose - Called when all connections have been closed */
  constructor(built: BuiltServer, options: ServedOptions, onClose: () => void) {
    this.#built = built;
    this.#first = options;
    this.#options = options;
    this.#onClose = onClose;
    built.view.use();
    this.server = this.#createServer();
  }

  /** Returns options whose guard is the current one for each request. */
  withLiveGuard<Options extends ServedOptions>(options: Options): Options {
    const first = readGuard(options);
    if (!first) return options;
    return { ...options, authenticate: createLiveGuard(first, () => readGuard(this.#options) ?? first) };
  }

  /**
   * Replaces the definition. Calls in progress finish with the earlier one, and clients are notified of changed lists. Returns lines for the log.
   *
   * @throws {Error} when the new definition cannot be served to the open connections; the earlier one stays
   */
  replace(next: BuiltServer, options: ServedOptions): readonly string[] {
    const before = this.#built;
    try {
      this.#use(before, next);
    } catch (error) {
      next.extensions.release();
      throw error;
    }
    before.extensions.release();
    const differences = compareLists(before.server, next.server);
    const { registry } = next.slot.sessions;
    for (const { kind } of differences) {
      for (const audience of registry.audiences) audience.listChanged?.(kind);
      registry.notify(listChanged[kind], undefined);
    }
    this.#notifyUpdated();
    const fixed = [...findFixedChanges(before.server, next.server), ...this.#useOptions(before, next, options)];
    const changes = differences.map(({ kind, changes: names }) => `${kind}: ${names.join(", ")}`);
    return [
      ["reloaded", ...changes].join("; "),
      ...describeMissing(before, next),
      ...(fixed.length > 0 ? [`restart needed for ${fixed.join(", ")}`] : []),
    ];
  }

  /** Closes the cluster of a version: connections stay with the cluster of the first one. */
  async closeUnused({ cluster }: ServedOptions): Promise<void> {
    if (cluster !== this.#first.cluster) await cluster?.close?.();
  }

  #use(before: BuiltServer, next: BuiltServer): void {
    if (next.slot !== before.slot || !hasSameRevisions(before.server, next.server))
      throw new SetupError("The protocol revisions of the server have changed; restart the development server");
    next.server.settings?.check();
    this.#built = next;
    try {
      const routings = this.#acceptors.map((acceptor) => ({ acceptor, routing: acceptor.prepare(next.server) }));
      for (const { acceptor, routing } of routings) acceptor.use(routing);
    } catch (error) {
      this.#built = before;
      throw error;
    }
    next.view.use();
  }

  /** The content of resources may depend on any code. */
  #notifyUpdated(): void {
    const { registry } = this.#built.slot.sessions;
    const uris = registry.audiences.flatMap((audience) => [...(audience.subscribedUris ?? [])]);
    for (const uri of new Set(uris)) registry.notifyUpdated([uri]);
  }

  #useOptions(before: BuiltServer, next: BuiltServer, options: ServedOptions): readonly string[] {
    const names = findFixedOptions(this.#first, options);
    const isGuarded = readGuard(options) !== undefined;
    // A guard cannot be added to, or removed from, an open listener.
    if (isGuarded === (readGuard(this.#first) !== undefined)) this.#options = options;
    return [...names, ...(before.tasks === next.tasks ? [] : ["tasks"])];
  }

  #createServer(): CoreServer {
    const read = (): CoreServer => this.#built.server;
    const { revisions } = read();
    const { sessions, cluster } = this.#built.slot;
    const { registry } = sessions;
    return {
      get info() {
        return read().info;
      },
      get instructions() {
        return read().instructions;
      },
      get discovery() {
        return read().discovery;
      },
      get progressRate() {
        return read().progressRate;
      },
      get tools() {
        return read().tools;
      },
      get settings() {
        return read().settings;
      },
      get around() {
        return read().around;
      },
      get messageMiddleware() {
        return read().messageMiddleware;
      },
      get sessionCount() {
        return registry.size;
      },
      revisions,
      onError: (report) => read().onError(report),
      cluster,
      clients: registry,
      use: (middleware) => read().use(middleware),
      createAcceptor: (options: ServeOptions) => {
        const acceptor = new SwappedAcceptor(options, read());
        this.#acceptors.push(acceptor);
        return acceptor.accept;
      },
      implement: (revision) => {
        const server = read();
        return server.implement(server.revisions.find(({ id }) => id === revision.id) ?? revision);
      },
      readScopes: (method, params) => read().readScopes(method, params),
      startTasks: (node: TaskNode) => read().startTasks(node),
      join: (connection) => registry.join(connection),
      close: async (options) => {
        await read().close(options);
        this.#onClose();
      },
    };
  }
}

/** Describes the capabilities only the new version has. A session keeps the ones agreed on when it was opened. */
function describeMissing(before: BuiltServer, { server, slot }: BuiltServer): readonly string[] {
  const sessions = [...slot.sessions.connections].flatMap(({ session }) => session ?? []);
  const missing = sessions.map(({ own, revision }) =>
    findAddedCapabilities(before.server, server, revision).filter((name) => !Object.hasOwn(own.capabilities, name)),
  );
  const names = [...new Set(missing.flat())];
  const count = missing.filter(({ length }) => length > 0).length;
  if (count === 0) return [];
  return [`${names.join(", ")}: new; sessions that are open do not have it (${count}), reconnect their clients`];
}
