import type { RequestOptions } from "../../protocol/incoming-call.ts";

/** Is called with the URI of what changed: the one subscribed to, or one below it. */
export type ResourceListener = (uri: string) => unknown;

/** What subscriptions need of the client. */
export interface SubscriptionHost {
  send(handler: "subscribe" | "unsubscribe", uri: string, options?: RequestOptions): Promise<unknown>;
  /** A listener failed. */
  fail(error: unknown): void;
}

/**
 * Who listens to which resource. However many listen to one, the server has one subscription of it, which ends with the last.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
 */
export class Subscriptions {
  readonly #host: SubscriptionHost;
  readonly #entries = new Map<string, Entry>();

  constructor(host: SubscriptionHost) {
    this.#host = host;
  }

  /** Resolves, with how to end it, when the server has agreed. */
  async add(uri: string, listener: ResourceListener, options: RequestOptions): Promise<() => Promise<void>> {
    const entry = this.#entries.get(uri) ?? { listeners: new Map(), isActive: false, last: Promise.resolve() };
    this.#entries.set(uri, entry);
    const key = {};
    entry.listeners.set(key, listener);
    const remove = (): Promise<void> =>
      entry.listeners.delete(key) ? this.#follow(uri, entry, {}) : Promise.resolve();
    try {
      await this.#follow(uri, entry, options);
    } catch (error) {
      await remove();
      throw error;
    }
    return remove;
  }

  /** Calls whoever listens to this resource or to one above it. */
  deliver(updated: string): void {
    for (const [uri, { listeners }] of this.#entries) {
      if (!isAtOrBelow(updated, uri)) continue;
      for (const listener of listeners.values()) this.#call(listener, updated);
    }
  }

  /** The server has forgotten everything: subscribes again, and tells what failed. */
  restore(onFailure: (uri: string, error: unknown) => void): Promise<unknown> {
    const restored = [...this.#entries].map(([uri, entry]) => {
      entry.isActive = false;
      return this.#follow(uri, entry, {}).catch((error: unknown) => onFailure(uri, error));
    });
    return Promise.all(restored);
  }

  /** Brings the server's side in line with ours; one step after the other, so that the last wish wins. */
  #follow(uri: string, entry: Entry, options: RequestOptions): Promise<void> {
    const step = entry.last.catch(() => {}).then(() => this.#step(uri, entry, options));
    entry.last = step;
    return step;
  }

  async #step(uri: string, entry: Entry, options: RequestOptions): Promise<void> {
    const isWanted = entry.listeners.size > 0;
    try {
      if (isWanted !== entry.isActive) await this.#switch(uri, entry, options);
    } finally {
      // Not before the server has agreed: whoever subscribes meanwhile comes after the end of the last subscription.
      if (entry.listeners.size === 0 && this.#entries.get(uri) === entry) this.#entries.delete(uri);
    }
  }

  async #switch(uri: string, entry: Entry, options: RequestOptions): Promise<void> {
    entry.isActive = !entry.isActive;
    const handler = entry.isActive ? "subscribe" : "unsubscribe";
    try {
      await this.#host.send(handler, uri, options);
    } catch (error) {
      entry.isActive = false;
      if (handler === "subscribe") throw error;
    }
  }

  #call(listener: ResourceListener, uri: string): void {
    try {
      Promise.resolve(listener(uri)).catch((error: unknown) => this.#host.fail(error));
    } catch (error) {
      this.#host.fail(error);
    }
  }
}

interface Entry {
  readonly listeners: Map<object, ResourceListener>;
  /** Whether the server has the subscription, or is about to. */
  isActive: boolean;
  last: Promise<void>;
}

/** Whether a URI is another one, or names a part of it. */
export function isAtOrBelow(uri: string, parent: string): boolean {
  if (!uri.startsWith(parent)) return false;
  return uri.length === parent.length || parent.endsWith("/") || /[/?#]/.test(uri.charAt(parent.length));
}
