import type { ClientConnection } from "../../client/connect.ts";
import { toError } from "../../jsonrpc/errors.ts";
import { pause } from "../../internal/timers.ts";
import { RetryDelay } from "./retry-delay.ts";
import { ToolList } from "./tool-list.ts";
import { ToolListUpdates } from "./tool-list-updates.ts";
import { gatewayPrincipal } from "../principal.ts";
import { Upstream, type Listener, type UpstreamOptions } from "./upstream.ts";
import { WatchedResources, mostResources, type ResourceWatch } from "./watched-resources.ts";

/** Receiver of the server's notifications of changes to the gateway. */
export interface ChangeListener {
  /** Receives a notification of the server, by handler name. */
  notify(handler: string, params: object): void;
  /** Receives the URI of a changed resource, and the URIs of the watched resources which contain it. */
  notifyUpdated(uris: readonly [string, ...string[]]): void;
}

/**
 * Connection of the gateway itself, on which it reads what the server offers and receives changes. If it is lost, it is opened again for as
 * long as the gateway exists, because other connections may be in service all the time.
 */
export class UpstreamWatcher {
  readonly #options: UpstreamOptions;
  readonly #listener: ChangeListener;
  readonly #resources = new WatchedResources(() => this.#upstream);
  readonly #delay = new RetryDelay();
  readonly #updates: ToolListUpdates;
  readonly tools: ToolList;
  #upstream: Upstream;

  private constructor(options: UpstreamOptions, upstream: Upstream, listener: ChangeListener) {
    this.#options = options;
    this.#listener = listener;
    this.#upstream = upstream;
    this.tools = new ToolList(() => this.#upstream.connection);
    this.#updates = new ToolListUpdates(this.tools, options);
  }

  static async open(options: UpstreamOptions, listener: ChangeListener): Promise<UpstreamWatcher> {
    const holder: { watcher?: UpstreamWatcher } = {};
    const upstream = await connect(options, () => holder.watcher);
    const watcher = new UpstreamWatcher(options, upstream, listener);
    holder.watcher = watcher;
    watcher.#guard(upstream);
    watcher.#updates.start();
    await watcher.#updates.firstAttempt;
    return watcher;
  }

  get connection(): ClientConnection {
    return this.#upstream.connection;
  }

  /**
   * Subscribes to resources until `leave` of the result is called. Resolves to the resources the server has agreed to send notifications for.
   *
   * @throws {RpcError} when the resources of the principal or of all clients are too many
   */
  subscribe(uris: ReadonlySet<string>, signal: AbortSignal, principal: string | undefined): Promise<ResourceWatch> {
    return this.#resources.watch(uris, signal, principal);
  }

  /** Opens the connection again if the server no longer serves its revision. */
  check(): Promise<void> {
    return this.#upstream.check();
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }

  /** Handles a notification of the server, by handler name. */
  receive(handler: string, params: object): void {
    if (handler === "toolListChanged") this.#updates.start();
    const uri = "uri" in params ? params.uri : undefined;
    if (handler !== "resourceUpdated" || typeof uri !== "string") return this.#listener.notify(handler, params);
    this.#listener.notifyUpdated([uri, ...this.#resources.above(uri)]);
  }

  /** Ends the requests of clients for a resource of which the server no longer notifies. */
  lose(uri: string): void {
    this.#resources.lose(uri);
  }

  #guard({ connection }: Upstream): void {
    const { signal, onError } = this.#options;
    this.#delay.opened();
    void connection.closed.then((reason) => {
      if (signal.aborted) return;
      onError({ kind: "transport", error: reason ?? new Error("The server closed the connection") });
      this.#delay.lost();
      return this.#reopen();
    });
  }

  /** Opens the connection again, and then reports every list and resource as changed: changes in between are not known. */
  async #reopen(): Promise<void> {
    const { signal, onError } = this.#options;
    for (;;) {
      await pause(this.#delay.next(), undefined, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        this.#upstream = await connect(this.#options, () => this);
        if (signal.aborted) return this.#upstream.close();
        break;
      } catch (thrown) {
        onError({ kind: "transport", error: toError(thrown) });
      }
    }
    this.#guard(this.#upstream);
    const uris = await this.#resources.restore();
    for (const handler of listChanges) this.receive(handler, {});
    for (const uri of uris) this.receive("resourceUpdated", { uri });
  }
}

/** Connects on behalf of a watcher, which receives everything as soon as there is one. */
function connect(options: UpstreamOptions, watcher: () => UpstreamWatcher | undefined): Promise<Upstream> {
  const listener: Listener = {
    ask: (method) => Promise.reject(new Error(`The gateway has no client for the request ${method}`)),
    notify: (handler, params) => watcher()?.receive(handler, params),
    unsubscribed: (uri) => watcher()?.lose(uri),
  };
  return Upstream.open({ ...options, maxSubscriptions: mostResources }, gatewayPrincipal, () => listener);
}

const listChanges = ["toolListChanged", "promptListChanged", "resourceListChanged"] as const;
