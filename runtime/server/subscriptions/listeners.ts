import type { NotificationRow } from "../../../generated/support.ts";
import { filterMembers, type ListenFilter } from "../../protocol/methods/subscription-filter.ts";
import { listChanged, listKinds } from "../../protocol/methods/list-kinds.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { Shares } from "../../stores/shares.ts";
import { readAuth } from "../context.ts";
import { sizeOfEntries } from "../resources/subscriptions.ts";
import type { Audience } from "./session-registry.ts";

/** Open subscription requests with their filters. */
export class Listeners implements Audience {
  readonly #open = new Set<Listener>();
  /** Characters of the URIs and topics of all requests, of which each principal has a share. */
  readonly #sizes = new Shares(mostCharacters);

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  get subscribedUris(): Iterable<string> {
    return [...this.#open].flatMap((listener) => [...listener.uris]);
  }

  /** True if the principal of a request may have these subscriptions beside the open ones. */
  hasRoom({ origin }: CallContext, asked: SubscribedNotifications): boolean {
    return sizeOf(asked) <= this.#sizes.roomFor(readAuth(origin)?.principal);
  }

  /** Adds a request, and returns a function to remove it. */
  add(call: CallContext, asked: SubscribedNotifications, tag: string): () => void {
    const owner = readAuth(call.origin)?.principal;
    const size = sizeOf(asked);
    const listener = new Listener(call, asked, tag);
    this.#open.add(listener);
    this.#sizes.change(owner, size);
    return () => {
      if (this.#open.delete(listener)) this.#sizes.change(owner, -size);
    };
  }

  /** Sends a notification to all requests subscribed to its kind. */
  notify(handler: string, params: object | undefined): void {
    for (const listener of this.#open) if (listener.wants(handler)) listener.notify(handler, params);
  }

  /** Notifies the requests subscribed to any of the URIs: the first one has changed. */
  notifyUpdated(uris: readonly [string, ...string[]]): void {
    for (const listener of this.#open) if (listener.watches(uris)) listener.notify("resourceUpdated", { uri: uris[0] });
  }

  /** Sends a notification to all requests subscribed to its topic. */
  notifyTopic(topic: string, handler: string, params: object): void {
    for (const listener of this.#open) if (listener.topics.has(topic)) listener.notify(handler, params);
  }

  /** Closes every connection with a waiting request. The requests get their results first. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((listener) => listener.close()));
  }
}

/** Subscribed notifications of a request. */
export interface SubscribedNotifications {
  readonly filter: ListenFilter;
  readonly topics: readonly string[];
}

/** Characters of all open requests. */
const mostCharacters = 16 * 1024 * 1024;

function sizeOf({ filter: { resourceSubscriptions = [] }, topics }: SubscribedNotifications): number {
  return sizeOfEntries(resourceSubscriptions) + sizeOfEntries(topics);
}

class Listener {
  readonly #call: CallContext;
  readonly #tag: string;
  readonly #handlers: readonly string[];
  readonly uris: ReadonlySet<string>;
  readonly topics: ReadonlySet<string>;

  constructor(call: CallContext, { filter, topics }: SubscribedNotifications, tag: string) {
    this.#call = call;
    this.topics = toSet(topics);
    this.#tag = tag;
    this.#handlers = listKinds.filter((kind) => filter[filterMembers[kind]]).map((kind) => listChanged[kind]);
    this.uris = toSet(filter.resourceSubscriptions);
  }

  wants(handler: string): boolean {
    return this.#handlers.includes(handler);
  }

  watches(uris: readonly string[]): boolean {
    return uris.some((uri) => this.uris.has(uri));
  }

  /** Sends a notification with the id of its request. A failed send is ignored, as the connection may be closing. */
  notify(handler: string, params: object | undefined): void {
    const { revision, requestId } = this.#call;
    const row: NotificationRow | undefined = findRow(revision.serverNotifications, handler);
    if (row) this.#call.notify(row, { ...params, _meta: { [this.#tag]: requestId } }).catch(() => {});
  }

  close(): Promise<void> {
    return this.#call.connection.close();
  }
}

/** Returns a set of texts. Requests without any share one, because there may be thousands of them. */
function toSet(texts: readonly string[] = []): ReadonlySet<string> {
  return texts.length === 0 ? none : new Set(texts);
}

const none: ReadonlySet<string> = new Set();
