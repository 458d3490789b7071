import type { Revision, RequestRow } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { RpcError, errorCodes } from "../../jsonrpc/errors.ts";
import { createRevisionConverter } from "../../protocol/revision/revision-converter.ts";
import { isOpen, type SessionConverter } from "../../protocol/session/session.ts";
import { createTaskHandlers } from "../../tasks/task-handlers.ts";
import type { TaskManager } from "../../tasks/task-manager.ts";
import { readTaskParams, taskGate, taskKindOf, readCreatedTask, withoutTask } from "../../tasks/task.ts";
import type { AnyTool } from "../any-definition.ts";
import type { ToolTask } from "../definition.ts";
import type { RevisionServer } from "../revision-server.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { CallToolParams, ServedHandler } from "../methods/served-handlers.ts";
import { withPreparation } from "../tools/prepared-tool.ts";
import { setToolRestorer, toTaskRetry, findToolRow, readTaskOptions, type ServerTaskProtocol } from "./tool-tasks.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { checkResult } from "../../protocol/peer/routes.ts";
import { readTask } from "../../tasks/call-scope.ts";
import { FollowedTask, NoTaskError, type TaskCallOptions } from "../../tasks/task-handle.ts";
import type { AskForTask } from "../feature.ts";

/**
 * Returns the protocol of tasks of the core.
 *
 * @throws {Error} when the revision has no tools.
 */
export function createCoreTasks(tasks: TaskManager, revision: Revision): ServerTaskProtocol {
  return {
    gate: taskGate(findToolRow(revision), "server"),
    handlers: createTaskHandlers(tasks),
    start: (call, request) => tasks.start(call, request),
  };
}

/**
 * Creates the handler of tool calls. They run as tasks if the client requests it and the tool permits it. Preparations run first: without tasks too,
 * as they do before a task begins.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation
 */
export function createCallTool(
  server: RevisionServer,
  {
    protocol,
    tools,
    tasks,
  }: {
    readonly protocol: ServerTaskProtocol | undefined;
    readonly tools: ToolRegistry;
    readonly tasks: TaskManager;
  },
): ServedHandler<CallToolParams> {
  const { revision } = server;
  const row = findToolRow(revision);
  const find = (name: string, call: CallContext): AnyTool => withPreparation(tools.find(name, server.scope(call)));
  const toWork = (tool: AnyTool, params: CallToolParams) => (during: CallContext) =>
    server.inputRunner.run({ method: row.method, params }, during, (run) =>
      tools.run(tool, params.arguments ?? {}, server.scope(run)),
    );
  if (protocol) {
    const createConverter = (written: Revision): SessionConverter | undefined =>
      createRevisionConverter(revision, { role: "server", written, mode: undefined, onError: undefined });
    setToolRestorer(tasks, { revision, createConverter, find, toWork });
  }
  return async (params, call) => {
    const { name } = params;
    const tool = find(name, call);
    const work = toWork(tool, params);
    // A task request without the negotiated capability is ignored, and the call runs plainly.
    if (!protocol || !isOpen(protocol.gate, call.session)) return work(call);
    const asked = readTaskParams(params);
    const taskOptions = readTaskOptions(tool);
    if (asked && !taskOptions) throw mismatch(`Tool "${name}" does not support tasks; call it without a task`, name);
    if (!asked && taskOptions?.support === "required")
      throw mismatch(`Tool "${name}" requires a task; call it with a task`, name);
    if (!asked || !taskOptions) return work(call);
    return protocol.start(call, { row, ttl: asked.ttl, taskOptions, work, ...toTaskRetry(call, tool, { params }) });
  };
}

/** Returns the members for the task support of a tool in `tools/list`, at revisions with such members. */
export function describeTaskSupport(task: ToolTask, { knownMembers }: Revision): object {
  return knownMembers.includes("Tool.execution") ? { execution: { taskSupport: readTaskSupport(task) } } : {};
}

function readTaskSupport(task: ToolTask): "optional" | "required" {
  return task === true ? "optional" : (task.support ?? "optional");
}

function mismatch(message: string, name: string): RpcError {
  return new RpcError(errorCodes.methodNotFound, message, { data: { name } });
}

/** Returns the function to send requests for clients to run as tasks, at revisions where clients have tasks. */
export function createAskForTask(revision: Revision): AskForTask | undefined {
  return taskKindOf(revision) === "core" ? askForTask : undefined;
}

/** Sends a request to be run as a task, if the client can. Otherwise sends a plain request. */
function askForTask(call: CallContext, row: RequestRow, params: object): Promise<unknown> {
  const { signal, session } = call;
  // A task that waits for its requestor sends its requests through that wait. A second task would have no requestor to report to.
  const isPossible = !readTask(call) && isOpen(taskGate(row, "client"), session);
  return isPossible ? followTask(call, row, params) : call.request(row, withoutTask(params), { signal });
}

async function followTask(call: CallContext, row: RequestRow, params: object): Promise<unknown> {
  const ended = new AbortController();
  const response = await call.request(row, params, { taskEnded: ended.signal });
  // A client that returns a final result instead of a task has already done the work.
  if (readTaskParams(response) === undefined) return response;
  const created = readCreatedTask(response);
  if (!created) throw new NoTaskError(row.method, response);
  const task = new FollowedTask<unknown>(created, {
    clock: undefined,
    send: (handler, taskId, options) => send(call, handler, { taskId, options }),
    toResult: (value) => checkResult(row, value, { converter: call.session.converter }),
    ended: () => ended.abort(),
  });
  try {
    return await task.result({ signal: call.signal });
  } catch (error) {
    // The call may have been cancelled before the task began.
    if (call.signal.aborted) task.cancel().catch(() => {});
    throw error;
  }
}

function send(
  call: CallContext,
  handler: string,
  { taskId, options }: { readonly taskId: string; readonly options: TaskCallOptions },
): Promise<unknown> {
  const row = findRow(call.revision.serverRequests, handler);
  if (!row) return Promise.reject(new Error(`Revision ${call.revision.id} has no ${handler} requests`));
  return call.request(row, { taskId }, options);
}
