import type { Awaitable, RequestRow, Revision } from "../../../generated/support.ts";
import { findRow } from "../../protocol/method-rows.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import { RpcError, errorCodes } from "../../jsonrpc/errors.ts";
import { isOpen } from "../../protocol/session.ts";
import { createTaskHandlers, type TaskHandlers } from "../../tasks/task-handlers.ts";
import type { TaskManager } from "../../tasks/task-manager.ts";
import { readTaskParams, taskGate } from "../../tasks/task.ts";
import type { ToolTask, ToolTaskOptions } from "../definition.ts";
import { withPreparation } from "../tools/prepared-tool.ts";
import type { InputRunner } from "../input/input-runner.ts";
import type { AnyContext, AnyTool } from "../any-definition.ts";
import type { ToolRegistry } from "../tools/registry.ts";

/** Handlers of tool calls that may become tasks, and of requests about tasks. */
export interface TaskCallHandlers extends TaskHandlers {
  callTool(params: TaskCallParams, call: CallContext): Promise<object>;
}

/** Dependencies of tool calls other than the tools. */
export interface TaskCallParts {
  readonly revision: Revision;
  readonly inputRunner: InputRunner;
  toContext(call: CallContext): AnyContext;
}

interface TaskCallParams {
  readonly name: string;
  readonly arguments?: object;
}

/**
 * Runs tool calls as tasks if the client requests it and the tool permits it.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation
 */
export function implementTaskCalls(
  tools: ToolRegistry,
  tasks: TaskManager,
  { revision, toContext, inputRunner }: TaskCallParts,
): TaskCallHandlers {
  const row = findToolRow(revision);
  const gate = taskGate(row, "server");
  return {
    ...createTaskHandlers(tasks),
    async callTool(params, call) {
      const { name, arguments: args = {} } = params;
      const tool = withPreparation(tools.find(name, toContext(call)));
      const work = (during: CallContext): Awaitable<object> =>
        inputRunner.run({ method: row.method, params }, during, (run) => tools.run(tool, args, toContext(run)));
      // A task request without the negotiated capability is ignored, and the call runs plainly.
      if (!isOpen(gate, call.session)) return work(call);
      const asked = readTaskParams(params);
      const terms = readTerms(tool);
      if (asked && !terms) throw mismatch(`Tool "${name}" does not support tasks; call it without a task`, name);
      if (!asked && terms?.support === "required")
        throw mismatch(`Tool "${name}" requires a task; call it with a task`, name);
      if (!asked || !terms) return work(call);
      return tasks.start(call, { row, ttl: asked.ttl, terms, work });
    },
  };
}

/** Handles tool calls at revisions without tasks. Their preparation runs first, as it does before a task begins. */
export function implementPlainCalls(
  tools: ToolRegistry,
  { revision, toContext, inputRunner }: TaskCallParts,
): Pick<TaskCallHandlers, "callTool"> {
  const { method } = findToolRow(revision);
  return {
    async callTool(params, call) {
      const { name, arguments: args = {} } = params;
      const tool = withPreparation(tools.find(name, toContext(call)));
      return inputRunner.run({ method, params }, call, (during) => tools.run(tool, args, toContext(during)));
    },
  };
}

/** Task support of a tool in `tools/list`. */
export function readTaskSupport(task: ToolTask): "optional" | "required" {
  return task === true ? "optional" : (task.support ?? "optional");
}

/** Returns the task options of a tool, or undefined if it does not run as a task. */
export function readTerms({ task }: AnyTool): ToolTaskOptions | undefined {
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

function mismatch(message: string, name: string): RpcError {
  return new RpcError(errorCodes.methodNotFound, message, { data: { name } });
}
