import type { Revision } from "../../../../generated/support.ts";
import { attempt } from "../../../internal/maybe-async.ts";
import type { CloseOptions } from "../../../protocol/session/connection.ts";
import type { Channel } from "../../../jsonrpc/channel.ts";
import type { Connection } from "../../../protocol/peer/peer.ts";
import { connectStateless } from "../../../protocol/peer/stateless-connection.ts";
import type { NegotiatedSession } from "../../../protocol/session/session.ts";
import type { SessionKey, SessionRecord } from "../../../stores/session-store.ts";
import type { SessionResponse } from "./session-response.ts";
import { Maintenance, type Maintained } from "./maintenance.ts";
import { ServedSession } from "./served-session.ts";
import { HttpSession } from "./session.ts";
import type { LiveSessions, SessionDirectory, StreamSettings } from "./session-directory.ts";
import { SessionSearches } from "../../session-searches.ts";
import { dispatchMessages, type MessageDispatch } from "../dispatch-messages.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { shuttingDown, unknownSession, type RejectedRequest } from "../rejection.ts";
import { toRenewalInterval, type HttpService, type HttpSettings } from "../settings.ts";
import type { SessionRevisions } from "../revisions.ts";

/** Parts of a handler used by its sessions. */
export interface SessionsOptions {
  readonly service: HttpService;
  readonly settings: HttpSettings;
  readonly revisions: SessionRevisions;
  readonly directory: SessionDirectory;
}

/** Sessions and stateless requests of this process. The session store knows the sessions of all processes. */
export class Sessions implements LiveSessions {
  readonly #service: HttpService;
  readonly #settings: HttpSettings;
  readonly #revisions: SessionRevisions;
  readonly #directory: SessionDirectory;
  readonly #maintenance: Maintenance;
  readonly #live = new Map<string, HttpSession>();
  /** Connections outside the store: being opened, or of a single POST. */
  readonly #unlisted = new Set<Maintained>();
  /** Sessions without a request since their handshake, the oldest first. */
  readonly #unused = new Set<HttpSession>();
  readonly searches: SessionSearches = new SessionSearches();
  #slow: SessionResponse[] = [];
  #isClosed = false;

  constructor({ service, settings, revisions, directory }: SessionsOptions) {
    this.#service = service;
    this.#settings = settings;
    const { clock, keepAlive, sessions } = settings;
    this.#maintenance = new Maintenance({
      clock,
      keepAlive,
      ttl: sessions?.ttl ?? Infinity,
      visit: (maintained, isCommenting) => this.#maintain(maintained, isCommenting),
    });
    this.#revisions = revisions;
    this.#directory = directory;
  }

  findLive({ id, owner }: SessionKey): HttpSession | undefined {
    const live = this.#live.get(id);
    return live?.key.owner === owner ? live : undefined;
  }

  get live(): ReadonlyMap<string, HttpSession> {
    return this.#live;
  }

  get revisions(): readonly Revision[] {
    return this.#service.revisions;
  }

  get settings(): StreamSettings {
    return this.#settings;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  findRevision(record: SessionRecord | undefined): Revision | undefined {
    return record?.agreement && this.#revisions.find(record.agreement.revision);
  }

  async use(key: SessionKey): Promise<HttpSession | undefined> {
    const found = this.findLive(key) ?? (await this.#directory.access(key, []));
    const session = found instanceof ServedSession ? found.session : found;
    if (this.#isClosed || !(session instanceof HttpSession)) return undefined;
    this.#touch(session);
    return session;
  }

  acceptStateless(channel: Channel, agreement: NegotiatedSession): Connection | undefined {
    return this.#isClosed ? undefined : this.#service.accept(channel, agreement, connectStateless);
  }

  /** Opens a session before its handshake. */
  open(owner: string | undefined): HttpSession {
    const isBound = this.#service.areSessionsBound === true;
    return this.#serve({ id: this.#directory.createId({ isBound }), owner });
  }

  /** Opens a session for one POST of an unknown client. */
  openStateless(owner: string | undefined, revision: Revision | undefined): HttpSession {
    return this.#serve({ id: "", owner }, revision && { revision, client: unknownClient, isStateless: true });
  }

  /** Keeps a connection of another transport alive until it closes. */
  adopt(maintained: Maintained): void {
    this.#unlisted.add(maintained);
    this.#maintenance.add(maintained);
    void maintained.connection.closed.then(() => {
      this.#unlisted.delete(maintained);
      this.#maintenance.delete(maintained);
    });
  }

  /** Adds a session to the store after its handshake. Returns `false` when there are too many. */
  async list(session: HttpSession): Promise<boolean> {
    const { store } = this.#settings.sessions ?? {};
    const { session: agreed } = session.connection;
    if (!store || !agreed) return false;
    const { id, owner } = session.key;
    // Not with a spread: V8 gives each of these objects a hidden class of its own, which takes 200 bytes.
    const record = { id, owner, agreement: { revision: agreed.revision.id, client: agreed.peer } };
    if (!(await this.admit(record))) return false;
    this.#keep(session);
    this.#unused.add(session);
    return true;
  }

  /**
   * Adds a session to the store. When there are too many, unused sessions of the same owner are ended to make room, the oldest first. Returns `false`
   * without any.
   */
  async admit(record: SessionRecord): Promise<boolean> {
    const { store } = this.#settings.sessions ?? {};
    while (store && !(await store.add(record))) {
      const unused = [...this.#unused].find(({ key }) => key.owner === record.owner);
      if (!unused) return false;
      const { usedAt } = unused;
      // At once: other clients that arrive meanwhile end the next ones, and may take the room of this one.
      this.#unused.delete(unused);
      await this.end(unused).catch((error: unknown) => {
        // The next client may replace it, unless it was used meanwhile.
        if (this.findLive(unused.key) && unused.usedAt === usedAt) this.#unused.add(unused);
        throw error;
      });
    }
    return true;
  }

  async end(session: HttpSession): Promise<void> {
    await this.#settings.sessions?.store.remove(session.key);
    this.searches.end(session.key.id);
    await this.#dropEnded(session);
  }

  /** Ends a session which is not in the store. */
  forget(session: HttpSession): void {
    this.#unlisted.delete(session);
    this.#maintenance.delete(session);
    void session.close();
  }

  deliver(exchange: Exchange, dispatch: MessageDispatch): RejectedRequest | undefined {
    if (dispatch.session.isClosed) return this.rejectClosed();
    const post = dispatchMessages(exchange, dispatch);
    if (post && !post.isDone && this.#settings.responseMode === "sse") this.#expectStream(post);
    return undefined;
  }

  /** A session closes by a DELETE at the same time, or because the server closes. */
  rejectClosed(): RejectedRequest {
    return this.#isClosed ? shuttingDown() : unknownSession();
  }

  /** Closes all connections in order; their sessions remain in the store for the other processes. */
  async close(options?: CloseOptions): Promise<void> {
    this.#isClosed = true;
    const directory = this.#directory;
    const closeAll = (sessions: Iterable<Maintained>, closeOptions?: CloseOptions): Promise<void>[] =>
      [...sessions].map((session) => session.connection.close(closeOptions));
    const unlisted = closeAll(this.#unlisted, options);
    const drained = directory.drain?.(this.#live.values(), options);
    await drained;
    await Promise.all([...unlisted, ...closeAll(this.#live.values(), drained ? { drain: 0 } : options)]);
    this.#maintenance.stop();
    this.#live.clear();
    this.#unlisted.clear();
    await directory.close?.();
  }

  continue(key: SessionKey, record: SessionRecord | undefined): HttpSession | undefined {
    const live = this.#live.get(key.id);
    const revision = this.findRevision(record);
    if (live && live.key.owner !== key.owner) return undefined;
    if (live && !record) void this.#dropEnded(live);
    if (!record?.agreement || !revision || (this.#isClosed && !live)) return undefined;
    const session = live ?? this.#keep(this.#serve(key, { revision, client: record.agreement.client }));
    this.#touch(session);
    return session;
  }

  /** Turns the response to a call into a stream if it does not complete within 10 ms. */
  #expectStream(post: SessionResponse): void {
    this.#slow.push(post);
    if (this.#slow.length > 1) return;
    this.#settings.clock.after(soon, () => {
      const posts = this.#slow;
      this.#slow = [];
      for (const slow of posts) if (!slow.isDone) slow.toStream();
    });
  }

  #touch(session: HttpSession): void {
    session.usedAt = this.#settings.clock.now();
    this.#unused.delete(session);
  }

  #serve(key: SessionKey, agreement?: Parameters<HttpService["accept"]>[1]): HttpSession {
    const session = new HttpSession(key, this.#settings, this.#directory);
    this.#unlisted.add(session);
    session.serve(this.#service.accept(session, agreement));
    this.#maintenance.addBrief(session);
    return session;
  }

  #keep(session: HttpSession): HttpSession {
    session.usedAt = this.#settings.clock.now();
    this.#unlisted.delete(session);
    this.#live.set(session.key.id, session);
    this.#maintenance.add(session);
    void session.connection.closed.then(() => this.#drop(session));
    return session;
  }

  /** Closes this process's half of a session; the session and its events remain in their stores. */
  #drop(session: HttpSession): void {
    if (this.#live.get(session.key.id) === session) this.#live.delete(session.key.id);
    this.#unused.delete(session);
    this.#maintenance.delete(session);
    void session.connection.close();
  }

  /**
   * Closes this process's half of a session no other process can continue, and removes its events. If they cannot be removed, the session has ended
   * all the same.
   */
  async #dropEnded(session: HttpSession): Promise<void> {
    session.markEnded();
    this.#drop(session);
    await attempt(() => this.#directory.streams.remove?.(session.key), this.#settings.fail);
  }

  #maintain(maintained: Maintained, isCommenting: boolean): void {
    // A session that is not listed has no lifetime yet.
    if (maintained instanceof HttpSession && !this.#unlisted.has(maintained))
      return this.#maintainSession(maintained, isCommenting);
    if (isCommenting) maintained.keepAlive();
    maintained.renew?.();
  }

  #maintainSession(session: HttpSession, isCommenting: boolean): void {
    const { clock, sessions } = this.#settings;
    if (isCommenting) session.keepAlive();
    if (this.#isUnused(session)) return void this.#closeUnused(session);
    const isDue = session.usedAt + toRenewalInterval(sessions) <= clock.now();
    if (session.isBusy && isDue) void this.#renew(session);
  }

  #isUnused(session: HttpSession): boolean {
    const { clock, sessions } = this.#settings;
    return !session.isBusy && session.usedAt + (sessions?.ttl ?? Infinity) <= clock.now();
  }

  /** Closes a session unused in this process. If it is not in the store any more, it has ended, and no other process serves it. */
  async #closeUnused(session: HttpSession): Promise<void> {
    try {
      const isStored = await this.#directory.isStored(session.key);
      if (!this.#isUnused(session)) return;
      // The client may use the session through other processes, which cannot serve it without this one.
      if (isStored && this.#service.areSessionsBound) return this.#touch(session);
      if (isStored) this.#drop(session);
      else await this.#dropEnded(session);
    } catch (error) {
      this.#settings.fail(error);
    }
  }

  /** Renews a session in use, to keep it from expiring in the store. */
  async #renew(session: HttpSession): Promise<void> {
    try {
      await this.#directory.access(session.key, []);
    } catch (error) {
      this.#settings.fail(error);
    }
  }
}

const unknownClient = { info: { name: "unknown", version: "" }, capabilities: {} } as const;

/** Milliseconds within which a response does not need a stream. */
const soon = 10;
