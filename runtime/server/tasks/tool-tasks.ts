import { isObject, type Gate, type RequestRow, type Revision } from "../../../generated/support.ts";
import { findNotJson } from "../../internal/not-json.ts";
import { UnreachableError } from "../../jsonrpc/errors.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { toProgressRate } from "../../protocol/peer/progress.ts";
import type { CallContext } from "../../protocol/session/call-context.ts";
import type { Connection } from "../../protocol/session/connection.ts";
import type { Session, SessionConverter } from "../../protocol/session/session.ts";
import type { TaskRetry } from "../../stores/task-store.ts";
import type { StepRecorder, StepRunner } from "../../tasks/step-recorder.ts";
import type { TaskManager } from "../../tasks/task-manager.ts";
import type { TaskRequest } from "../../tasks/task-request.ts";
import { withoutTask } from "../../tasks/task.ts";
import type { AnyTool } from "../any-definition.ts";
import { readAuth } from "../context.ts";
import type { ToolTaskOptions } from "../definition.ts";
import type { ReadExtensionFilter } from "../feature.ts";
import { RecordedSteps } from "../input/steps.ts";
import type { CallToolParams, ServedHandlers } from "../methods/served-handlers.ts";

/** Kind of tasks run by a server at a revision: tasks of the core, which clients request, or tasks of the extension, on which the server decides. */
export interface ServerTaskProtocol {
  /** Capability without which no call of a tool becomes a task. */
  readonly gate: Gate;
  /** Handlers of requests about tasks, by handler name. */
  readonly handlers: ServedHandlers;
  /** Reads task ids in subscription requests, where clients subscribe to tasks. */
  readonly listen?: ReadExtensionFilter;
  /**
   * Starts a task for a request. Returns the response that names the task.
   *
   * @throws {RpcError} when the store has no room for another task
   */
  start(call: CallContext, request: TaskRequest): Promise<object>;
}

/** Returns the task options of a tool, or undefined if it does not run as a task. */
export function readTaskOptions({ task }: AnyTool): ToolTaskOptions | undefined {
  return task === true ? {} : task;
}

/**
 * Returns the method row of tool calls.
 *
 * @throws {Error} when the revision has no tools.
 */
export function findToolRow(revision: Revision): RequestRow {
  const row = findRow(revision.clientRequests, "callTool");
  if (!row) throw new Error(`Revision ${revision.id} has tasks but no tools`);
  return row;
}

/** Params of the call of a tool, and the prepared arguments, if any. */
interface StoredParams {
  readonly params: CallToolParams;
  readonly ready?: { readonly args: unknown } | undefined;
}

/** Returns the members of a request whose task another node may run again, if the tool permits it. */
export function toTaskRetry(call: CallContext, tool: AnyTool, stored: StoredParams): Partial<TaskRequest> {
  return readTaskOptions(tool)?.retryable ? { retry: toRetry(call, tool, stored), createSteps } : {};
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

/** Parts with which the call of a tool is restored. */
interface ToolRestorer extends Pick<TaskRequest, "ownership"> {
  readonly revision: Revision;
  /** Creates the converter of results. Default: the code of the server is written for the revision. */
  createConverter?(written: Revision): SessionConverter | undefined;
  /** Returns the tool if the requester may use it. */
  find(name: string, call: CallContext): AnyTool;
  toWork(tool: AnyTool, params: CallToolParams, retry: TaskRetry): TaskRequest["work"];
}

/** Sets the restorer of the tool calls of a revision. */
export function setToolRestorer(
  tasks: TaskManager,
  { revision, createConverter, find, toWork, ownership }: ToolRestorer,
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
      request: { row: findToolRow(revision), ttl: undefined, taskOptions, work, ownership, retry, createSteps },
    };
  });
}

function readCallParams({ params }: TaskRetry): CallToolParams {
  if (!("name" in params) || typeof params.name !== "string") throw new Error("The stored request names no tool");
  const { name } = params;
  return "arguments" in params && isObject(params.arguments)
    ? { ...params, name, arguments: params.arguments }
    : { ...params, name };
}

/** Creates the call of a task begun by another node. Its requestor has no connection here: it is reached through the task only. */
export function createStoredCall(
  id: string,
  { params, client, identity }: TaskRetry,
  { revision, converter }: { readonly revision: Revision; readonly converter?: SessionConverter | undefined },
): CallContext {
  const own = { info: undefined, capabilities: {} };
  const session: Session = { revision, role: "server", own, peer: client, instructions: undefined, converter };
  const meta = "_meta" in params && isObject(params._meta) ? params._meta : {};
  return {
    requestId: id,
    session,
    revision,
    meta,
    signal: new AbortController().signal,
    origin: identity && { identity },
    connection: createConnection(session),
    progressRate: toProgressRate(undefined),
    progress: async () => {},
    request: unreachable,
    notify: async () => {},
  };
}

function createConnection(session: Session): Connection {
  return {
    state: "DISCONNECTED",
    session,
    closed: Promise.resolve(undefined),
    request: unreachable,
    notify: async () => {},
    close: async () => {},
  };
}

async function unreachable(): Promise<never> {
  throw new UnreachableError("The requestor has no connection to the node that runs the task");
}
