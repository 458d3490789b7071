import type { NotificationRow } from "../../../generated/support.ts";
import { filterMembers, type ListenFilter } from "../../protocol/subscription-filter.ts";
import { listChanged, listKinds } from "../../protocol/list-kinds.ts";
import { findRow } from "../../protocol/method-rows.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import type { Audience } from "./session-registry.ts";

/** The open requests that wait for news, each of which has said what it wants to hear of. */
export class Listeners implements Audience {
  readonly #open = new Set<Listener>();

  /** Counts a request among those that wait, and returns how it leaves. */
  add(call: CallContext, asked: Heard, tag: string): () => void {
    const listener = new Listener(call, asked, tag);
    this.#open.add(listener);
    return () => void this.#open.delete(listener);
  }

  /** Sends a notification to all who asked for its kind. */
  notify(handler: string, params: object | undefined): void {
    for (const listener of this.#open) if (listener.wants(handler)) listener.notify(handler, params);
  }

  /** Tells those who asked for any of the URIs that the first has changed. */
  notifyUpdated(uris: readonly [string, ...string[]]): void {
    for (const listener of this.#open) if (listener.watches(uris)) listener.notify("resourceUpdated", { uri: uris[0] });
  }

  /** Sends a notification to all who asked for its topic. */
  notifyTopic(topic: string, handler: string, params: object): void {
    for (const listener of this.#open) if (listener.topics.has(topic)) listener.notify(handler, params);
  }

  /** Closes every connection on which somebody waits: the requests are answered first. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((listener) => listener.close()));
  }
}

/** What a request wants to hear of. */
export interface Heard {
  readonly filter: ListenFilter;
  readonly topics: readonly string[];
}

class Listener {
  readonly #call: CallContext;
  readonly #tag: string;
  readonly #kinds: ReadonlySet<string>;
  readonly #uris: ReadonlySet<string>;
  readonly topics: ReadonlySet<string>;

  constructor(call: CallContext, { filter, topics }: Heard, tag: string) {
    this.#call = call;
    this.topics = new Set(topics);
    this.#tag = tag;
    this.#kinds = new Set(listKinds.filter((kind) => filter[filterMembers[kind]]).map((kind) => listChanged[kind]));
    this.#uris = new Set(filter.resourceSubscriptions);
  }

  wants(handler: string): boolean {
    return this.#kinds.has(handler);
  }

  watches(uris: readonly string[]): boolean {
    return uris.some((uri) => this.#uris.has(uri));
  }

  /** Every message says to which request it belongs. One that cannot be sent any more is nobody's failure. */
  notify(handler: string, params: object | undefined): void {
    const { revision, requestId } = this.#call;
    const row: NotificationRow | undefined = findRow(revision.serverNotifications, handler);
    if (row) this.#call.notify(row, { ...params, _meta: { [this.#tag]: requestId } }).catch(() => {});
  }

  close(): Promise<void> {
    return this.#call.connection.close();
  }
}
