import { isAtOrBelow } from "../../client/subscriptions/resource-subscriptions.ts";
import { inParts } from "../../internal/in-parts.ts";
import { SharedPromise } from "../../internal/shared-promise.ts";
import { RpcError } from "../../jsonrpc/errors.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import { ownRequest } from "./own-request.ts";
import type { Upstream } from "./upstream.ts";

/** Resources that one client watches. */
export interface ResourceWatch {
  /** Resources that the server has agreed to notify of. */
  readonly honoured: readonly string[];
  /** Aborted when the server no longer notifies of one of them. */
  readonly lost: AbortSignal;
  leave(): void;
}

/** Resources with watching clients. However many clients a resource has, the server has one subscription of it, which ends with the last client. */
export class WatchedResources {
  readonly #upstream: () => Upstream;
  readonly #topics = new Map<string, Topic>();
  #characters = 0;

  constructor(upstream: () => Upstream) {
    this.#upstream = upstream;
  }

  /**
   * Watches resources until `leave` is called. Resolves when the server has responded to the subscriptions.
   *
   * @throws {RpcError} when the resources of all clients are too many
   * @throws {unknown} when the signal is aborted: its reason
   */
  async watch(uris: ReadonlySet<string>, signal: AbortSignal): Promise<ResourceWatch> {
    this.#check(uris);
    const lost = new AbortController();
    const joined = new Set<string>();
    const join = async (uri: string): Promise<void> => {
      signal.throwIfAborted();
      joined.add(uri);
      if (await this.#join(uri, lost).agreed) return;
      joined.delete(uri);
      this.#leave([uri], lost);
    };
    try {
      const size = this.#upstream().subscriptions.takesBatches ? Infinity : requestsAtOnce;
      await new SharedPromise(inParts(uris, size, join)).wait(signal);
    } catch (error) {
      this.#leave(joined, lost);
      throw error;
    }
    return { honoured: [...joined], lost: lost.signal, leave: () => this.#leave(joined, lost) };
  }

  /** Returns the watched resources that a changed one belongs to: itself, and those above it. */
  above(changed: string): readonly string[] {
    return [...this.#topics.keys()].filter((uri) => isAtOrBelow(changed, uri));
  }

  /** Subscribes to all resources on another connection. Resolves to the resources that are watched then. */
  async restore(): Promise<readonly string[]> {
    const { subscriptions, connection } = this.#upstream();
    await inParts(this.#topics, subscriptions.takesBatches ? Infinity : requestsAtOnce, async ([uri, topic]) => {
      const { signal } = topic.left;
      const hasAgreed = await subscribe({ subscriptions, connection }, uri, signal);
      if (!hasAgreed && !signal.aborted) this.lose(uri);
    });
    return [...this.#topics.keys()];
  }

  /** Notifies the clients of a resource of the end of its subscription. */
  lose(uri: string): void {
    for (const lost of this.#topics.get(uri)?.clients ?? []) lost.abort();
  }

  #check(uris: ReadonlySet<string>): void {
    const added = [...uris].filter((uri) => !this.#topics.has(uri));
    const characters = added.reduce((sum, uri) => sum + uri.length, this.#characters);
    if (this.#topics.size + added.length <= mostResources && characters <= mostCharacters) return;
    throw new RpcError(rejectionCodes.tooMany, "Too many subscriptions of all clients; subscribe to fewer, or later");
  }

  #join(uri: string, client: AbortController): Topic {
    const known = this.#topics.get(uri);
    if (known) {
      known.clients.add(client);
      return known;
    }
    const left = new AbortController();
    const agreed = subscribe(this.#upstream(), uri, left.signal);
    const topic = { clients: new Set([client]), left, agreed };
    this.#topics.set(uri, topic);
    this.#characters += uri.length;
    return topic;
  }

  #leave(uris: Iterable<string>, client: AbortController): void {
    const over = [...uris].filter((uri) => this.#isLast(uri, client));
    for (const uri of over) this.#end(uri);
    const { subscriptions } = this.#upstream();
    void inParts(over, subscriptions.takesBatches ? Infinity : requestsAtOnce, async (uri) => {
      // Another client may have come in the meantime.
      if (!this.#topics.has(uri)) await subscriptions.unsubscribe(uri, ownRequest).catch(() => {});
    });
  }

  /** Removes a client of a resource. Returns `true` if it was the last one. */
  #isLast(uri: string, client: AbortController): boolean {
    const topic = this.#topics.get(uri);
    return topic?.clients.delete(client) === true && topic.clients.size === 0;
  }

  #end(uri: string): void {
    this.#topics.get(uri)?.left.abort();
    this.#topics.delete(uri);
    this.#characters -= uri.length;
  }
}

/** Resource with watching clients. */
interface Topic {
  /** Controllers that notify each client of the loss of the subscription. */
  readonly clients: Set<AbortController>;
  /** Aborted when the last client has left. */
  readonly left: AbortController;
  /** Resolves to `true` if the server agrees to the subscription. */
  readonly agreed: Promise<boolean>;
}

type Subscribing = Pick<Upstream, "connection" | "subscriptions">;

/** Subscribes to a resource. Resolves to `false` if the server does not agree, or does not respond. */
async function subscribe(
  { subscriptions, connection }: Subscribing,
  uri: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await subscriptions.subscribe(uri, { ...ownRequest, signal });
    return true;
  } catch {
    // The next connection subscribes again.
    return connection.state === "DISCONNECTED";
  }
}

/** Maximum number of requests for one client that are sent at the same time. */
const requestsAtOnce = 32;

/** Limits of the resources of all clients together. One subscription request may have to name them all. */
export const mostResources = 10_000;
const mostCharacters = 2 ** 20;
