import { systemClock, type Clock } from "../internal/timers.ts";
import { MemoryTaskStore } from "../stores/memory-task-store.ts";
import type { Ledger } from "../stores/ledger.ts";
import type { TaskStore } from "../stores/task-store.ts";
import { checkFinite, checkPositive } from "../jsonrpc/check-numbers.ts";

/** Options for tasks on the side running them. All times are in milliseconds. */
export interface TaskOptions {
  /** Store of the tasks. Default: a bounded store in the memory of this process. */
  readonly store?: TaskStore;
  /** Ledger of retryable tasks, shared by all processes with the same store. Default: the ledger of the cluster. */
  readonly ledger?: Ledger;
  /** Lifetime of a task from its creation, if the requestor names none. Default 1 h. */
  readonly ttl?: number;
  /** Maximum lifetime of a task; `Infinity` permits tasks without an end. Default 24 h. */
  readonly maxTtl?: number;
  /** Suggested interval between two requests for the status. Default 1 s. */
  readonly pollInterval?: number;
  /** True if the requestor is notified when the status of its task changes. Requestors cannot rely on it. Default `true`. */
  readonly notify?: boolean;
  /** Number of tasks on a page of `tasks/list`. Default 100. */
  readonly pageSize?: number;
  /** Clock for lifetimes and polling. Default: the system clock. */
  readonly clock?: Clock;
}

/** Task options of one kind of request, which take precedence over the general ones. */
export interface RequestTaskOptions {
  readonly ttl?: number | undefined;
  readonly pollInterval?: number | undefined;
}

/** Task options with defaults filled in. */
export type TaskSettings = Required<Omit<TaskOptions, "ledger">>;

/**
 * Applies the defaults to task options.
 *
 * @throws {SetupError} when a time or the page size is not above 0, or `pollInterval` is `Infinity`.
 */
export function toTaskSettings(options: TaskOptions): TaskSettings {
  const { clock = systemClock, store = new MemoryTaskStore({ clock }), ledger: _ledger, ...rest } = options;
  const settings = { ...defaults, ...rest, store, clock };
  for (const name of ["ttl", "maxTtl", "pollInterval", "pageSize"] as const)
    checkPositive(`tasks.${name}`, settings[name]);
  checkFinite({ "tasks.pollInterval": settings.pollInterval });
  return settings;
}

/**
 * Returns the lifetime of a task in milliseconds: the requested one has precedence, within bounds. `null` means unlimited, as does a lifetime too
 * long to be stored as a whole number.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#ttl-and-resource-management
 */
export function toTtl(
  requested: number | undefined,
  taskOptions: RequestTaskOptions,
  settings: TaskSettings,
): number | null {
  const wanted = requested ?? taskOptions.ttl ?? settings.ttl;
  const ttl = Math.min(Math.max(wanted, shortestTtl), settings.maxTtl);
  return ttl <= Number.MAX_SAFE_INTEGER ? Math.round(ttl) : null;
}

const defaults = { ttl: 3_600_000, maxTtl: 86_400_000, pollInterval: 1_000, notify: true, pageSize: 100 } as const;

/** Minimum lifetime in milliseconds: with less, a requestor would never see the result. */
const shortestTtl = 1_000;

/** Checks the times of one kind of request. @throws {SetupError} when one is not above 0, or `pollInterval` is `Infinity`. */
export function checkTaskTimes(subject: string, options: RequestTaskOptions): void {
  const { ttl, pollInterval } = options;
  for (const [name, value] of Object.entries({ ttl, pollInterval }))
    if (value !== undefined) checkPositive(`${subject}: ${name}`, value);
  checkFinite({ [`${subject}: pollInterval`]: pollInterval });
}
