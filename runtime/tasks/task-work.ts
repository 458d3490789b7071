import { isObject } from "../../generated/support.ts";
import { InvalidMessageError, RpcError, toErrorObject } from "../jsonrpc/errors.ts";
import { StaticResult } from "../jsonrpc/message.ts";
import type { RunningTask } from "./running-task.ts";
import type { TaskCall } from "./task-call.ts";
import { toFailed } from "./task-errors.ts";
import type { TaskRequest } from "./task-request.ts";

/** End of a task: its final status and outcome. */
export type TaskEnding = Parameters<RunningTask["end"]>[0];

/** Request of a task, and the receiver of its failures. */
interface TaskWork {
  readonly request: TaskRequest;
  report(thrown: unknown): void;
}

/** Handles the request of a task. Failures are reported unless the task has ended. */
export async function handleTaskRequest(task: RunningTask, call: TaskCall, work: TaskWork): Promise<TaskEnding> {
  const ending = await runWork(task, call, work);
  try {
    // No store can keep an outcome that is not JSON (cycles, big integers), and the task would never end.
    JSON.stringify(ending.outcome);
    return ending;
  } catch (thrown) {
    if (!task.isOver) work.report(thrown);
    return toFailed("Internal error");
  }
}

async function runWork(
  task: RunningTask,
  call: TaskCall,
  { request: { row, work }, report }: TaskWork,
): Promise<TaskEnding> {
  try {
    const { converter } = call.session;
    const respond: unknown = await work(call);
    const value = respond instanceof StaticResult ? respond.value : respond;
    const result = converter ? converter.result(row.method, value) : value;
    const issue = row.result(result);
    if (issue || !isObject(result)) throw new InvalidMessageError(row.method, "result", issue ?? notAnObject);
    const failure = explainFailure(result);
    return { status: failure ? "failed" : "completed", ...failure, outcome: { kind: "result", result } };
  } catch (thrown) {
    const error = RpcError.from(thrown);
    if (!task.isOver && error !== thrown) report(thrown);
    return {
      status: "failed",
      statusMessage: error.message,
      outcome: { kind: "error", error: toErrorObject(error) },
    };
  }
}

const notAnObject = { path: "", expected: "object" } as const;

/** Returns the status message of a failed tool, which reports the failure in its result. */
function explainFailure(result: Record<string, unknown>): { readonly statusMessage: string } | undefined {
  if (result.isError !== true) return undefined;
  const [block]: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const text = isObject(block) && typeof block.text === "string" ? block.text : "The tool failed";
  return { statusMessage: text.slice(0, longestExplanation) };
}

const longestExplanation = 500;
