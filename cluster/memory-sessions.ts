import type { Clock } from "../runtime/internal/timers.ts";
import type { RequestId } from "../runtime/jsonrpc/message.ts";
import type { SessionKey, SessionRecord } from "../runtime/stores/session-store.ts";
import type {
  SessionAccess,
  SessionChange,
  SessionListener,
  SessionRelease,
  SharedSessionState,
  SharedSession,
  SharedSessionStore,
} from "./stores/shared-session-store.ts";
import { Shares } from "../runtime/stores/shares.ts";
import type { EngineLimits } from "./engine-limits.ts";
import { nameSession } from "./name-session.ts";

/** Sessions of a cluster in the memory of this process. Every operation is one step. */
export class MemorySharedSessions implements SharedSessionStore {
  readonly #limits: EngineLimits;
  readonly #clock: Pick<Clock, "now">;
  readonly #shares: Shares;
  /** Sessions by key, the longest unused first. */
  readonly #entries = new Map<string, Entry>();

  constructor(limits: EngineLimits, clock: Pick<Clock, "now">) {
    this.#limits = limits;
    this.#clock = clock;
    this.#shares = new Shares(limits.maxSessions);
  }

  get ttl(): number {
    return this.#limits.sessionTtl;
  }

  add(record: SessionRecord): boolean {
    const known = this.#find(record);
    if (known) {
      this.#touch(known);
      return true;
    }
    if (this.#shares.roomFor(record.owner) < 1) return false;
    this.#shares.change(record.owner, 1);
    this.#touch({
      record,
      version: 0,
      subscriptions: new Set(),
      reservations: new Map(),
      used: new Set(),
      logLevel: undefined,
      listener: undefined,
      expiresAt: 0,
    });
    return true;
  }

  access(key: SessionKey, access: SessionAccess): SharedSession | undefined {
    const { node, reserve = [], ended = [], attempt, version } = access;
    const entry = this.#find(key);
    if (!entry) return undefined;
    this.#touch(entry);
    if (ended.length > 0) this.release(key, { node, ids: ended });
    const { record } = entry;
    const isOwn = ({ node: by, attempt: of }: Reservation): boolean =>
      attempt !== undefined && by === node && of === attempt;
    const used = [...new Set(reserve)].filter((id) => {
      const reservation = entry.reservations.get(id);
      return reservation ? !isOwn(reservation) : entry.used.has(id);
    });
    for (const id of reserve) if (!used.includes(id)) entry.reservations.set(id, { node, attempt });
    if (version === entry.version) return { record, version, used };
    return { record, version: entry.version, state: stateOf(entry), used };
  }

  release(key: SessionKey, { node, ids, isUnused = false }: SessionRelease): void {
    const entry = this.#find(key);
    if (!entry) return;
    for (const id of ids) {
      if (entry.reservations.get(id)?.node !== node) continue;
      entry.reservations.delete(id);
      if (!isUnused) entry.used.add(id);
    }
    for (const id of entry.used) {
      if (entry.used.size <= this.#limits.maxUsedIds) return;
      entry.used.delete(id);
    }
  }

  findNode(key: SessionKey, id: RequestId): string | undefined {
    return this.#find(key)?.reservations.get(id)?.node;
  }

  findNodes(key: SessionKey): readonly string[] {
    const entry = this.#find(key);
    return entry ? nodesOf(entry) : [];
  }

  change(key: SessionKey, change: SessionChange): number | undefined {
    const entry = this.#find(key);
    if (!entry) return undefined;
    const subscriptions = new Set([...entry.subscriptions, ...(change.subscribe ?? [])]);
    for (const uri of change.unsubscribe ?? []) subscriptions.delete(uri);
    if (subscriptions.size > this.#limits.maxSubscriptions) return undefined;
    entry.subscriptions = subscriptions;
    entry.logLevel = change.logLevel ?? entry.logLevel;
    if (change.listener && isNewer(change.listener, entry.listener)) entry.listener = change.listener;
    entry.version += 1;
    return entry.version;
  }

  readState(key: SessionKey): SharedSessionState | undefined {
    const entry = this.#find(key);
    return entry && stateOf(entry);
  }

  end(key: SessionKey): readonly string[] {
    const entry = this.#find(key);
    if (!entry) return [];
    this.#remove(entry);
    return nodesOf(entry);
  }

  #find(key: SessionKey): Entry | undefined {
    this.#expire();
    return this.#entries.get(nameSession(key));
  }

  /** Extends the lifetime of a session, and moves it to the end of the idle order. */
  #touch(entry: Entry): void {
    const name = nameSession(entry.record);
    entry.expiresAt = this.#clock.now() + this.#limits.sessionTtl;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
  }

  #remove({ record }: Entry): void {
    this.#entries.delete(nameSession(record));
    this.#shares.change(record.owner, -1);
  }

  #expire(): void {
    const now = this.#clock.now();
    for (const entry of this.#entries.values()) {
      if (entry.expiresAt > now) return;
      this.#remove(entry);
    }
  }
}

function nodesOf({ reservations, listener }: Entry): readonly string[] {
  const running = [...reservations.values()].map(({ node }) => node);
  return [...new Set([...running, ...(listener ? [listener.node] : [])])];
}

function stateOf({ logLevel, subscriptions, listener }: Entry): SharedSessionState {
  return {
    ...(logLevel !== undefined && { logLevel }),
    ...(subscriptions.size > 0 && { subscriptions: [...subscriptions] }),
    ...(listener && { listener }),
  };
}

/** False for an earlier listener of the same stream. */
function isNewer({ stream, fence }: SessionListener, known: SessionListener | undefined): boolean {
  return stream !== known?.stream || fence >= known.fence;
}

interface Entry {
  readonly record: SessionRecord;
  version: number;
  logLevel: string | undefined;
  subscriptions: ReadonlySet<string>;
  listener: SessionListener | undefined;
  readonly reservations: Map<RequestId, Reservation>;
  /** Ids of ended requests, the first ended first. */
  readonly used: Set<RequestId>;
  expiresAt: number;
}

/** Node running a request, and the access which reserved its id. */
interface Reservation {
  readonly node: string;
  readonly attempt: string | undefined;
}
