import { isObject, type RequestRow, type Revision } from "../../../generated/support.ts";
import { CapabilityError } from "../../jsonrpc/errors.ts";
import { readKnownMember } from "../../protocol/revision/known-members.ts";
import { isOpen, type Session } from "../../protocol/session/session.ts";
import { toTaskParams } from "../../tasks/task-handle.ts";
import { readCreatedTask, taskGate, taskKindOf } from "../../tasks/task.ts";
import { findRequestRow } from "../session/requests.ts";
import type { ClientTaskProtocol } from "./task-protocol.ts";

/**
 * Tasks of the core. The client requests them where servers and tools declare them.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
export const coreTasks: ClientTaskProtocol = {
  hasSubscriptions: false,
  isDeclared,
  isRequired: (tool, { revision, session }) => isDeclared(session) && readSupport(tool, revision) === "required",
  requireSupport({ name, listed }, { revision, session }) {
    const row = findToolRow(revision);
    if (!row) throw new Error(`Revision ${revision.id} of the session has no tasks; call "${name}" without a task`);
    const gate = taskGate(row, "server");
    if (!isOpen(gate, session)) throw new CapabilityError("tools/call as a task", gate);
    if (listed && readSupport(listed, revision) === "forbidden") {
      throw new Error(`Tool "${name}" does not declare task support; call it without a task`);
    }
  },
  toRequest: (task, taskEnded) => ({ params: { task: toTaskParams(task) }, options: { taskEnded } }),
  readCreated: readCreatedTask,
  readContinued: () => undefined,
  createPort: (host) => ({ send: (handler, taskId, options) => host.call(handler, { taskId }, options) }),
};

function isDeclared(session: Session): boolean {
  const row = findToolRow(session.revision);
  return row !== undefined && isOpen(taskGate(row, "server"), session);
}

function findToolRow(revision: Revision): RequestRow | undefined {
  return taskKindOf(revision) === "core" ? findRequestRow(revision, "callTool") : undefined;
}

/** Reads `taskSupport`; a missing value means `forbidden`. */
function readSupport(tool: object | undefined, revision: Revision): unknown {
  const execution = readKnownMember(tool, "Tool.execution", revision);
  return isObject(execution) && execution.taskSupport !== undefined ? execution.taskSupport : "forbidden";
}
