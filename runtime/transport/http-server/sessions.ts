import type { Awaitable, Revision } from "../../../generated/support.ts";
import type { CloseOptions } from "../../protocol/connection.ts";
import type { Connection } from "../../protocol/peer.ts";
import type { SessionKey, SessionRecord } from "../../stores/session-store.ts";
import type { Post } from "./session-response.ts";
import { HttpSession } from "./session.ts";
import type { HttpService, HttpSettings } from "./settings.ts";
import type { SpokenRevisions } from "./revisions.ts";

/** The conversations that this process takes part in. Which sessions there are altogether, the session store knows. */
export class Sessions {
  readonly #service: HttpService;
  readonly #settings: HttpSettings;
  readonly #revisions: SpokenRevisions;
  readonly #rounds: Rounds;
  readonly #live = new Map<string, HttpSession>();
  /** Those that are not in the store: being opened, or of one POST only. */
  readonly #unlisted = new Set<Looked>();
  /** Those that were never asked for after their handshake, the oldest first. */
  readonly #unused = new Set<HttpSession>();
  #stopTicking: (() => void) | undefined;
  #round = 0;
  #slow: Post[] = [];
  #isClosed = false;

  constructor(service: HttpService, settings: HttpSettings, revisions: SpokenRevisions) {
    this.#service = service;
    this.#settings = settings;
    this.#rounds = toRounds(settings);
    this.#revisions = revisions;
  }

  get live(): ReadonlyMap<string, HttpSession> {
    return this.#live;
  }

  /** A session whose handshake is still to come. */
  open(owner: string | undefined): HttpSession {
    return this.#serve({ id: crypto.randomUUID(), owner });
  }

  /** A session for one POST, of a client of which nothing is known. */
  openStateless(owner: string | undefined, revision: Revision | undefined): HttpSession {
    return this.#serve({ id: "", owner }, revision && { revision, client: unknownClient, isStateless: true });
  }

  /** Looks after a session that is not of this transport, until its connection closes. */
  adopt(session: Looked): void {
    this.#unlisted.add(session);
    void session.connection.closed.then(() => this.#unlisted.delete(session));
    this.#tick();
  }

  /** Lists a session whose handshake went well; `false` when there are too many. */
  async list(session: HttpSession): Promise<boolean> {
    const { store } = this.#settings.sessions ?? {};
    const { session: agreed } = session.connection;
    if (!store || !agreed) return false;
    const agreement = { revision: agreed.revision.id, client: agreed.peer };
    if (!(await this.admit({ ...session.key, agreement }))) return false;
    this.#unlisted.delete(session);
    this.#keep(session);
    this.#unused.add(session);
    return true;
  }

  /** Adds a session to the store; `false` when there are too many. The oldest one of the same owner that was never used gives way to it. */
  async admit(record: SessionRecord): Promise<boolean> {
    const { store } = this.#settings.sessions ?? {};
    if (!store || (await store.add(record))) return true;
    for (const session of this.#unused) {
      if (session.key.owner !== record.owner) continue;
      await this.end(session);
      return store.add(record);
    }
    return false;
  }

  /** The session of this owner, if it lives; one that another process has opened is gone on with here. */
  find(key: SessionKey): Awaitable<HttpSession | undefined> {
    const found = this.#settings.sessions?.store.find(key);
    return found instanceof Promise ? found.then((record) => this.#toLive(key, record)) : this.#toLive(key, found);
  }

  /** The client or the server has had enough: the session exists no more. */
  async end(session: HttpSession): Promise<void> {
    await this.#settings.sessions?.store.remove(session.key);
    this.#drop(session);
  }

  /** Ends a session that is in no store. */
  forget(session: HttpSession): void {
    this.#unlisted.delete(session);
    void session.close();
  }

  /** A call should be answered by a stream if it is not answered soon. */
  expectStream(post: Post): void {
    this.#slow.push(post);
    if (this.#slow.length > 1) return;
    this.#settings.clock.after(soon, () => {
      const posts = this.#slow;
      this.#slow = [];
      for (const slow of posts) if (!slow.isDone) slow.toStream();
    });
  }

  /** Ends all conversations in order; their sessions live on in the store if other processes share it. */
  async close(options?: CloseOptions): Promise<void> {
    this.#isClosed = true;
    this.#stopTicking?.();
    const sessions = [...this.#live.values(), ...this.#unlisted];
    this.#live.clear();
    this.#unlisted.clear();
    await Promise.all(sessions.map((session) => session.connection.close(options)));
  }

  #toLive(key: SessionKey, record: SessionRecord | undefined): HttpSession | undefined {
    const live = this.#live.get(key.id);
    const revision = record?.agreement && this.#revisions.find(record.agreement.revision);
    if (live && live.key.owner !== key.owner) return undefined;
    if (live && !record) this.#drop(live);
    if (!record?.agreement || !revision || this.#isClosed) return undefined;
    const session = live ?? this.#keep(this.#serve(key, { revision, client: record.agreement.client }));
    session.usedAt = this.#settings.clock.now();
    this.#unused.delete(session);
    return session;
  }

  #serve(key: SessionKey, agreement?: Parameters<HttpService["accept"]>[1]): HttpSession {
    const session = new HttpSession(key, this.#settings);
    this.#unlisted.add(session);
    session.serve(this.#service.accept(session, agreement));
    this.#tick();
    return session;
  }

  #keep(session: HttpSession): HttpSession {
    session.usedAt = this.#settings.clock.now();
    this.#unlisted.delete(session);
    this.#live.set(session.key.id, session);
    void session.connection.closed.then(() => this.#drop(session));
    return session;
  }

  #drop(session: HttpSession): void {
    if (this.#live.get(session.key.id) === session) this.#live.delete(session.key.id);
    this.#unused.delete(session);
    const { events, fail } = this.#settings;
    session.connection
      .close()
      .then(() => events?.remove(session.key))
      .catch(fail);
  }

  /**
   * One timer for all: keeps streams alive, and closes what is unused. It stops when there is nothing to look after. A session in use is
   * renewed in time, however short sessions live.
   */
  #tick(): void {
    this.#stopTicking ??= this.#settings.clock.after(this.#rounds.interval, () => {
      this.#stopTicking = undefined;
      this.#round += 1;
      if (this.#round % this.#rounds.untilComment === 0) this.#keepAlive();
      for (const session of this.#live.values()) this.#lookAfter(session);
      if (this.#live.size + this.#unlisted.size > 0) this.#tick();
    });
  }

  #keepAlive(): void {
    for (const session of this.#unlisted) session.keepAlive();
    for (const session of this.#live.values()) session.keepAlive();
  }

  #lookAfter(session: HttpSession): void {
    const { clock, sessions } = this.#settings;
    if (session.isBusy) return void this.#renew(session);
    if (session.usedAt + (sessions?.ttl ?? Infinity) <= clock.now()) this.#drop(session);
  }

  /** A session in use must not end in the store either. */
  async #renew(session: HttpSession): Promise<void> {
    try {
      await this.find(session.key);
    } catch (error) {
      this.#settings.fail(error);
    }
  }
}

/** A conversation that needs a sign of life now and then. */
export interface Looked {
  readonly connection: Connection;
  keepAlive(): void;
}

/** Times at which sessions are looked after. */
interface Rounds {
  /** Milliseconds between two. */
  readonly interval: number;
  /** One of so many writes a comment. */
  readonly untilComment: number;
}

/** At least twice in the life of an unused session, and as often as streams need a comment. */
function toRounds({ keepAlive, sessions }: HttpSettings): Rounds {
  const longest = (sessions?.ttl ?? Infinity) / 2;
  if (keepAlive === Infinity) return { interval: longest, untilComment: Infinity };
  const untilComment = Math.max(1, Math.ceil(keepAlive / longest));
  return { interval: keepAlive / untilComment, untilComment };
}

const unknownClient = { info: { name: "unknown", version: "" }, capabilities: {} } as const;

/** Milliseconds in which an answer comes too soon for a stream to be of use. */
const soon = 10;
