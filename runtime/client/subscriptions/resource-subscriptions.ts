import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";

/** Called with the URI of a changed resource: the one subscribed to, or one below it. */
export type ResourceListener = (uri: string) => unknown;

/** Parts of a client used by resource subscriptions. */
export interface SubscriptionHost {
  send(handler: "subscribe" | "unsubscribe", uri: string, options?: RequestOptions): Promise<unknown>;
  /** Called when a listener throws or rejects. */
  fail(error: unknown): void;
}

/**
 * Listeners by resource. However many listeners a resource has, the server has one subscription of it, which ends with the last listener.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
 */
export class ResourceSubscriptions {
  readonly #host: SubscriptionHost;
  readonly #entries = new Map<string, Entry>();

  constructor(host: SubscriptionHost) {
    this.#host = host;
  }

  /** Adds a listener. Resolves when the server has agreed, with a function to remove the listener. */
  async add(uri: string, listener: ResourceListener, options: RequestOptions): Promise<() => Promise<void>> {
    const entry = this.#entries.get(uri) ?? { listeners: new Map(), isActive: false, last: Promise.resolve() };
    this.#entries.set(uri, entry);
    const key = {};
    entry.listeners.set(key, listener);
    try {
      await this.#follow(uri, entry, options);
    } catch (error) {
      // Listeners that are still waiting send requests of their own.
      entry.listeners.delete(key);
      this.#forget(uri, entry);
      throw error;
    }
    return () => (entry.listeners.delete(key) ? this.#follow(uri, entry, {}) : Promise.resolve());
  }

  /** Calls the listeners of this resource and of those above it. */
  deliver(updated: string): void {
    for (const [uri, { listeners }] of this.#entries) {
      if (!isAtOrBelow(updated, uri)) continue;
      for (const listener of listeners.values()) this.#call(listener, updated);
    }
  }

  /** Subscribes again after the server has lost its state, and reports failures. */
  restore(onFailure: (uri: string, error: unknown) => void): Promise<unknown> {
    const restored = [...this.#entries].map(([uri, entry]) => {
      entry.isActive = false;
      return this.#follow(uri, entry, {}).catch((error: unknown) => onFailure(uri, error));
    });
    return Promise.all(restored);
  }

  /** Marks the subscription of a resource as lost: the next listener subscribes again. */
  lose(uri: string): void {
    const entry = this.#entries.get(uri);
    if (entry) entry.isActive = false;
  }

  /** Returns the resources with listeners whose subscriptions were lost, and marks them as active. */
  resume(): readonly string[] {
    const lost = [...this.#entries].filter(([, { isActive, listeners }]) => !isActive && listeners.size > 0);
    for (const [, entry] of lost) entry.isActive = true;
    return lost.map(([uri]) => uri);
  }

  /** Brings the subscription on the server in line with the listeners, one step after the other: the last change wins. */
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
      // Not before the server has agreed: a new subscription comes after the end of the last one.
      this.#forget(uri, entry);
    }
  }

  /** Deletes an entry without listeners. */
  #forget(uri: string, entry: Entry): void {
    if (entry.listeners.size === 0 && this.#entries.get(uri) === entry) this.#entries.delete(uri);
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
  /** True if the server has the subscription, or is about to. */
  isActive: boolean;
  last: Promise<void>;
}

/** True if a URI equals another one, or names a part of it. */
export function isAtOrBelow(uri: string, parent: string): boolean {
  if (!uri.startsWith(parent)) return false;
  return uri.length === parent.length || parent.endsWith("/") || /[/?#]/.test(uri.charAt(parent.length));
}
