import { SetupError } from "../jsonrpc/errors.ts";
import { systemClock, type Clock } from "../internal/timers.ts";
import { MemoryTaskStore } from "../stores/memory-task-store.ts";
import type { TaskStore } from "../stores/task-store.ts";

/** How tasks are kept by the side that runs them. All times are in milliseconds. */
export interface TaskOptions {
  /** Default: in the memory of this process, bounded. */
  readonly store?: TaskStore;
  /** How long a task is kept from its creation, if nobody says otherwise. Default 1 h. */
  readonly ttl?: number;
  /** The longest that anybody may ask for; `Infinity` lets tasks be kept for ever. Default 24 h. */
  readonly maxTtl?: number;
  /** How long to wait between two questions for the status. Default 1 s. */
  readonly pollInterval?: number;
  /** Tell whoever asked for a task when its status changes. They cannot rely on it. Default `true`. */
  readonly notify?: boolean;
  /** Tasks on one page of a list. Default 100. */
  readonly pageSize?: number;
  /** Default: the clock of the platform. */
  readonly clock?: Clock;
}

/** What one kind of request says about its tasks, over what holds for all. */
export interface TaskTerms {
  readonly ttl?: number | undefined;
  readonly pollInterval?: number | undefined;
}

/** Options with their defaults. */
export type TaskSettings = Required<TaskOptions>;

/** Given options over the defaults. */
export function toTaskSettings(options: TaskOptions): TaskSettings {
  const { clock = systemClock, store = new MemoryTaskStore({ clock }), ...rest } = options;
  const settings = { ...defaults, ...rest, store, clock };
  for (const name of ["ttl", "maxTtl", "pollInterval", "pageSize"] as const) checkPositive(name, settings[name]);
  return settings;
}

/**
 * How long a task is really kept: what the requestor asks for counts first, within bounds.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#ttl-and-resource-management
 */
export function toTtl(requested: number | undefined, terms: TaskTerms, settings: TaskSettings): number | null {
  const wanted = requested ?? terms.ttl ?? settings.ttl;
  const ttl = Math.min(Math.max(wanted, shortestTtl), settings.maxTtl);
  return Number.isFinite(ttl) ? Math.round(ttl) : null;
}

const defaults = { ttl: 3_600_000, maxTtl: 86_400_000, pollInterval: 1_000, notify: true, pageSize: 100 } as const;

/** Who asks for less would never see the result. */
const shortestTtl = 1_000;

function checkPositive(name: string, value: number): void {
  if (value > 0) return;
  throw new SetupError(`tasks.${name} is ${value}: use a number above 0, or leave it out for the default.`);
}
