import { isObject, type Revision } from "../../../generated/support.ts";
import { findNotJson } from "../../internal/not-json.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { SessionConverter } from "../../protocol/session/session.ts";
import type { TaskRetry } from "../../stores/task-store.ts";
import type { TaskManager } from "../../tasks/task-manager.ts";
import type { StepRecorder, StepRunner } from "../../tasks/step-recorder.ts";
import type { TaskRequest } from "../../tasks/task-request.ts";
import { createStoredCall } from "../../tasks/stored-call.ts";
import { withoutTask } from "../../tasks/task.ts";
import type { AnyTool } from "../any-definition.ts";
import { readAuth } from "../context.ts";
import { RecordedSteps } from "../input/steps.ts";
import type { CallToolParams } from "../methods/served-handlers.ts";
import { findToolRow, readTaskOptions } from "./shared-tasks.ts";

/** Returns the members of a request whose task another node may run again, if the tool permits it. */
export function toTaskRetry(call: CallContext, tool: AnyTool, stored: StoredParams): Partial<TaskRequest> {
  return readTaskOptions(tool)?.retryable ? { retry: toRetry(call, tool, stored), createSteps } : {};
}

/** Params of the call of a tool, and the prepared arguments, if any. */
export interface StoredParams {
  readonly params: CallToolParams;
  readonly ready?: { readonly args: unknown } | undefined;
}

function createSteps(recorder: StepRecorder): StepRunner {
  return new RecordedSteps(recorder);
}

function toRetry(call: CallContext, tool: AnyTool, { params, ready }: StoredParams): TaskRetry {
  const problem = findNotJson(ready?.args);
  if (ready && problem !== undefined)
    throw new Error(`Tool "${tool.name}" is retryable, so prepare must return JSON: ${problem}`);
  const auth = readAuth(call.origin);
  const scopes = auth?.scopes;
  return {
    revision: call.revision.id,
    params: Object(withoutTask(params)),
    ...(ready && { prepared: ready.args }),
    client: call.session.peer,
    ...(auth && { identity: { principal: auth.principal, ...(scopes && { scopes }) } }),
  };
}

/** Sets the restorer of the tool calls of a revision. */
export function setToolRestorer(
  tasks: TaskManager,
  { revision, createConverter, find, toWork, keeping }: ToolRestorer,
): void {
  tasks.setRestorer(revision.id, (id, retry, written) => {
    const call = createStoredCall(id, retry, { revision, converter: createConverter?.(written) });
    const params = readCallParams(retry);
    const tool = find(params.name, call);
    const taskOptions = readTaskOptions(tool);
    if (!taskOptions?.retryable) throw new Error(`Tool "${tool.name}" is not retryable`);
    const work = toWork(tool, params, retry);
    return {
      call,
      request: { row: findToolRow(revision), ttl: undefined, taskOptions, work, keeping, retry, createSteps },
    };
  });
}

/** Parts with which the call of a tool is restored. */
export interface ToolRestorer extends Pick<TaskRequest, "keeping"> {
  readonly revision: Revision;
  /** Creates the converter of results. Default: the code of the server is written for the revision. */
  createConverter?(written: Revision): SessionConverter | undefined;
  /** Returns the tool if the requester may use it. */
  find(name: string, call: CallContext): AnyTool;
  toWork(tool: AnyTool, params: CallToolParams, retry: TaskRetry): TaskRequest["work"];
}

function readCallParams({ params }: TaskRetry): CallToolParams {
  if (!("name" in params) || typeof params.name !== "string") throw new Error("The stored request names no tool");
  const { name } = params;
  return "arguments" in params && isObject(params.arguments)
    ? { ...params, name, arguments: params.arguments }
    : { ...params, name };
}
