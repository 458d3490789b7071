import { errorCodes } from "../jsonrpc/errors.ts";
import { systemClock, type Clock } from "../internal/timers.ts";
import { Shares } from "./shares.ts";
import {
  isFinal,
  mergeResponses,
  type TaskChange,
  type TaskKey,
  type TaskPage,
  type TaskRange,
  type TaskRecord,
  type TaskStore,
} from "./task-store.ts";
import { checkNumbers } from "../jsonrpc/check-numbers.ts";

/** Limits of an in-memory task store. */
export interface MemoryTaskStoreOptions {
  /** Tasks at a time, including ended ones. One principal may hold as many as remain free. Default 10,000. */
  readonly maxTasks?: number;
  /** Tasks per owner. Default 1,000. */
  readonly maxTasksPerOwner?: number;
  /**
   * Characters of the outcomes, stored requests, input requests and input responses of all tasks, shared among principals. A principal cannot add a
   * task for which its share has no room. An outcome beyond the share is not stored, and its task fails. Default 64 Mi.
   */
  readonly maxSize?: number;
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Task store in the memory of this process.
 *
 * @example
 * ```ts
 * import { MemoryTaskStore } from "mcp-server-runtime/stores";
 *
 * const report = defineTool({ name: "report", task: true, execute: () => "Done." });
 * defineServer({ name: "reports", version: "1.0.0", tools: [report], tasks: { store: new MemoryTaskStore() } });
 * ```
 */
export class MemoryTaskStore implements TaskStore {
  readonly #options: Required<MemoryTaskStoreOptions>;
  /** Tasks by id, the oldest first; the lists of each owner have the same order. */
  readonly #entries = new Map<string, Entry>();
  readonly #owners = new Map<string, { readonly entries: Map<string, Entry>; count: number }>();
  readonly #counts: Shares;
  readonly #sizes: Shares;
  /** Earliest time at which an entry may expire, in the milliseconds of the clock. */
  #nextExpiry = Infinity;

  constructor(options: MemoryTaskStoreOptions = {}) {
    checkNumbers(options);
    this.#options = { ...defaults, clock: systemClock, ...options };
    this.#counts = new Shares(this.#options.maxTasks);
    this.#sizes = new Shares(this.#options.maxSize);
  }

  /** Number of stored tasks. */
  get size(): number {
    this.#expire();
    return this.#entries.size;
  }

  add(record: TaskRecord): boolean {
    this.#expire();
    const known = this.#entries.get(record.id);
    if (known) return known.record.owner === record.owner;
    const { maxTasksPerOwner, clock } = this.#options;
    const { principal } = record;
    const own = this.#owners.get(record.owner) ?? { entries: new Map(), count: 0 };
    const size = sizeOf(record);
    const hasRoom = this.#counts.roomFor(principal) >= 1 && this.#sizes.roomFor(principal) >= Math.max(1, size);
    if (!hasRoom || own.entries.size >= maxTasksPerOwner) return false;
    const expiresAt = record.ttl === null ? Infinity : clock.now() + record.ttl;
    const leaseEndsAt = clock.now() + (record.lease ?? Infinity);
    const entry = { record, expiresAt, leaseEndsAt, sequence: own.count, size };
    own.count += 1;
    own.entries.set(record.id, entry);
    this.#entries.set(record.id, entry);
    this.#owners.set(record.owner, own);
    this.#counts.change(principal, 1);
    this.#sizes.change(principal, entry.size);
    this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt);
    return true;
  }

  find(key: TaskKey): TaskRecord | undefined {
    return this.#find(key)?.record;
  }

  change(key: TaskKey, change: TaskChange, attempt: number = Infinity): TaskRecord | undefined {
    const entry = this.#find(key);
    if (!entry || isFinal(entry.record.status) || attempt < attemptOf(entry.record)) return entry?.record;
    this.#put(entry, { ...entry.record, ...change, ...mergeResponses(entry.record, change, attempt) });
    return entry.record;
  }

  list(owner: string, { from = "0", limit }: TaskRange): TaskPage | undefined {
    this.#expire();
    if (!/^\d{1,15}$/.test(from)) return undefined;
    const first = Number(from);
    const rest = [...(this.#owners.get(owner)?.entries.values() ?? [])].filter(({ sequence }) => sequence >= first);
    const tasks = rest.slice(0, limit).map(({ record }) => record);
    const next = rest[limit];
    return next ? { tasks, next: String(next.sequence) } : { tasks };
  }

  remove(key: TaskKey): void {
    const entry = this.#find(key);
    if (entry) this.#drop(entry);
  }

  removeAll(owner: string): void {
    for (const entry of this.#owners.get(owner)?.entries.values() ?? []) this.#drop(entry);
  }

  renew(keys: readonly TaskKey[], node: string, lease: number): readonly TaskKey[] {
    return keys.filter((key) => {
      const entry = this.#find(key);
      if (!entry || isFinal(entry.record.status) || entry.record.node !== node) return true;
      entry.leaseEndsAt = this.#options.clock.now() + lease;
      return false;
    });
  }

  takeOver(node: string, limit: number): readonly TaskRecord[] {
    this.#expire();
    const now = this.#options.clock.now();
    const isDue = ({ record, leaseEndsAt }: Entry): boolean => leaseEndsAt <= now && !isFinal(record.status);
    const due = [...this.#entries.values()].filter(isDue).slice(0, limit);
    for (const entry of due) {
      entry.record = { ...entry.record, node, attempt: attemptOf(entry.record) + 1 };
      entry.leaseEndsAt = now + (entry.record.lease ?? Infinity);
    }
    return due.map(({ record }) => record);
  }

  #put(entry: Entry, record: TaskRecord): void {
    const { principal, outcome } = record;
    const size = sizeOf(record);
    const isKept = outcome === undefined || size - entry.size <= this.#sizes.roomFor(principal);
    entry.record = isKept ? record : { ...record, ...toUnkept() };
    const kept = isKept ? size : sizeOf(entry.record);
    this.#sizes.change(principal, kept - entry.size);
    entry.size = kept;
  }

  #find({ id, owner }: TaskKey): Entry | undefined {
    this.#expire();
    const entry = this.#entries.get(id);
    return entry?.record.owner === owner ? entry : undefined;
  }

  /** Removes expired entries. Scans them only when one of them is due. */
  #expire(): void {
    const now = this.#options.clock.now();
    if (now < this.#nextExpiry) return;
    this.#nextExpiry = Infinity;
    for (const entry of this.#entries.values()) {
      if (entry.expiresAt <= now) this.#drop(entry);
      else this.#nextExpiry = Math.min(this.#nextExpiry, entry.expiresAt);
    }
  }

  #drop(entry: Entry): void {
    const { id, owner, principal } = entry.record;
    const own = this.#owners.get(owner);
    own?.entries.delete(id);
    if (own?.entries.size === 0) this.#owners.delete(owner);
    this.#entries.delete(id);
    this.#counts.change(principal, -1);
    this.#sizes.change(principal, -entry.size);
  }
}

/** Final state of a task whose outcome does not fit into the share of its principal. */
function toUnkept(): Pick<TaskRecord, "status" | "statusMessage" | "outcome"> {
  const message = "The result is not stored; the results of earlier tasks fill the store";
  const error = { code: errorCodes.internalError, message };
  return { status: "failed", statusMessage: message, outcome: { kind: "error", error } };
}

const defaults = { maxTasks: 10_000, maxTasksPerOwner: 1_000, maxSize: 64 * 1024 * 1024 } as const;

interface Entry {
  record: TaskRecord;
  readonly expiresAt: number;
  /** Time after which another node may take the task over, in the milliseconds of the clock. */
  leaseEndsAt: number;
  /** Position in the list of its owner; unchanged when other tasks are removed. */
  readonly sequence: number;
  size: number;
}

function attemptOf({ attempt = 1 }: TaskRecord): number {
  return attempt;
}

/** Returns the size in characters. A task without input requests, outcome and stored request counts 0: the number of such tasks is bounded. */
function sizeOf({ outcome, inputRequests, inputResponses, settledRequests, retry }: TaskRecord): number {
  const parts = [outcome, inputRequests, inputResponses, settledRequests, retry].filter((part) => part !== undefined);
  return parts.reduce((size, part) => size + JSON.stringify(part).length, 0);
}
