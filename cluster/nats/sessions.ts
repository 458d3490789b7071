import { isObject } from "../../generated/support.ts";
import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { Agreement, SessionKey, SessionRecord } from "../../runtime/stores/session-store.ts";
import type {
  SessionAccess,
  SessionChange,
  SessionListener,
  SessionRelease,
  SharedSession,
  SharedSessionState,
  SharedSessionStore,
} from "../stores/shared-session-store.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import { NatsRecords } from "./records.ts";
import { mostAttempts, type NatsContext } from "./nats-context.ts";

/** Sessions on NATS. Each is one value with its state and its request ids, which a change replaces as a whole. */
export class NatsSessions implements SharedSessionStore {
  readonly #context: NatsContext;
  readonly #records: NatsRecords;
  /** Last changes of sessions by this node, by subject: two requests of a session at once need not be repeated. */
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(context: NatsContext) {
    this.#context = context;
    this.#records = new NatsRecords(context, context.names.streams.sessions);
  }

  get ttl(): number {
    return this.#context.limits.sessionTtl;
  }

  async add(record: SessionRecord): Promise<boolean> {
    return this.#inTurn(record, async (subject) => {
      const found = await this.#find(subject);
      if (found) {
        await this.#put(subject, found.value, found.sequence);
        return true;
      }
      if (!(await this.#hasRoom(record))) return false;
      const { agreement } = record;
      const value = { ...(agreement && { agreement }), version: 0, subscriptions: [], reservations: [], used: [] };
      return (await this.#put(subject, value, 0)) || (await this.#find(subject)) !== undefined;
    });
  }

  async access(
    key: SessionKey,
    { node, reserve = [], ended = [], attempt, version }: SessionAccess,
  ): Promise<SharedSession | undefined> {
    const { sessionTtl, maxUsedIds } = this.#context.limits;
    const isOwn = ([, by, of]: Reservation): boolean => attempt !== undefined && by === node && of === attempt;
    let used: readonly RequestId[] = [];
    const value = await this.#change(key, (stored, age) => {
      const found = releaseRequests(stored, { node, ids: ended }, maxUsedIds);
      const known = new Set([...found.used, ...found.reservations.map(([id]) => id)]);
      const own = new Set(found.reservations.filter(isOwn).map(([id]) => id));
      used = [...new Set(reserve)].filter((id) => known.has(id) && !own.has(id));
      const added = [...new Set(reserve)].filter((id) => !known.has(id));
      if (added.length === 0 && age < sessionTtl / 4) return found;
      return {
        ...found,
        reservations: [...found.reservations, ...added.map((id) => toReservation(id, node, attempt))],
      };
    });
    if (!value) return undefined;
    const record = { id: key.id, owner: key.owner, ...(value.agreement && { agreement: value.agreement }) };
    if (version === value.version) return { record, version, used };
    return { record, version: value.version, state: toState(value), used };
  }

  async release(key: SessionKey, release: SessionRelease): Promise<void> {
    await this.#change(key, (found) => releaseRequests(found, release, this.#context.limits.maxUsedIds));
  }

  async findNode(key: SessionKey, id: RequestId): Promise<string | undefined> {
    const found = await this.#find(await this.#subject(key));
    return found?.value.reservations.find(([reserved]) => reserved === id)?.[1];
  }

  async findNodes(key: SessionKey): Promise<readonly string[]> {
    const found = await this.#find(await this.#subject(key));
    return found ? nodesOf(found.value) : [];
  }

  async change(key: SessionKey, change: SessionChange): Promise<number | undefined> {
    let isTooMuch = false;
    const value = await this.#change(key, (found) => {
      const changed = applyChange(found, change);
      isTooMuch = changed.subscriptions.length > this.#context.limits.maxSubscriptions;
      return isTooMuch ? found : changed;
    });
    return isTooMuch ? undefined : value?.version;
  }

  async readState(key: SessionKey): Promise<SharedSessionState | undefined> {
    const found = await this.#find(await this.#subject(key));
    return found && toState(found.value);
  }

  async end(key: SessionKey): Promise<readonly string[]> {
    const subject = await this.#subject(key);
    const found = await this.#find(subject);
    await this.#records.remove(subject);
    return found ? nodesOf(found.value) : [];
  }

  /** Replaces the value of a session by the result of a function; the same value is not stored again. */
  #change(
    key: SessionKey,
    change: (value: SessionValue, age: number) => SessionValue,
  ): Promise<SessionValue | undefined> {
    return this.#inTurn(key, async (subject) => {
      for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
        const found = await this.#find(subject);
        if (!found) return undefined;
        const value = change(found.value, found.age);
        if (value === found.value || (await this.#put(subject, value, found.sequence))) return value;
      }
      throw new EngineError("The session is changed by others all the time; try again later");
    });
  }

  /** Runs the changes of one session by this node one after the other. */
  async #inTurn<Result>(key: SessionKey, run: (subject: string) => Promise<Result>): Promise<Result> {
    const subject = await this.#subject(key);
    const before = this.#changes.get(subject) ?? Promise.resolve();
    const result = before.catch(() => {}).then(() => run(subject));
    this.#changes.set(subject, result);
    try {
      return await result;
    } finally {
      if (this.#changes.get(subject) === result) this.#changes.delete(subject);
    }
  }

  async #find(subject: string): Promise<FoundSession | undefined> {
    const { ring, health, limits } = this.#context;
    const found = await this.#records.find(subject);
    if (!found || found.age > limits.sessionTtl) return undefined;
    const text = found.text.length > maxValueSize ? undefined : ring.open(subject, found.text);
    const value = text === undefined ? undefined : parseLimited(text, maxValueSize);
    if (isSessionValue(value)) return { value, sequence: found.sequence, age: found.age };
    health.countInvalid();
    return undefined;
  }

  async #put(subject: string, value: SessionValue, last: number): Promise<boolean> {
    const text = this.#context.ring.seal(subject, JSON.stringify(value));
    return (await this.#records.put(subject, text, last)) !== "conflict";
  }

  /** True if one more session is accepted: each owner may hold as many as remain free. */
  async #hasRoom({ owner }: SessionKey): Promise<boolean> {
    const { names, places, limits } = this.#context;
    const free = limits.maxSessions - (await this.#records.count());
    if (owner === undefined || free <= 0) return free > 0;
    const lists = await Promise.all(places.owners(owner).map((tag) => this.#records.list(names.sessions(tag))));
    return free > lists.flat().length;
  }

  async #subject(key: SessionKey): Promise<string> {
    return (await this.#context.places.session(key)).subject;
  }
}

interface FoundSession {
  readonly value: SessionValue;
  readonly sequence: number;
  readonly age: number;
}

/** Stored value of a session. Its id and its owner are in its subject, as pseudonyms. */
interface SessionValue {
  readonly agreement?: Agreement;
  readonly version: number;
  readonly logLevel?: string;
  readonly subscriptions: readonly string[];
  readonly listener?: SessionListener;
  readonly reservations: readonly Reservation[];
  /** Ids of ended requests, the first ended first. */
  readonly used: readonly RequestId[];
}

/** Id of a request, the node running it, and the attempt with which it was reserved. */
type Reservation = readonly [id: RequestId, node: string, attempt?: string];

function toReservation(id: RequestId, node: string, attempt: string | undefined): Reservation {
  return attempt === undefined ? [id, node] : [id, node, attempt];
}

/** Returns a session without reservations of a node; the same session when there are none. */
function releaseRequests(
  session: SessionValue,
  { node, ids, isUnused = false }: SessionRelease,
  maxUsedIds: number,
): SessionValue {
  const isEnding = ([id, by]: Reservation): boolean => by === node && ids.includes(id);
  const ended = session.reservations.filter(isEnding).map(([id]) => id);
  if (ended.length === 0) return session;
  const reservations = session.reservations.filter((reservation) => !isEnding(reservation));
  const used = isUnused ? session.used : [...session.used, ...ids.filter((id) => ended.includes(id))];
  return { ...session, reservations, used: used.slice(-maxUsedIds) };
}

function nodesOf({ reservations, listener }: SessionValue): readonly string[] {
  return [...new Set([...reservations.map(([, node]) => node), ...(listener ? [listener.node] : [])])];
}

function applyChange(found: SessionValue, change: SessionChange): SessionValue {
  const { logLevel = found.logLevel, listener, subscribe = [], unsubscribe = [] } = change;
  const subscriptions = [...new Set([...found.subscriptions, ...subscribe])].filter(
    (uri) => !unsubscribe.includes(uri),
  );
  const isNewer = listener && (listener.stream !== found.listener?.stream || listener.fence >= found.listener.fence);
  return {
    ...found,
    version: found.version + 1,
    subscriptions,
    ...(logLevel !== undefined && { logLevel }),
    ...(isNewer && { listener }),
  };
}

function toState({ logLevel, subscriptions, listener }: SessionValue): SharedSessionState {
  return {
    ...(logLevel !== undefined && { logLevel }),
    ...(subscriptions.length > 0 && { subscriptions }),
    ...(listener && { listener }),
  };
}

function isSessionValue(value: unknown): value is SessionValue {
  return (
    isObject(value) &&
    Number.isSafeInteger(value.version) &&
    [value.subscriptions, value.reservations, value.used].every(Array.isArray) &&
    (value.agreement === undefined || isAgreement(value.agreement))
  );
}

function isAgreement(value: unknown): boolean {
  return isObject(value) && typeof value.revision === "string" && isObject(value.client);
}

/** Characters of a stored session: more than its request ids and subscriptions may have, also escaped and encrypted. */
const maxValueSize = 32 * 1024 * 1024;
