import { systemClock, type Clock } from "../runtime/internal/timers.ts";
import { EngineError } from "../runtime/stores/engine-error.ts";
import type { Engine, EngineStatus } from "./stores/engine.ts";
import { MemoryLedger, type Ledger } from "../runtime/stores/ledger.ts";
import { MemoryTaskStore } from "../runtime/stores/memory-task-store.ts";
import type { NodeDirectory } from "./stores/node-directory.ts";
import { MemoryRateStore, type RateStore } from "../runtime/stores/rate-store.ts";
import { MemoryReplayStore, type ReplayStore } from "../runtime/stores/replay-store.ts";
import type { RevocationStore } from "./stores/revocation-store.ts";
import type { SharedEventStore } from "./stores/shared-event-store.ts";
import type { SharedSessionStore } from "./stores/shared-session-store.ts";
import type { SharedValueStore } from "../runtime/stores/shared-value-store.ts";
import type { TaskStore } from "../runtime/stores/task-store.ts";
import { copyValue } from "./copy-value.ts";
import { deriveKeys } from "./derive-keys.ts";
import { defaultEngineLimits, type EngineLimits } from "./engine-limits.ts";
import { MemorySharedEvents } from "./memory-events.ts";
import { MemoryNodes, type MemoryConnection } from "./memory-nodes.ts";
import { MemoryRevocations } from "./memory-revocations.ts";
import { MemorySharedSessions } from "./memory-sessions.ts";
import { MemorySharedValues } from "./memory-values.ts";
import { checkNumbers } from "../runtime/jsonrpc/check-numbers.ts";

/** Limits of a cluster in memory, and its clock. */
export interface MemoryClusterOptions extends Partial<EngineLimits> {
  readonly clock?: Pick<Clock, "now">;
}

/** Cluster whose nodes are in one process. */
export interface MemoryCluster {
  /** Returns the engine of one more node. All engines share one memory. */
  connect(): Engine;
  /** Makes the operations of an engine fail until it is restored. Default: of all engines. */
  lose(engine?: Engine): void;
  /** Makes the operations of an engine work again. Default: of all engines. */
  restore(engine?: Engine): void;
}

/**
 * Creates a cluster in the memory of this process, to test servers on several nodes. Nothing outlives the process.
 *
 * @example
 * ```ts
 * import { createMemoryCluster } from "mcp-server-runtime/scale";
 *
 * const cluster = createMemoryCluster();
 * const [first, second] = [cluster.connect(), cluster.connect()];
 * await Promise.all([first.open(), second.open()]);
 * ```
 */
export function createMemoryCluster({ clock = systemClock, ...limits }: MemoryClusterOptions = {}): MemoryCluster {
  checkNumbers(limits);
  const memory = createMemory({ ...defaultEngineLimits, ...limits }, clock);
  const engines = new Map<Engine, MemoryEngine>();
  const select = (engine?: Engine): readonly MemoryEngine[] => {
    const found = engine && engines.get(engine);
    if (engine && !found) throw new Error("The engine belongs to another cluster; use the cluster that connected it");
    return found ? [found] : [...engines.values()];
  };
  return {
    connect() {
      const engine = new MemoryEngine(memory);
      engines.set(engine, engine);
      return engine;
    },
    lose: (engine) => select(engine).forEach((found) => found.setLost(true)),
    restore: (engine) => select(engine).forEach((found) => found.setLost(false)),
  };
}

/** State shared by the engines of a cluster. */
interface Memory {
  readonly sessions: MemorySharedSessions;
  readonly events: MemorySharedEvents;
  readonly nodes: MemoryNodes;
  readonly tasks: MemoryTaskStore;
  readonly ledger: MemoryLedger;
  readonly replays: MemoryReplayStore;
  readonly rates: MemoryRateStore;
  readonly revocations: MemoryRevocations;
  readonly values: MemorySharedValues;
  readonly secret: Uint8Array;
}

function createMemory(limits: EngineLimits, clock: Pick<Clock, "now">): Memory {
  const nodes = new MemoryNodes(limits, clock);
  return {
    sessions: new MemorySharedSessions(limits, clock),
    events: new MemorySharedEvents(limits, clock, (session, stream) => nodes.changed(session, stream)),
    nodes,
    tasks: new MemoryTaskStore({ clock }),
    ledger: new MemoryLedger({ clock }),
    replays: new MemoryReplayStore(),
    rates: new MemoryRateStore({ now: () => clock.now() }),
    revocations: new MemoryRevocations(clock),
    values: new MemorySharedValues(clock),
    secret: crypto.getRandomValues(new Uint8Array(32)),
  };
}

/** Performs an operation with copies of its input and its result. */
type Perform = <I, R>(input: I, operate: (input: I) => R) => Promise<R>;

/** Engine of one node of a cluster in memory. */
class MemoryEngine implements Engine {
  readonly sessions: SharedSessionStore;
  readonly events: SharedEventStore;
  readonly nodes: NodeDirectory;
  readonly tasks: TaskStore;
  readonly ledger: Ledger;
  readonly replays: ReplayStore;
  readonly rates: RateStore;
  readonly revocations: RevocationStore;
  readonly values: SharedValueStore;
  readonly #memory: Memory;
  readonly #connection: MemoryConnection;
  #isOpen = false;
  #isLost = false;
  #since = Date.now();

  constructor(memory: Memory) {
    const perform: Perform = (input, operate) => this.#perform(input, operate);
    this.#memory = memory;
    this.#connection = {
      isReady: () => this.#isOpen && !this.#isLost,
      receivers: new Set(),
      watches: new Set(),
    };
    this.sessions = sessionsOf(memory.sessions, perform);
    this.events = eventsOf(memory.events, perform);
    this.nodes = nodesOf(memory.nodes, this.#connection, perform);
    this.tasks = tasksOf(memory.tasks, perform);
    this.ledger = ledgerOf(memory.ledger, perform);
    this.replays = {
      add: (key, until, owner) =>
        perform({ key, until, owner }, (use) => memory.replays.add(use.key, use.until, use.owner)),
    };
    this.rates = ratesOf(memory.rates, perform);
    this.revocations = {
      add: (revocation) => perform(revocation, (copy) => memory.revocations.add(copy)),
      list: () => perform(undefined, () => memory.revocations.list()),
    };
    this.values = valuesOf(memory.values, perform);
  }

  deriveKeys(purpose: string): readonly [Uint8Array, ...Uint8Array[]] {
    return deriveKeys([this.#memory.secret], purpose);
  }

  status(): EngineStatus {
    if (this.#connection.isReady()) return { state: "ready", since: this.#since, problems: [] };
    return { state: "lost", since: this.#since, problems: [this.#describeProblem()] };
  }

  async open(): Promise<void> {
    await Promise.resolve();
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#since = Date.now();
    this.#memory.nodes.connect(this.#connection);
  }

  async close(): Promise<void> {
    await Promise.resolve();
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#since = Date.now();
    this.#memory.nodes.disconnect(this.#connection);
  }

  setLost(isLost: boolean): void {
    if (this.#isLost === isLost) return;
    this.#isLost = isLost;
    this.#since = Date.now();
    if (!isLost) this.#memory.nodes.resume(this.#connection);
  }

  /** Performs an operation in a later microtask, as one step. When the engine is lost meanwhile, it may have been performed all the same. */
  async #perform<I, R>(input: I, operate: (input: I) => R): Promise<R> {
    const copy = copyValue(input);
    await Promise.resolve();
    this.#check();
    const result = copyValue(operate(copy));
    await Promise.resolve();
    this.#check();
    return result;
  }

  #check(): void {
    if (!this.#connection.isReady()) throw new EngineError(this.#describeProblem());
  }

  #describeProblem(): string {
    return this.#isOpen ? "The engine is lost; try again later" : "The engine is not open; call open() first";
  }
}

function sessionsOf(sessions: MemorySharedSessions, perform: Perform): SharedSessionStore {
  return {
    ttl: sessions.ttl,
    add: (record) => perform(record, (copy) => sessions.add(copy)),
    access: (key, access) => perform({ key, access }, (copy) => sessions.access(copy.key, copy.access)),
    release: (key, release) => perform({ key, release }, (copy) => sessions.release(copy.key, copy.release)),
    findNode: (key, id) => perform({ key, id }, (copy) => sessions.findNode(copy.key, copy.id)),
    findNodes: (key) => perform(key, (copy) => sessions.findNodes(copy)),
    change: (key, change) => perform({ key, change }, (copy) => sessions.change(copy.key, copy.change)),
    readState: (key) => perform(key, (copy) => sessions.readState(copy)),
    end: (key) => perform(key, (copy) => sessions.end(copy)),
  };
}

function eventsOf(events: MemorySharedEvents, perform: Perform): SharedEventStore {
  return {
    append: (key, append) => perform({ key, append }, (copy) => events.append(copy.key, copy.append)),
    read: (key, position) => perform({ key, position }, (copy) => events.read(copy.key, copy.position)),
    seal: (key, seal) => perform({ key, seal }, (copy) => events.seal(copy.key, copy.seal)),
    adopt: (key, adoption) => perform({ key, adoption }, (copy) => events.adopt(copy.key, copy.adoption)),
    remove: (key) => perform(key, (copy) => events.remove(copy)),
  };
}

function nodesOf(nodes: MemoryNodes, connection: MemoryConnection, perform: Perform): NodeDirectory {
  return {
    renew: (node, lease) => perform({ node, lease }, (copy) => nodes.renew(copy.node, copy.lease)),
    leave: (node) => perform(node, (copy) => nodes.leave(copy)),
    isAlive: (node) => perform(node, (copy) => nodes.isAlive(copy)),
    send: (node, message) => perform({ node, message }, (copy) => nodes.send(copy.node, copy.message)),
    broadcast: (broadcast) => perform(broadcast, (copy) => nodes.broadcast(copy)),
    broadcastsAfter: (position) => perform(position, (copy) => nodes.broadcastsAfter(copy)),
    async receive(node, receiver, position) {
      await perform(node, () => undefined);
      const stop = nodes.receive(connection, node, receiver, position);
      return async () => stop();
    },
    async watch(session, stream) {
      const watch = await perform({ session, stream }, (copy) => copy);
      return nodes.watch(connection, watch);
    },
  };
}

function ratesOf(rates: MemoryRateStore, perform: Perform): RateStore {
  return {
    take: (key, rate) => perform({ key, rate }, (copy) => rates.take(copy.key, copy.rate)),
    check: (key, rate) => perform({ key, rate }, (copy) => rates.check(copy.key, copy.rate)),
    record: (key, rate) => perform({ key, rate }, (copy) => rates.record(copy.key, copy.rate)),
  };
}

function valuesOf(values: MemorySharedValues, perform: Perform): SharedValueStore {
  return {
    get: (key) => perform(key, (copy) => values.get(copy)),
    set: (key, value, milliseconds) =>
      perform({ key, value, milliseconds }, (copy) => values.set(copy.key, copy.value, copy.milliseconds)),
    delete: (key) => perform(key, (copy) => values.delete(copy)),
    lock: (key, lease) => perform({ key, lease }, (copy) => values.lock(copy.key, copy.lease)),
    unlock: (key, holder) => perform({ key, holder }, (copy) => values.unlock(copy.key, copy.holder)),
  };
}

function tasksOf(tasks: MemoryTaskStore, perform: Perform): TaskStore {
  return {
    add: (record) => perform(record, (copy) => tasks.add(copy)),
    find: (key) => perform(key, (copy) => tasks.find(copy)),
    change: (key, change, attempt) =>
      perform({ key, change, attempt }, (copy) => tasks.change(copy.key, copy.change, copy.attempt)),
    list: (owner, range) => perform({ owner, range }, (copy) => tasks.list(copy.owner, copy.range)),
    remove: (key) => perform(key, (copy) => tasks.remove(copy)),
    removeAll: (owner) => perform(owner, (copy) => tasks.removeAll(copy)),
    renew: (keys, node, lease) =>
      perform({ keys, node, lease }, (copy) => tasks.renew(copy.keys, copy.node, copy.lease)),
    takeOver: (node, limit) => perform({ node, limit }, (copy) => tasks.takeOver(copy.node, copy.limit)),
  };
}

function ledgerOf(ledger: MemoryLedger, perform: Perform): Ledger {
  return {
    begin: (scope, step, attempt) =>
      perform({ scope, step, attempt }, (copy) => ledger.begin(copy.scope, copy.step, copy.attempt)),
    finish: (scope, step, end) =>
      perform({ scope, step, end }, (copy) => ledger.finish(copy.scope, copy.step, copy.end)),
    remove: (scope) => perform(scope, (copy) => ledger.remove(copy)),
  };
}
