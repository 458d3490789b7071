import { isObject } from "../../generated/support.ts";
import { systemClock, type Clock } from "../../runtime/internal/timers.ts";
import type { Engine, EngineStatus } from "../stores/engine.ts";

/** Figures of one operation of an engine. */
export interface OperationFigures {
  /** Number of completed operations, including failed ones. */
  readonly count: number;
  readonly errors: number;
  /** Sum of their durations in seconds. */
  readonly seconds: number;
  /** Number of operations within each bound of `durationBounds`: they took as long as the bound at most. */
  readonly buckets: readonly number[];
}

/** Figures of an engine since the metrics were created. */
export interface EngineMetricsSnapshot {
  /** State of the connection; absent before an engine is measured. */
  readonly state?: EngineStatus["state"];
  /** Figures by name of the operation, such as `events.append`. */
  readonly operations: ReadonlyMap<string, OperationFigures>;
  /** Outcomes of operations with several, such as `fenced`, by name of the operation. */
  readonly outcomes: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Messages to other nodes by kind, and by outcome: `sent` or `absent`. */
  readonly messages: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Stored events. Events of a repeated append count again. */
  readonly events: number;
  /** Tasks taken over by this node from others. */
  readonly tasksTakenOver: number;
}

/** Durations in seconds by which operations are counted. */
export const durationBounds: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/**
 * Counts the operations of an engine wrapped by `measureEngine`. It may be read at any time.
 *
 * @example
 * ```ts
 * import { EngineMetrics, measureEngine } from "mcp-server-runtime/metrics";
 * import { createMemoryCluster, joinCluster } from "mcp-server-runtime/scale";
 *
 * const metrics = new EngineMetrics();
 * const engine = createMemoryCluster().connect();
 * const cluster = await joinCluster(measureEngine(engine, metrics));
 * console.log(metrics.read().operations.get("sessions.access")?.count);
 * ```
 */
export class EngineMetrics {
  readonly #clock: Clock;
  readonly #operations = new Map<string, Operation>();
  readonly #outcomes: Counts = new Map();
  readonly #messages: Counts = new Map();
  #events = 0;
  #tasksTakenOver = 0;
  #readState: (() => EngineStatus["state"]) | undefined;

  constructor({ clock = systemClock }: { readonly clock?: Clock } = {}) {
    this.#clock = clock;
  }

  /** Returns a copy of the current figures. */
  read(): EngineMetricsSnapshot {
    return {
      ...(this.#readState && { state: this.#readState() }),
      operations: new Map([...this.#operations].map(([name, figures]) => [name, copyOperation(figures)])),
      outcomes: copyCounts(this.#outcomes),
      messages: copyCounts(this.#messages),
      events: this.#events,
      tasksTakenOver: this.#tasksTakenOver,
    };
  }

  /** Sets the function to read the state of the engine with. */
  watchState(read: () => EngineStatus["state"]): void {
    this.#readState = read;
  }

  /** Performs an operation, and counts it when it has ended. */
  async measure(name: string, parameters: readonly unknown[], perform: () => unknown): Promise<unknown> {
    const begin = this.#clock.now();
    try {
      const result = await perform();
      this.#count(name, begin, false);
      this.#countOutcome(name, parameters, result);
      return result;
    } catch (thrown) {
      this.#count(name, begin, true);
      throw thrown;
    }
  }

  #count(name: string, begin: number, isError: boolean): void {
    const seconds = Math.max(0, this.#clock.now() - begin) / 1_000;
    const operation = this.#operations.get(name) ?? createOperation();
    this.#operations.set(name, operation);
    operation.count += 1;
    operation.seconds += seconds;
    if (isError) operation.errors += 1;
    for (const [index, bound] of durationBounds.entries()) {
      if (seconds <= bound) operation.buckets[index] = (operation.buckets[index] ?? 0) + 1;
    }
  }

  #countOutcome(name: string, parameters: readonly unknown[], result: unknown): void {
    const [, value] = parameters;
    switch (name) {
      case "events.append":
        increase(this.#outcomes, name, String(result));
        if (result === "stored" && isObject(value) && Array.isArray(value.data)) this.#events += value.data.length;
        return;
      case "events.seal":
        return increase(this.#outcomes, name, result === true ? "sealed" : "changed");
      case "events.adopt":
        return increase(this.#outcomes, name, result === undefined ? "changed" : "adopted");
      case "nodes.renew":
        return increase(this.#outcomes, name, result === false ? "expired" : "held");
      case "nodes.send":
        return increase(this.#messages, isObject(value) ? String(value.kind) : "", String(result));
      case "tasks.takeOver":
        if (Array.isArray(result)) this.#tasksTakenOver += result.length;
    }
  }
}

/**
 * Returns an engine with the same operations, which counts them.
 *
 * @example
 * ```ts
 * import { EngineMetrics, measureEngine } from "mcp-server-runtime/metrics";
 * import { createMemoryCluster } from "mcp-server-runtime/scale";
 *
 * const engine = measureEngine(createMemoryCluster().connect(), new EngineMetrics());
 * ```
 */
export function measureEngine(engine: Engine, metrics: EngineMetrics): Engine {
  metrics.watchState(() => engine.status().state);
  const measure = <Store extends object>(store: Store, name: string): Store => measureStore(store, { name, metrics });
  const { rates, revocations, values } = engine;
  return {
    sessions: measure(engine.sessions, "sessions"),
    events: measure(engine.events, "events"),
    nodes: measure(engine.nodes, "nodes"),
    tasks: measure(engine.tasks, "tasks"),
    ledger: measure(engine.ledger, "ledger"),
    replays: measure(engine.replays, "replays"),
    ...(rates && { rates: measure(rates, "rates") }),
    ...(revocations && { revocations: measure(revocations, "revocations") }),
    ...(values && { values: measure(values, "values") }),
    ...(engine.deriveKeys && { deriveKeys: engine.deriveKeys.bind(engine) }),
    status: () => engine.status(),
    open: () => engine.open(),
    close: () => engine.close(),
  };
}

/** Wraps the methods of a store. */
function measureStore<Store extends object>(
  store: Store,
  { name, metrics }: { readonly name: string; readonly metrics: EngineMetrics },
): Store {
  return new Proxy(store, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== "function" || typeof member !== "string") return value;
      return (...parameters: unknown[]) =>
        metrics.measure(`${name}.${member}`, parameters, () => Reflect.apply(value, target, parameters));
    },
  });
}

interface Operation {
  count: number;
  errors: number;
  seconds: number;
  readonly buckets: number[];
}

function createOperation(): Operation {
  return { count: 0, errors: 0, seconds: 0, buckets: durationBounds.map(() => 0) };
}

function copyOperation({ buckets, ...figures }: Operation): OperationFigures {
  return { ...figures, buckets: [...buckets] };
}

type Counts = Map<string, Map<string, number>>;

function increase(counts: Counts, name: string, outcome: string): void {
  const outcomes = counts.get(name) ?? new Map<string, number>();
  counts.set(name, outcomes);
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}

function copyCounts(counts: Counts): ReadonlyMap<string, ReadonlyMap<string, number>> {
  return new Map([...counts].map(([name, outcomes]) => [name, new Map(outcomes)]));
}
