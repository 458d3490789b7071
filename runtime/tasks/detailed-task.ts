import type { TaskRecord } from "../stores/task-store.ts";
import { toTaskState } from "./task.ts";

/** A task as the tasks extension shows it, with what belongs to its status. A tool that failed has completed all the same. */
export function toDetailed(record: TaskRecord): object {
  const { status, outcome, inputRequests = {} } = record;
  const head = toHead(record);
  if (outcome?.kind === "result") return { ...head, status: "completed", result: outcome.result };
  if (outcome?.kind === "error") return { ...head, error: outcome.error };
  return status === "input_required" ? { ...head, inputRequests } : head;
}

/** The answer to a request that goes on as a task. */
export function toCreated(record: TaskRecord): object {
  return { resultType: "task", ...toHead(record) };
}

function toHead(record: TaskRecord): object {
  const { ttl, pollInterval = 0, ...head } = toTaskState(record);
  // What is sent is a whole number.
  return { ...head, ttlMs: ttl, pollIntervalMs: Math.max(1, Math.round(pollInterval)) };
}
