import { isObject } from "../../generated/support.ts";
import type { BuiltServer } from "./definition-slot.ts";
import { DefinitionSlot } from "./definition-slot.ts";
import { DevService } from "./dev-service.ts";
import { loadModule } from "./load-module.ts";
import type { ServedOptions } from "./swapped-options.ts";
import type { CoreServer } from "../../runtime/server/server.ts";

/**
 * Outcome of a load: `served` when its definition is used, `unserved` when the module has served nothing to swap, `failed` when the earlier
 * definition stays.
 */
export type LoadOutcome = "served" | "unserved" | "failed";

/** Receivers of what happens in a host. */
export interface HostEvents {
  /** Writes a line for the developer. */
  report(text: string, error?: unknown): void;
  /** Called when the program serves its first server. */
  served(): void;
  /** Called when no server could be served. */
  unserved(): void;
  /** Called when a server listens for connections; with the address of the first one over HTTP. */
  listening(address?: string): void;
  /** Called when the connections of a server have been closed. */
  closed(): void;
}

/** Versions of the module of a program in one process, and its servers, which stay open. */
export class DevHost {
  readonly #events: HostEvents;
  readonly #slots: DefinitionSlot[] = [];
  readonly #services = new Map<number, Served>();
  readonly #built = new WeakMap<CoreServer, BuiltServer>();
  readonly #loads = new Map<string, Load>();
  #count = 0;
  /** Number of the newest load whose definition is used. */
  #newest = 0;

  constructor(events: HostEvents) {
    this.#events = events;
  }

  /** Servers of the program, in the order in which it serves them. */
  get servers(): readonly CoreServer[] {
    return [...this.#services.values()].map(({ service }) => service.server);
  }

  /** Loads a version of the module of the program. Its calls of the runtime replace those of the version before. */
  async load(url: string): Promise<LoadOutcome> {
    this.#count += 1;
    const load = new Load(this.#count);
    this.#loads.set(url, load);
    loadModule(url).then(
      () => load.settle("unserved"),
      (error: unknown) => this.#fail(load, error),
    );
    const outcome = await load.outcome;
    if (outcome === "unserved" && this.#services.size > 0)
      this.#events.report("the new version serves nothing; the last version stays");
    return outcome;
  }

  /** Builds a server of a load. The order of the servers of a program identifies them. */
  build<Server extends CoreServer>(
    url: string,
    create: (slot: DefinitionSlot) => { readonly built: BuiltServer; readonly server: Server },
  ): Server {
    const index = this.#find(url).nextServer();
    const slot = (this.#slots[index] ??= new DefinitionSlot());
    const { built, server } = create(slot);
    this.#built.set(server, built);
    return server;
  }

  /** Serves the server of a load. After the first load, swaps the definition of the first server instead. */
  async serve<Options extends ServedOptions, Result>(
    url: string,
    request: ServeRequest<Options, Result>,
  ): Promise<unknown> {
    const load = this.#find(url);
    const index = load.nextService();
    const built = this.#built.get(request.server);
    if (!built) {
      load.settle("unserved");
      return request.start(request.server, request.options);
    }
    const known = this.#services.get(index);
    if (known) return this.#replace(known, { load, built, options: request.options });
    const service = new DevService(built, request.options, () => this.#events.closed());
    const result = request.start(service.server, service.withLiveGuard(request.options));
    this.#services.set(index, { service, result });
    result.then(
      (listener) => this.#events.listening(index === 0 ? readAddress(listener) : undefined),
      () => {
        this.#services.delete(index);
        if (this.#services.size === 0) this.#events.unserved();
      },
    );
    this.#newest = load.number;
    if (index === 0) this.#events.served();
    load.settle("served");
    return result;
  }

  async #replace({ service, result }: Served, { load, built, options }: Replacement): Promise<unknown> {
    // Otherwise the version took longer to load than the next one.
    if (load.number < this.#newest) {
      built.extensions.release();
      load.settle("served");
    } else this.#replaceServer(service, { load, built, options });
    await service
      .closeUnused(options)
      .catch((error: unknown) => this.#events.report("the cluster of the new version cannot be closed", error));
    return result;
  }

  /** The program need not handle an error: it is served by an earlier version. */
  #replaceServer(service: DevService, { load, built, options }: Replacement): void {
    try {
      for (const line of service.replace(built, options)) this.#events.report(line);
      this.#newest = load.number;
      load.settle("served");
    } catch (error) {
      this.#fail(load, error);
    }
  }

  #fail(load: Load, error: unknown): void {
    const isServed = this.#services.size > 0;
    const problem = load.isServing ? "failed after the version was served" : "not reloaded; the last version stays";
    this.#events.report(isServed ? problem : "not started", error);
    load.settle("failed");
  }

  #find(url: string): Load {
    const load = this.#loads.get(url);
    if (!load) throw new Error(`The module ${url} was not loaded by the development server`);
    return load;
  }
}

/** Returns the address of a listener for HTTP. */
function readAddress(listener: unknown): string | undefined {
  return isObject(listener) && typeof listener.url === "string" ? listener.url : undefined;
}

/** Request of a program to serve one of its servers. */
export interface ServeRequest<Options, Result> {
  readonly server: CoreServer;
  readonly options: Options;
  start(server: CoreServer, options: Options): Promise<Result>;
}

interface Served {
  readonly service: DevService;
  /** Result for the program. On stdio, the program waits until its client disconnects. */
  readonly result: Promise<unknown>;
}

interface Replacement {
  readonly load: Load;
  readonly built: BuiltServer;
  readonly options: ServedOptions;
}

/** One version of the module of a program. */
class Load {
  readonly number: number;
  readonly outcome: Promise<LoadOutcome>;
  isServing = false;
  #servers = 0;
  #services = 0;
  #resolve: (outcome: LoadOutcome) => void = () => {};

  constructor(number: number) {
    this.number = number;
    this.outcome = new Promise((resolve) => (this.#resolve = resolve));
  }

  nextServer(): number {
    return this.#servers++;
  }

  nextService(): number {
    return this.#services++;
  }

  settle(outcome: LoadOutcome): void {
    this.isServing ||= outcome === "served";
    this.#resolve(outcome);
  }
}
