/** Stores of data beyond the life of a process: their interfaces, and implementations in memory. */
export type { EventStore, StoredEvent, StreamPosition } from "./event-store.ts";

export { MemoryEventStore } from "./memory-event-store.ts";
export type { MemoryEventStoreOptions } from "./memory-event-store.ts";

export { MemorySessionStore } from "./memory-session-store.ts";
export type { MemorySessionStoreOptions } from "./memory-session-store.ts";

export { MemoryTaskStore } from "./memory-task-store.ts";
export type { MemoryTaskStoreOptions } from "./memory-task-store.ts";

export { MemoryRateStore } from "./rate-store.ts";
export type { MemoryRateStoreOptions, RateStore } from "./rate-store.ts";

export { MemoryReplayStore } from "./replay-store.ts";
export type { ReplayStore } from "./replay-store.ts";

export type { Agreement, SessionKey, SessionRecord, SessionStore } from "./session-store.ts";

export type { TaskChange, TaskKey, TaskOutcome, TaskPage, TaskRange, TaskRecord } from "./task-store.ts";
export type { TaskRetry, TaskStatus, TaskStore } from "./task-store.ts";

export { MemoryLedger } from "./ledger.ts";
export type { Ledger, LedgerEntry, MemoryLedgerOptions, StepEnd } from "./ledger.ts";
