import { isObject, type RequestRow } from "../../../generated/support.ts";
import type { ClientConnection } from "../../client/connect.ts";
import { isSubscriptionError } from "../../client/errors.ts";
import { Listening } from "../../client/subscriptions/listen.ts";
import { inParts } from "../../internal/in-parts.ts";
import { SharedPromise } from "../../internal/shared-promise.ts";
import { RpcError, errorCodes, toError } from "../../jsonrpc/errors.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { tooMany } from "../../server/resources/subscriptions.ts";
import { isPassing } from "../../transport/http-client/event-stream.ts";
import { LostNotifications } from "./lost-notifications.ts";
import { ownRequest, ownTimeout } from "./own-request.ts";

/** Parts of a connection to the server used by its subscriptions. */
export interface SubscriptionsHost {
  /** Maximum number of resources. */
  readonly maxSubscriptions: number;
  send(row: RequestRow, params: object, options: RequestOptions): Promise<unknown>;
  /** Receives changes the server could send no notifications for. */
  notify(handler: string, params: object): void;
  /** Called when the server no longer notifies of a resource. */
  unsubscribed(uri: string): void;
}

/**
 * Notifications of the server to one connection: changes of all lists, and of resources. The connection subscribes to resources again when its
 * session is renewed.
 */
export class UpstreamSubscriptions {
  readonly #connection: ClientConnection;
  readonly #host: SubscriptionsHost;
  /** Resources the server has agreed to send notifications for. */
  readonly #agreed = new Set<string>();
  /** Resources whose subscription is pending. */
  readonly #pending = new Set<string>();
  /** Characters of the URIs in either. */
  #characters = 0;
  /** Subscription request for all of them, at revisions with such a request. */
  readonly #listening: Listening;
  /** Restoration of the stream of notifications, at revisions with sessions. */
  readonly #lost: LostNotifications;
  /** True if the stream of notifications was lost, at revisions with sessions: changes before the next one are not known. */
  #isInterrupted = false;

  constructor(connection: ClientConnection, host: SubscriptionsHost) {
    this.#connection = connection;
    this.#host = host;
    const ended = new AbortController();
    void connection.closed.then(() => ended.abort());
    this.#lost = new LostNotifications({
      ended: ended.signal,
      // The transport opens its stream when it learns that the server responds again.
      open: () => connection.request("ping").then(() => undefined, toError),
      onRestored: () => this.#reportChanges(),
    });
    this.#listening = new Listening({
      clock: undefined,
      reconnection: { initialDelay: 500, maxDelay: 30_000, factor: 2, attempts: Infinity },
      timeout: ownTimeout,
      // Clients of the gateway are not notified twice.
      overlap: 0,
      wantsLists: true,
      notificationsLost() {},
      hearing: () => this.#reportChanges(),
      lost: (what) => {
        for (const lost of what) if (lost.kind === "subscription") this.#lose(lost.uri);
      },
      resume: () => [],
    });
    this.#listening.adopt(connection);
  }

  /** True if one request takes all resources: they are best subscribed to together then. */
  get takesBatches(): boolean {
    return this.#listening.isOffered;
  }

  /**
   * Subscribes to a resource. Resolves when the server has agreed.
   *
   * @throws {RpcError} when the limit is reached, or the server does not agree to notify of the resource
   * @throws {PeerError} when the server rejects the subscription
   */
  async subscribe(uri: string, options: RequestOptions): Promise<unknown> {
    if (!this.#isKnown(uri)) this.#requireRoom(uri);
    this.#keep(this.#pending, uri);
    try {
      const result = await (this.takesBatches ? this.#listen(uri, options) : this.#send("subscribe", uri, options));
      // It may have been unsubscribed from in the meantime.
      if (this.#pending.has(uri)) this.#keep(this.#agreed, uri);
      return result;
    } finally {
      this.#forget(this.#pending, uri);
    }
  }

  async unsubscribe(uri: string, options: RequestOptions): Promise<unknown> {
    this.#forget(this.#agreed, uri);
    this.#forget(this.#pending, uri);
    if (!this.takesBatches) return this.#send("unsubscribe", uri, options);
    await new SharedPromise(this.#listening.unsubscribe(uri)).wait(options.signal);
    return {};
  }

  /** Handles an acknowledgement of the server. Returns `false` if it is not for a subscription request of this connection. */
  acknowledge(params: unknown): boolean {
    if (!this.#listening.hears(params)) return false;
    this.#listening.accept(params);
    return true;
  }

  /** Handles the server's cancellation of a request, which may be a subscription request. */
  cancelled(params: unknown): void {
    this.#listening.cancelled(params);
  }

  /** Restores notifications lost by the transport. If a server does not offer the stream for them, it will not offer it later. */
  lose(reason: Error | undefined): void {
    if (this.takesBatches || !isPassing(reason)) return;
    this.#isInterrupted = true;
    this.#lost.restore();
  }

  /** Reports changes when there is a stream of notifications again. A response, or another session, precedes the stream. */
  opened(): void {
    if (!this.#isInterrupted) return;
    this.#isInterrupted = false;
    this.#reportChanges();
  }

  /** Subscribes again in a new session. */
  async renew(): Promise<void> {
    this.#isInterrupted = true;
    await inParts(this.#agreed, resubscriptions, (uri) => this.#send("subscribe", uri, ownRequest).catch(() => {}));
    this.#reportChanges();
  }

  async #listen(uri: string, options: RequestOptions): Promise<unknown> {
    // The request that has it may end for others only.
    if (this.#agreed.has(uri)) return {};
    try {
      await this.#listening.subscribe(uri, options);
    } catch (error) {
      throw isSubscriptionError(error) ? new RpcError(errorCodes.invalidParams, notNotified) : error;
    }
    return {};
  }

  #send(handler: string, uri: string, options: RequestOptions): Promise<unknown> {
    const row = findRow(this.#connection.revision.clientRequests, handler);
    return row ? this.#host.send(row, { uri }, options) : Promise.resolve({});
  }

  #lose(uri: string): void {
    if (this.#forget(this.#agreed, uri)) this.#host.unsubscribed(uri);
  }

  #isKnown(uri: string): boolean {
    return this.#agreed.has(uri) || this.#pending.has(uri);
  }

  #requireRoom({ length }: string): void {
    const { maxSubscriptions } = this.#host;
    if (this.#agreed.size + this.#pending.size >= maxSubscriptions) throw tooMany(maxSubscriptions);
    if (this.#characters + length > mostCharacters) throw tooMany(mostCharacters, " characters");
  }

  #keep(uris: Set<string>, uri: string): void {
    if (!this.#isKnown(uri)) this.#characters += uri.length;
    uris.add(uri);
  }

  #forget(uris: Set<string>, uri: string): boolean {
    if (!uris.delete(uri)) return false;
    if (!this.#isKnown(uri)) this.#characters -= uri.length;
    return true;
  }

  /** Reports all lists and all subscribed resources as changed: changes in between are not known. */
  #reportChanges(): void {
    const { serverCapabilities } = this.#connection;
    for (const [capability, handler] of listChanges)
      if (notifiesChanges(serverCapabilities[capability])) this.#host.notify(handler, {});
    for (const uri of this.#agreed) this.#host.notify("resourceUpdated", { uri });
  }
}

const notNotified = "Invalid params: the server does not notify of changes of this resource; read it again instead";

/** Maximum number of characters of the URIs of one connection, as for sessions of servers of this package. */
const mostCharacters = 2 ** 20;

/** Number of resources to subscribe to at the same time in a new session. */
const resubscriptions = 32;

/** Notifications of changed lists, by capability. */
const listChanges = [
  ["tools", "toolListChanged"],
  ["prompts", "promptListChanged"],
  ["resources", "resourceListChanged"],
] as const;

function notifiesChanges(capability: unknown): boolean {
  return isObject(capability) && capability.listChanged === true;
}
