import { isObject, type RequestRow } from "../../../generated/support.ts";
import { filterMembers, type ListenFilter } from "../../protocol/subscription-filter.ts";
import { listChanged, listKinds, type ListKind } from "../../protocol/list-kinds.ts";
import { findRow } from "../../protocol/method-rows.ts";
import { readMetaKeys } from "../../protocol/request-metadata.ts";
import { isPeerError, toError } from "../../jsonrpc/errors.ts";
import { isOpen } from "../../protocol/session.ts";
import { pause, systemClock, type Clock } from "../../internal/timers.ts";
import { toDelay, type Reconnection } from "../../transport/http-client/reconnect-delay.ts";
import { isHttpError } from "../../transport/http-client/errors.ts";
import { isPassing } from "../../transport/http-client/event-stream.ts";
import type { ClientConnection } from "../connect.ts";
import { SubscriptionError } from "../errors.ts";
import type { RestoredState } from "../events.ts";
import { ListenStream } from "./listen-stream.ts";

/** What listening needs of its session. */
export interface ListeningHost {
  readonly clock: Clock | undefined;
  readonly reconnection: Reconnection;
  /** Milliseconds for an acknowledgement. */
  readonly timeout: number;
  /** News of every list is wanted, not only of those that are kept. */
  readonly wantsLists: boolean;
  /** What changed before now, and has not been told, will not be. */
  deaf(reason: Error | undefined): void;
  /** Changes are told again. */
  hearing(): void;
  /** The server does not tell of these, and will not be asked again until something else is wanted. */
  lost(what: readonly RestoredState[], reason: Error): void;
}

/** What is wanted to be heard of. */
type Wanted = Exclude<RestoredState, { readonly kind: "logLevel" }>;

/**
 * Hears of changes where servers tell of them only to those who listen. There is one stream, which another one replaces when
 * something else is to be heard of; a stream that breaks is opened anew. The two overlap for a moment, so that nothing is missed:
 * a change may be told twice.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/patterns/subscriptions
 */
export class Listening {
  readonly #host: ListeningHost;
  readonly #kinds: Set<ListKind>;
  readonly #uris = new Set<string>();
  /** Those that may be told something now. */
  readonly #streams = new Set<ListenStream>();
  #line: ListenLine | undefined;
  #current: { readonly stream: ListenStream; readonly honoured: ListenFilter } | undefined;
  #syncing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** Attempts in a row that brought no stream that lasted. */
  #fruitless = 0;
  #openedAt = 0;

  constructor(host: ListeningHost) {
    this.#host = host;
    this.#kinds = new Set(host.wantsLists ? listKinds : []);
  }

  /** Whether the server tells of changes in this way. */
  get isOffered(): boolean {
    return this.#line !== undefined;
  }

  /** There is another connection: what was heard on the last one is over. */
  adopt(connection: ClientConnection): void {
    this.#streams.clear();
    this.#uris.clear();
    this.#current = undefined;
    this.#syncing = undefined;
    this.#next = undefined;
    this.#fruitless = 0;
    this.#line = toLine(connection);
    this.#syncQuietly();
  }

  /** Hear of changes of a list, if the server tells of them. */
  watch(kind: ListKind): void {
    if (!this.isOffered || this.#kinds.has(kind)) return;
    this.#kinds.add(kind);
    this.#syncQuietly();
  }

  /** Resolves when the server has agreed to tell of changes of a resource; rejects when it does not. */
  async subscribe(uri: string): Promise<void> {
    const line = this.#line;
    this.#uris.add(uri);
    try {
      await this.#sync();
      const isHonoured = this.#current?.honoured.resourceSubscriptions?.includes(uri) ?? false;
      if (!isHonoured) throw new SubscriptionError([uri]);
    } catch (error) {
      if (line === this.#line) this.#uris.delete(uri);
      throw error;
    }
  }

  /** Resolves when it is no longer told of. */
  unsubscribe(uri: string): Promise<void> {
    return this.#uris.delete(uri) ? this.#sync() : Promise.resolve();
  }

  /** Whether a notification belongs to a request of ours. */
  hears(params: unknown): boolean {
    return this.#find(params) !== undefined;
  }

  /** The server agrees to a request. */
  accept(params: unknown): void {
    this.#find(params)?.accept(params);
  }

  /** The server takes a request back, which some do instead of answering it. */
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

  /** Brings the stream in line with what is wanted: once, however many ask at the same time. */
  #sync(): Promise<void> {
    const line = this.#line;
    if (!line) return Promise.resolve();
    if (this.#syncing) return (this.#next ??= this.#syncing.catch(() => {}).then(() => this.#sync()));
    this.#next = undefined;
    // Whoever asks in the same moment is part of it.
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
    const previous = this.#current?.stream;
    if (Object.keys(filter).length === 0) this.#current = undefined;
    else await this.#open(line, filter);
    if (!previous) return;
    this.#clock.after(overlap, () => previous.end());
  }

  async #open(line: ListenLine, filter: ListenFilter): Promise<void> {
    const { clock, timeout } = this.#host;
    const isFirst = this.#current === undefined;
    const stream = new ListenStream(line.connection, { row: line.row, filter, clock, timeout });
    this.#streams.add(stream);
    void stream.ended.then((reason) => this.#lose(stream, reason));
    const honoured = await stream.acknowledged;
    if (!this.#streams.has(stream)) return;
    this.#current = { stream, honoured };
    this.#openedAt = this.#clock.now();
    const refused = listKinds.filter((kind) => filter[filterMembers[kind]] && !honoured[filterMembers[kind]]);
    if (isFirst && refused.length > 0) this.#host.lost(refused.map(toListChanges), new SubscriptionError(refused));
  }

  #toFilter({ connection }: ListenLine): ListenFilter {
    const kinds = [...this.#kinds].filter((kind) => notifiersOf(listChanged[kind], connection));
    const resourceSubscriptions = [...this.#uris];
    return {
      ...Object.fromEntries(kinds.map((kind) => [filterMembers[kind], true])),
      ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }),
    };
  }

  #lose(stream: ListenStream, reason: Error | undefined): void {
    const isKnown = this.#streams.delete(stream);
    if (!isKnown || this.#current?.stream !== stream) return;
    this.#current = undefined;
    this.#host.deaf(reason);
    if (this.#clock.now() - this.#openedAt >= stableAfter) this.#fruitless = 0;
    if (this.#line) void this.#recover(this.#line, reason);
  }

  /** Goes on until there is a stream again, or no hope. Where the connection has ended, another one may follow. */
  async #recover(line: ListenLine, cause: Error | undefined): Promise<void> {
    const { clock, reconnection } = this.#host;
    let reason = cause;
    while (this.#fruitless < reconnection.attempts && mayPass(reason)) {
      const delay = toDelay(this.#fruitless, { retry: undefined, reconnection });
      this.#fruitless += 1;
      await pause(delay, clock, line.end).catch(() => {});
      if (line.end.aborted || line !== this.#line) return;
      reason = await this.#sync().then(() => undefined, toError);
      if (!reason) return this.#host.hearing();
    }
    if (line.end.aborted || line !== this.#line || this.#current) return;
    const what = [...[...this.#uris].map(toSubscription), ...[...this.#kinds].map(toListChanges)];
    this.#host.lost(what, reason ?? new Error("The server ends every subscription at once"));
  }

  get #clock(): Clock {
    return this.#host.clock ?? systemClock;
  }
}

/** A connection on which changes can be heard of. */
interface ListenLine {
  readonly connection: ClientConnection;
  readonly row: RequestRow;
  /** Where notifications say to which request they belong. */
  readonly tag: string;
  /** The connection is closed. */
  readonly end: AbortSignal;
}

/** Milliseconds for which the old stream is still listened to when there is a new one. */
const overlap = 250;

/** Milliseconds that a stream must last for the delays to begin anew. */
const stableAfter = 10_000;

function toLine(connection: ClientConnection): ListenLine | undefined {
  const { revision } = connection;
  const row = findRow(revision.clientRequests, "subscriptionsListen");
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

function isSameFilter(a: ListenFilter, b: ListenFilter): boolean {
  const { resourceSubscriptions: left = [], ...lists } = a;
  const { resourceSubscriptions: right = [], ...others } = b;
  const isSame = left.length === right.length && left.every((uri) => right.includes(uri));
  return isSame && Object.values(filterMembers).every((member) => lists[member] === others[member]);
}

function toSubscription(uri: string): Wanted {
  return { kind: "subscription", uri };
}

function toListChanges(list: ListKind): Wanted {
  return { kind: "listChanges", list };
}

/** What the server refuses it refuses again; what broke may hold the next time. */
function mayPass(reason: Error | undefined): boolean {
  if (isPeerError(reason)) return false;
  return !isHttpError(reason) || isPassing(reason);
}
