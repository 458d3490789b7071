import { defaultEngineLimits, type EngineLimits } from "../engine-limits.ts";

/** Limits of what the engine stores on NATS. */
export interface NatsLimits extends EngineLimits {
  /** Tasks at a time, including ended ones. One owner may hold half of them. Default 10,000. */
  readonly maxTasks: number;
  /** Tasks per owner. Default 1,000. */
  readonly maxTasksPerOwner: number;
  /** Characters of one task. A larger outcome is not stored, and its task fails. Default 16 Mi. */
  readonly maxTaskSize: number;
  /** Milliseconds for which the steps of unfinished tasks are kept after the last change. Default 24 h. */
  readonly ledgerTtl: number;
  /** Steps of one task. Default 10,000. */
  readonly maxSteps: number;
}

/** Limits of an engine whose user sets none. */
export const defaultNatsLimits: NatsLimits = {
  ...defaultEngineLimits,
  maxTasks: 10_000,
  maxTasksPerOwner: 1_000,
  maxTaskSize: 16 * 1024 * 1024,
  ledgerTtl: 86_400_000,
  maxSteps: 10_000,
};
