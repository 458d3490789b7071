import type { Listeners } from "../server/subscriptions/listeners.ts";
import type { Audience } from "../server/subscriptions/session-registry.ts";
import type { NotificationTarget, ServedClients, SharedReceiver } from "../transport/http-server/served-clients.ts";

/**
 * Clients of a gateway with subscriptions to tasks. The nodes of a cluster pass notifications of tasks of the gateway on to each other; each receives
 * everything else from the server.
 */
export class TopicClients implements ServedClients {
  readonly audiences: Audience[] = [];
  readonly #listeners: Listeners;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  attach(receiver: NotificationTarget & SharedReceiver): void {
    this.audiences.push(receiver);
  }

  /** Notifies the clients of all nodes. */
  notifyTopic(topic: string, handler: string, params: object): void {
    this.notifyHere(topic, handler, params);
    for (const other of this.audiences) other.notifyTopic?.(topic, handler, params);
  }

  /** Notifies the clients of this node. */
  notifyHere(topic: string, handler: string, params: object): void {
    this.#listeners.notifyTopic(topic, handler, params);
  }

  notify(): void {
    // The server notifies each node of its lists.
  }

  notifyUpdated(): void {
    // The server notifies each node of its resources.
  }

  setLogLevel(): void {
    // The node that serves a session sets the level at the server.
  }
}
