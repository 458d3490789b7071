import { isAtOrBelow } from "../../client/subscriptions/resource-subscriptions.ts";
import { inParts } from "../../internal/in-parts.ts";
import { SharedPromise } from "../../internal/shared-promise.ts";
import { RpcError } from "../../jsonrpc/errors.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import { Shares } from "../../stores/shares.ts";
import { ownRequest } from "./own-request.ts";
import type { Upstream } from "./upstream.ts";

/** Resources watched by one client. */
export interface ResourceWatch {
  /** Resources the server has agreed to send notifications for. */
  readonly honoured: readonly string[];
  /** Aborted when the server no longer notifies of one of them. */
  readonly lost: AbortSignal;
  leave(): void;
}

/** Resources with watching clients. However many clients a resource has, the server has one subscription of it, which ends with the last client. */
export class WatchedResources {
  readonly #upstream: () => Upstream;
  readonly #topics = new Map<string, Topic>();
  /** Resources and characters of their URIs, by the principal of the first client of each. */
  readonly #counts = new Shares(mostResources);
  readonly #characters = new Shares(mostCharacters);

  constructor(upstream: () => Upstream) {
    this.#upstream = upstream;
  }

  /**
   * Watches resources until `leave` is called. Resolves when the server has responded to the subscriptions.
   *
   * @param principal - authenticated principal of the client, which has its share of the resources
   * @throws {RpcError} when the resources of the principal or of all clients are too many
   * @throws {unknown} when the signal is aborted: its reason
   */
  async watch(uris: ReadonlySet<string>, signal: AbortSignal, principal: string | undefined): Promise<ResourceWatch> {
    this.#check(uris, principal);
    const lost = new AbortController();
    const joined = new Set<string>();
    const join = async (uri: string): Promise<void> => {
      signal.throwIfAborted();
      // Other clients may have come since the first check.
      this.#check([uri], principal);
      joined.add(uri);
      if (await this.#join(uri, lost, principal).agreed) return;
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

  /** Returns the watched resources affected by a change: the changed one itself, and those above it. */
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
    for (const lost of this.#topics.get(uri)?.clients.keys() ?? []) lost.abort();
  }

  #check(uris: Iterable<string>, principal: string | undefined): void {
    const added = [...uris].filter((uri) => !this.#topics.has(uri));
    const characters = added.reduce((sum, uri) => sum + uri.length, 0);
    const hasRoom = added.length <= this.#counts.roomFor(principal);
    if (added.length === 0 || (hasRoom && characters <= this.#characters.roomFor(principal))) return;
    throw new RpcError(rejectionCodes.tooMany, "Too many subscriptions of all clients; subscribe to fewer, or later");
  }

  #join(uri: string, client: AbortController, principal: string | undefined): Topic {
    const known = this.#topics.get(uri);
    if (known) {
      known.clients.set(client, principal);
      return known;
    }
    const left = new AbortController();
    const agreed = subscribe(this.#upstream(), uri, left.signal);
    const topic: Topic = { clients: new Map([[client, principal]]), left, agreed, holder: principal };
    this.#topics.set(uri, topic);
    this.#charge(uri, principal, 1);
    return topic;
  }

  #charge(uri: string, holder: string | undefined, sign: 1 | -1): void {
    this.#counts.change(holder, sign);
    this.#characters.change(holder, sign * uri.length);
  }

  #leave(uris: Iterable<string>, client: AbortController): void {
    const over = [...uris].filter((uri) => this.#remove(uri, client));
    const { subscriptions } = this.#upstream();
    void inParts(over, subscriptions.takesBatches ? Infinity : requestsAtOnce, async (uri) => {
      // Another client may have come in the meantime.
      if (!this.#topics.has(uri)) await subscriptions.unsubscribe(uri, ownRequest).catch(() => {});
    });
  }

  /** Removes a client of a resource. Returns `true` if it was the last one, with which the resource is no longer watched. */
  #remove(uri: string, client: AbortController): boolean {
    const topic = this.#topics.get(uri);
    if (!topic?.clients.delete(client)) return false;
    this.#charge(uri, topic.holder, -1);
    if (topic.clients.size === 0) {
      topic.left.abort();
      this.#topics.delete(uri);
      return true;
    }
    // The resource now counts for a client that still watches it, not for the one that left.
    const [next] = topic.clients.values();
    topic.holder = next;
    this.#charge(uri, next, 1);
    return false;
  }
}

/** Resource with watching clients. */
interface Topic {
  /** Controllers to notify each client of the loss of the subscription, with the principals of the clients. */
  readonly clients: Map<AbortController, string | undefined>;
  /** Principal in whose share it counts: the one of its oldest client. */
  holder: string | undefined;
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

/** Maximum number of requests to send for one client at the same time. */
const requestsAtOnce = 32;

/** Limits of the resources of all clients together. One subscription request may have to name them all. */
export const mostResources = 10_000;
const mostCharacters = 2 ** 20;
