import type { ClientConnection } from "../../client/connect.ts";
import { toError } from "../../jsonrpc/errors.ts";
import { pause } from "../../internal/timers.ts";
import { ToolList } from "./tool-list.ts";
import { gatewayPrincipal } from "../principal.ts";
import { Upstream, type Listener, type UpstreamOptions } from "./upstream.ts";

/**
 * Connection of the gateway itself, on which it reads what the server offers and receives changes. If it is lost, it is opened again for as
 * long as the gateway exists, because other connections may be in service all the time.
 */
export class UpstreamWatcher {
  readonly #options: UpstreamOptions;
  readonly #notify: Listener["notify"];
  readonly #topics = new Map<string, Topic>();
  readonly tools: ToolList;
  #upstream: Upstream;

  private constructor(
    options: UpstreamOptions,
    { upstream, notify }: { upstream: Upstream; notify: Listener["notify"] },
  ) {
    this.#options = options;
    this.#notify = notify;
    this.#upstream = upstream;
    this.tools = new ToolList(() => this.#upstream.connection);
  }

  /** @param notify - receives every notification of the server, by handler name */
  static async open(options: UpstreamOptions, notify: Listener["notify"]): Promise<UpstreamWatcher> {
    const holder: { watcher?: UpstreamWatcher } = {};
    const receive = (handler: string, params: object): void => {
      // If the list cannot be read, the known tools stay.
      if (handler === "toolListChanged") holder.watcher?.tools.read().catch(() => {});
      notify(handler, params);
    };
    const upstream = await connect(options, receive);
    const watcher = new UpstreamWatcher(options, { upstream, notify: receive });
    holder.watcher = watcher;
    watcher.#guard(upstream);
    await watcher.#readTools();
    return watcher;
  }

  get connection(): ClientConnection {
    return this.#upstream.connection;
  }

  /**
   * Subscribes to a resource until the returned function is called. A server that rejects the subscription sends no notifications of the resource.
   */
  async subscribe(uri: string): Promise<() => void> {
    const topic = this.#topics.get(uri) ?? { listeners: 0, ready: this.#upstream.subscribe(uri).catch(() => {}) };
    topic.listeners += 1;
    this.#topics.set(uri, topic);
    await topic.ready;
    return () => this.#leave(uri, topic);
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }

  /** Reads the list of tools. Only reports a failure, because the other features of the server work without the list. */
  async #readTools(): Promise<void> {
    try {
      await this.tools.read();
    } catch (thrown) {
      this.#options.onError({ kind: "protocol", error: toError(thrown) });
    }
  }

  #leave(uri: string, topic: Topic): void {
    topic.listeners -= 1;
    if (topic.listeners > 0) return;
    this.#topics.delete(uri);
    this.#upstream.unsubscribe(uri).catch(() => {});
  }

  #guard({ connection }: Upstream): void {
    const { signal, onError } = this.#options;
    void connection.closed.then((reason) => {
      if (signal.aborted) return;
      onError({ kind: "transport", error: reason ?? new Error("The server closed the connection") });
      return this.#reopen();
    });
  }

  /** Opens the connection again, and then reports every list and resource as changed: changes in between are not known. */
  async #reopen(): Promise<void> {
    const { signal, onError } = this.#options;
    for (let delay = shortestDelay; ; delay = Math.min(2 * delay, longestDelay)) {
      await pause(delay, undefined, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        this.#upstream = await connect(this.#options, this.#notify);
        if (signal.aborted) return this.#upstream.close();
        break;
      } catch (thrown) {
        onError({ kind: "transport", error: toError(thrown) });
      }
    }
    this.#guard(this.#upstream);
    for (const uri of this.#topics.keys()) await this.#upstream.subscribe(uri).catch(() => {});
    for (const handler of listChanges) this.#notify(handler, {});
    for (const uri of this.#topics.keys()) this.#notify("resourceUpdated", { uri });
  }
}

/** Resource with subscribers among the clients of the gateway. */
interface Topic {
  listeners: number;
  /** Settles when the server has responded to the subscription. */
  readonly ready: Promise<unknown>;
}

function connect(options: UpstreamOptions, notify: Listener["notify"]): Promise<Upstream> {
  const listener: Listener = {
    ask: (method) => Promise.reject(new Error(`The gateway has no client for the request ${method}`)),
    notify,
  };
  return Upstream.open(options, gatewayPrincipal, () => listener);
}

const listChanges = ["toolListChanged", "promptListChanged", "resourceListChanged"] as const;

/** Milliseconds before the first attempt to open the connection again; the delay doubles up to the longest. */
const shortestDelay = 500;
const longestDelay = 30_000;
