import type { RequestRow, Revision } from "../../generated/support.ts";
import { findRow } from "../common/rows.ts";
import type { CallContext } from "../rpc/call.ts";
import { RpcError, errorCodes } from "../rpc/errors.ts";
import { isOpen } from "../rpc/session.ts";
import { createTaskHandlers, type TaskHandlers } from "../tasks/task-handlers.ts";
import type { TaskManager } from "../tasks/task-manager.ts";
import { readTaskParams, taskGate } from "../tasks/task.ts";
import type { ToolTask, ToolTaskOptions } from "./definitions.ts";
import type { AnyContext, ToolSource } from "./source.ts";
import type { ToolRegistry } from "./tools.ts";

/** What answers calls of tools that may become tasks, and what is asked about the tasks. */
export interface TaskCallHandlers extends TaskHandlers {
  callTool(params: TaskCallParams, call: CallContext): Promise<object>;
}

interface TaskCallParams {
  readonly name: string;
  readonly arguments?: object;
}

/**
 * Lets calls of tools run as tasks, as far as each tool does.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation
 */
export function implementTaskCalls(
  tools: ToolRegistry,
  tasks: TaskManager,
  { revision, toContext }: { readonly revision: Revision; toContext(call: CallContext): AnyContext },
): TaskCallHandlers {
  const row = findToolRow(revision);
  const gate = taskGate(row, "server");
  return {
    ...createTaskHandlers(tasks),
    async callTool(params, call) {
      const { name, arguments: args = {} } = params;
      const work = (during: CallContext): Promise<object> => tools.call(name, args, toContext(during));
      // What was not declared is ignored.
      if (!isOpen(gate, call.session)) return work(call);
      const asked = readTaskParams(params);
      const terms = readTerms(tools.find(name, toContext(call)));
      if (asked && !terms) throw mismatch(`Tool "${name}" does not run as a task: call it without one`, name);
      if (!asked && terms?.support === "required") throw mismatch(`Tool "${name}" only runs as a task`, name);
      return asked && terms ? tasks.start(call, { row, ttl: asked.ttl, terms, work }) : work(call);
    },
  };
}

/** What `tools/list` says of a tool. */
export function readTaskSupport(task: ToolTask): "optional" | "required" {
  return task === true ? "optional" : (task.support ?? "optional");
}

function readTerms({ task }: ToolSource): ToolTaskOptions | undefined {
  return task === true ? {} : task;
}

function findToolRow(revision: Revision): RequestRow {
  const row = findRow(revision.clientRequests, "callTool");
  if (!row) throw new Error(`Revision ${revision.id} has tasks but no tools.`);
  return row;
}

function mismatch(message: string, name: string): RpcError {
  return new RpcError(errorCodes.methodNotFound, message, { data: { name } });
}
