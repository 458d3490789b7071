import type { TaskRecord } from "../stores/task-store.ts";
import { toTaskState } from "./task.ts";

/** Converts a record to the form of the tasks extension, with the members of its status. A failed tool counts as completed. */
export function toDetailed(record: TaskRecord): object {
  const { status, outcome, inputRequests = {} } = record;
  const head = toHead(record);
  if (outcome?.kind === "result") return { ...head, status: "completed", result: outcome.result };
  if (outcome?.kind === "error") return { ...head, error: outcome.error };
  return status === "input_required" ? { ...head, inputRequests } : head;
}

/** Creates the result of a request that continues as a task. */
export function toCreated(record: TaskRecord): object {
  return { resultType: "task", ...toHead(record) };
}

function toHead(record: TaskRecord): object {
  const { ttl, pollInterval = 0, ...head } = toTaskState(record);
  // The protocol requires a whole number.
  return { ...head, ttlMs: ttl, pollIntervalMs: Math.max(1, Math.round(pollInterval)) };
}
