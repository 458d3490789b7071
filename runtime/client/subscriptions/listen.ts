import { isObject, type RequestRow } from "../../../generated/support.ts";
import { filterMembers, type ListenFilter } from "../../protocol/methods/subscription-filter.ts";
import { halve, isSameFilter, toFilter } from "./listen-filter.ts";
import { listChanged, listKinds, type ListKind } from "../../protocol/methods/list-kinds.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { readMetaKeys } from "../../protocol/session/request-metadata.ts";
import { SharedPromise } from "../../internal/shared-promise.ts";
import { errorCodes, isPeerError, toError } from "../../jsonrpc/errors.ts";
import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { isOpen } from "../../protocol/session/session.ts";
import { pause, systemClock, type Clock } from "../../internal/timers.ts";
import { toDelay, type Reconnection } from "../../transport/http-client/reconnect-delay.ts";
import { isHttpError } from "../../transport/http-client/errors.ts";
import { isPassing } from "../../transport/http-client/event-stream.ts";
import type { ClientConnection } from "../connect.ts";
import { SubscriptionError } from "../errors.ts";
import type { RestoredState } from "../events.ts";
import { findRequestRow } from "../session/requests.ts";
import { ListenStream } from "./listen-stream.ts";

/** Parts of a session used by subscriptions to changes. */
export interface ListeningHost {
  readonly clock: Clock | undefined;
  readonly reconnection: Reconnection;
  /** Milliseconds to wait for an acknowledgement. */
  readonly timeout: number;
  /** Milliseconds for which a replaced stream stays open. No change is missed in this time, and some are reported twice. Default 250. */
  readonly overlap?: number;
  /** True if notifications of every list are wanted, not only of the cached ones. */
  readonly wantsLists: boolean;
  /** Called when notifications stop. Changes not reported so far are lost. */
  notificationsLost(reason: Error | undefined): void;
  /** Called when notifications of changes arrive again. */
  hearing(): void;
  /** Called with changes the server sends no notifications for. After a temporary failure, `restore` subscribes to them again. */
  lost(what: readonly RestoredState[], reason: Error): void;
  /** Returns the resources whose subscriptions were lost and are still wanted. They count as subscribed to from now on. */
  resume(): readonly string[];
}

/** List or resource whose changes are subscribed to. */
type Wanted = Exclude<RestoredState, { readonly kind: "logLevel" }>;

/**
 * Subscription to changes on servers which only notify subscribers. There is one stream. Another stream replaces it when the wanted changes differ; a
 * broken stream is opened again. The two overlap for a moment, because no change must be missed: a change may be reported twice.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class Listening {
  readonly #host: ListeningHost;
  readonly #kinds: Set<ListKind>;
  readonly #uris = new Set<string>();
  /** URIs whose `subscribe` is pending, with the error by which the server rejected them. */
  readonly #pending = new Map<string, Error | undefined>();
  /** Streams on which notifications may still arrive. */
  readonly #streams = new Set<ListenStream>();
  #line: ListenLine | undefined;
  #current: OpenStream | undefined;
  #syncing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** Number of attempts in a row without a lasting stream. */
  #failedAttempts = 0;
  #openedAt = 0;
  #isLost = false;

  constructor(host: ListeningHost) {
    this.#host = host;
    this.#kinds = new Set(host.wantsLists ? listKinds : []);
  }

  /** True if the server notifies of changes by subscription requests. */
  get isOffered(): boolean {
    return this.#line !== undefined;
  }

  /** True if subscriptions were lost by a temporary failure. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Adopts another connection; subscriptions on the last one are over. */
  adopt(connection: ClientConnection): void {
    this.#streams.clear();
    this.#uris.clear();
    this.#pending.clear();
    this.#current = undefined;
    this.#syncing = undefined;
    this.#failedAttempts = 0;
    this.#isLost = false;
    this.#line = toLine(connection);
    this.#syncQuietly();
  }

  /** Subscribes again after the loss of subscriptions by a temporary failure. A successful call has just shown the server to be reachable. */
  restore(): void {
    const line = this.#line;
    if (!line || !this.#isLost) return;
    this.#isLost = false;
    this.#failedAttempts = 0;
    for (const uri of this.#host.resume()) this.#uris.add(uri);
    void this.#restore(line);
  }

  /** Subscribes to changes of a list, if the server notifies of them. */
  watch(kind: ListKind): void {
    if (!this.isOffered || this.#kinds.has(kind)) return;
    this.#kinds.add(kind);
    this.#syncQuietly();
  }

  /**
   * Subscribes to changes of a resource; resolves when the server has agreed. The signal ends the wait.
   *
   * @throws {SubscriptionError} when the server does not agree
   * @throws {PeerError} when the server responds with an error for the resource
   */
  async subscribe(uri: string, { signal }: Pick<RequestOptions, "signal"> = {}): Promise<void> {
    signal?.throwIfAborted();
    const line = this.#line;
    this.#uris.add(uri);
    this.#pending.set(uri, undefined);
    try {
      await new SharedPromise(this.#sync()).wait(signal);
      const rejection = this.#pending.get(uri);
      if (rejection) throw rejection;
      const isHonoured = this.#current?.honoured.resourceSubscriptions?.includes(uri) ?? false;
      if (!isHonoured) throw new SubscriptionError([uri]);
      this.restore();
    } catch (error) {
      if (line === this.#line) this.#uris.delete(uri);
      // The server may still agree: the stream must not keep the resource.
      // A failure between two parts leaves resources without a stream.
      if (signal?.aborted || this.#current) this.#syncQuietly();
      throw error;
    } finally {
      if (line === this.#line) this.#pending.delete(uri);
    }
  }

  /** Resolves when the subscription to a resource has ended. */
  unsubscribe(uri: string): Promise<void> {
    return this.#uris.delete(uri) ? this.#sync() : Promise.resolve();
  }

  /** True if a notification belongs to a subscription request of this client. */
  hears(params: unknown): boolean {
    return this.#find(params) !== undefined;
  }

  /** Handles the server's acknowledgement of a subscription request. */
  accept(params: unknown): void {
    this.#find(params)?.accept(params);
  }

  /** Handles the server's cancellation of a subscription request, which some servers send instead of a response. */
  cancelled(params: unknown): void {
    const id = isObject(params) ? params.requestId : undefined;
    const stream = [...this.#streams].find((one) => one.is(id));
    stream?.end(new Error("The server ended the subscription"));
  }

  #find(params: unknown): ListenStream | undefined {
    const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
    const tag = this.#line && meta[this.#line.tag];
    return [...this.#streams].find((stream) => stream.is(tag));
  }

  #syncQuietly(): void {
    const line = this.#line;
    this.#sync().catch((error: unknown) => line && this.#recover(line, toError(error)));
  }

  /** Brings the stream in line with the wanted changes: once for all concurrent callers. */
  #sync(): Promise<void> {
    const line = this.#line;
    if (!line) return Promise.resolve();
    if (this.#syncing) return (this.#next ??= this.#syncing.catch(() => {}).then(() => this.#sync()));
    this.#next = undefined;
    // Callers in the same moment share this step.
    const syncing = Promise.resolve()
      .then(() => this.#follow(line))
      .finally(() => {
        if (this.#syncing === syncing) this.#syncing = undefined;
      });
    this.#syncing = syncing;
    return syncing;
  }

  async #follow(line: ListenLine): Promise<void> {
    const filter = this.#toFilter(line);
    if (isSameFilter(filter, this.#current?.stream.filter ?? {})) return;
    if (Object.keys(filter).length === 0) this.#replace(undefined);
    else await this.#openAccepted(line, filter);
  }

  /** Opens a stream. After an error, opens it for parts of the filter: a rejected resource must not affect the others. */
  async #openAccepted(line: ListenLine, filter: ListenFilter): Promise<void> {
    try {
      await this.#open(line, filter);
    } catch (error) {
      const { resourceSubscriptions: uris = [], ...lists } = filter;
      if (!isPeerError(error) || error.code === errorCodes.methodNotFound) throw error;
      if (uris.length === 0 || (uris.length === 1 && Object.keys(lists).length === 0)) throw error;
      const pending = uris.filter((uri) => this.#pending.has(uri));
      const known = uris.filter((uri) => !this.#pending.has(uri));
      await this.#openParts({ line, lists, error }, pending.length === 0 ? halve(known) : [known, pending]);
    }
  }

  /** Adds one part of the resources after the other to the stream, and halves each rejected part. */
  async #openParts(
    { line, lists, error }: { readonly line: ListenLine; readonly lists: ListenFilter; readonly error: Error },
    first: readonly (readonly string[])[],
  ): Promise<void> {
    const parts = [...first];
    const accepted: string[] = [];
    const rejected = new Map<string, Error>();
    let requests = 0;
    for (let part = parts.shift(); part; part = parts.shift()) {
      const filter = toFilter(lists, [...accepted, ...part]);
      if (Object.keys(filter).length === 0) continue;
      requests += 1;
      const rejection = requests > mostRequests ? error : await this.#attempt(line, filter);
      if (!rejection) accepted.push(...part);
      else if (part.length === 0) throw rejection;
      else if (part.length > 1 && requests < mostRequests) parts.unshift(...halve(part));
      else for (const uri of part) rejected.set(uri, rejection);
    }
    const isNothingAccepted = accepted.length === 0;
    // The lists do not depend on the resources.
    if (isNothingAccepted && !this.#current && Object.keys(lists).length > 0) {
      const rejection = await this.#attempt(line, lists);
      if (rejection) throw rejection;
    }
    // A server that accepts nothing now does not end the open stream.
    const open = isNothingAccepted ? (this.#current?.stream.filter.resourceSubscriptions ?? []) : [];
    for (const [uri, rejection] of rejected) if (!open.includes(uri)) this.#reject(uri, rejection);
  }

  /** Returns the error by which the server rejects a filter, if it does. */
  async #attempt(line: ListenLine, filter: ListenFilter): Promise<Error | undefined> {
    try {
      await this.#open(line, filter);
      return undefined;
    } catch (error) {
      if (!isPeerError(error)) throw error;
      return error;
    }
  }

  /** Drops a rejected resource. A pending `subscribe` to it rejects. */
  #reject(uri: string, error: Error): void {
    if (!this.#uris.delete(uri)) return;
    if (this.#pending.has(uri)) this.#pending.set(uri, error);
    else this.#host.lost([toSubscription(uri)], error);
  }

  /** Replaces the stream. The old one stays open for a moment. */
  #replace(current: OpenStream | undefined): void {
    const previous = this.#current?.stream;
    this.#current = current;
    const { overlap = usualOverlap } = this.#host;
    if (overlap === 0) previous?.end();
    else if (previous) this.#clock.after(overlap, () => previous.end());
  }

  async #open(line: ListenLine, filter: ListenFilter): Promise<void> {
    const { clock, timeout } = this.#host;
    const isFirst = this.#current === undefined;
    const stream = new ListenStream(line.connection, { row: line.row, filter, clock, timeout });
    this.#streams.add(stream);
    void stream.ended.then((reason) => this.#lose(stream, reason));
    const honoured = await stream.acknowledged;
    if (!this.#streams.has(stream)) return;
    this.#replace({ stream, honoured });
    this.#openedAt = this.#clock.now();
    // A server may honour less than it did on the stream before.
    const uris = new Set(honoured.resourceSubscriptions);
    const lost = filter.resourceSubscriptions?.filter((uri) => !uris.has(uri) && !this.#pending.has(uri)) ?? [];
    for (const uri of lost) this.#reject(uri, new SubscriptionError([uri]));
    const rejected = listKinds.filter((kind) => filter[filterMembers[kind]] && !honoured[filterMembers[kind]]);
    if (isFirst && rejected.length > 0) this.#host.lost(rejected.map(toListChanges), new SubscriptionError(rejected));
  }

  #toFilter(line: ListenLine): ListenFilter {
    const kinds = this.#offeredKinds(line).map((kind) => [filterMembers[kind], true]);
    return toFilter(Object.fromEntries(kinds), [...this.#uris]);
  }

  /** Returns the wanted lists of which the server declares to notify. */
  #offeredKinds({ connection }: ListenLine): readonly ListKind[] {
    return [...this.#kinds].filter((kind) => notifiersOf(listChanged[kind], connection));
  }

  #lose(stream: ListenStream, reason: Error | undefined): void {
    const isKnown = this.#streams.delete(stream);
    if (!isKnown || this.#current?.stream !== stream) return;
    this.#current = undefined;
    this.#host.notificationsLost(reason);
    if (this.#clock.now() - this.#openedAt >= stableAfter) this.#failedAttempts = 0;
    if (this.#line) void this.#recover(this.#line, reason);
  }

  /** Retries until there is a stream again, or no chance of one. If the connection has ended, another one may follow. */
  async #recover(line: ListenLine, cause: Error | undefined): Promise<void> {
    const { clock, reconnection } = this.#host;
    let reason = cause;
    while (this.#failedAttempts < reconnection.attempts && mayPass(reason)) {
      const delay = toDelay(this.#failedAttempts, { retry: undefined, reconnection });
      this.#failedAttempts += 1;
      await pause(delay, clock, line.end).catch(() => {});
      if (line.end.aborted || line !== this.#line) return;
      reason = await this.#sync().then(() => undefined, toError);
      if (!reason) return this.#reportHearing();
    }
    if (line.end.aborted || line !== this.#line) return;
    const { resourceSubscriptions: open = [] } = this.#current?.stream.filter ?? {};
    const uris = [...this.#uris].filter((uri) => !open.includes(uri) && !this.#pending.has(uri));
    const kinds = this.#current ? [] : this.#offeredKinds(line);
    const what = [...uris.map(toSubscription), ...kinds.map(toListChanges)];
    if (what.length === 0) return;
    for (const uri of uris) this.#uris.delete(uri);
    this.#isLost = mayPass(reason);
    this.#host.lost(what, reason ?? new Error("The server ends every subscription immediately"));
  }

  async #restore(line: ListenLine): Promise<void> {
    const reason = await this.#sync().then(() => undefined, toError);
    if (reason) return this.#recover(line, reason);
    this.#reportHearing();
  }

  /** Reports notifications, unless the server has rejected every resource. */
  #reportHearing(): void {
    if (this.#current) this.#host.hearing();
  }

  get #clock(): Clock {
    return this.#host.clock ?? systemClock;
  }
}

/** Connection on which the server offers subscriptions to changes. */
interface ListenLine {
  readonly connection: ClientConnection;
  readonly row: RequestRow;
  /** Key in `_meta` by which notifications name their subscription request. */
  readonly tag: string;
  /** Aborted when the connection is closed. */
  readonly end: AbortSignal;
}

/** Acknowledged stream, and the part of its filter the server honours. */
interface OpenStream {
  readonly stream: ListenStream;
  readonly honoured: ListenFilter;
}

/** Maximum number of requests for the parts of a rejected filter; the remaining resources are rejected. */
const mostRequests = 32;

/** Milliseconds for which the old stream stays open after the new one is acknowledged. */
const usualOverlap = 250;

/** Milliseconds a stream must last before the delays start over. */
const stableAfter = 10_000;

function toLine(connection: ClientConnection): ListenLine | undefined {
  const { revision } = connection;
  const row = findRequestRow(revision, "subscriptionsListen");
  const tag = row && readMetaKeys(revision).subscription;
  if (!row || tag === undefined) return undefined;
  const controller = new AbortController();
  void connection.closed.then(() => controller.abort());
  return { connection, row, tag, end: controller.signal };
}

function notifiersOf(handler: string, { revision, session }: ClientConnection): boolean {
  const gate = findRow(revision.serverNotifications, handler)?.gate;
  return gate === undefined || isOpen(gate, session);
}

function toSubscription(uri: string): Wanted {
  return { kind: "subscription", uri };
}

function toListChanges(list: ListKind): Wanted {
  return { kind: "listChanges", list };
}

/** True if another attempt may succeed: a server repeats its rejections, but a broken stream may last the next time. */
export function mayPass(reason: Error | undefined): boolean {
  if (isPeerError(reason)) return false;
  return !isHttpError(reason) || isPassing(reason);
}
